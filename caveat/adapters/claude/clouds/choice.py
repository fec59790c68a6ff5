"""The clouds that serve Claude, by the names that settings give them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx2
from anthropic import AsyncAnthropic, OpenTelemetryOptions

from caveat.adapters.claude.clouds import bedrock, foundry, vertex
from caveat.adapters.claude.messages.connection import Timeouts, spans_and_patience
from caveat.adapters.claude.messages.keys import ApiKeys


@dataclass(frozen=True)
class Cloud:
    """A cloud.

    Attributes:
        name: as settings, failures and backends give it.
        keys: its own chain of credentials.
        client: makes the SDK's client for it.
    """

    name: str
    keys: Callable[[], ApiKeys]
    client: Callable[[httpx2.Timeout, OpenTelemetryOptions], AsyncAnthropic]

    def sdk(self, limits: Timeouts | None = None) -> AsyncAnthropic:
        """Make the SDK's client: no retries of its own, and no credentials.

        Raises:
            CloudProblem: it cannot be used as things are set.
        """
        return self.client(*spans_and_patience(limits))


CLOUDS: Mapping[str, Cloud] = {
    each.name: each
    for each in (
        Cloud(bedrock.NAME, bedrock.AwsChain, bedrock.client),
        Cloud(vertex.NAME, vertex.GoogleChain, vertex.client),
        Cloud(foundry.NAME, foundry.AzureChain, foundry.client),
    )
}

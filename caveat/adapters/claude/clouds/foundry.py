"""Microsoft Foundry: a key, or Azure's own chain of identities."""

import os

import httpx2
from anthropic import AsyncAnthropic, AsyncAnthropicFoundry, OpenTelemetryOptions

from caveat.adapters.claude.clouds import addresses
from caveat.adapters.claude.clouds.chain import Chain
from caveat.adapters.claude.clouds.problems import require
from caveat.adapters.claude.messages.connection import SET_FOR_EACH_CALL
from caveat.adapters.claude.messages.keys import Secret, refused

NAME = "foundry"

KEY = "ANTHROPIC_FOUNDRY_API_KEY"

_SCOPE = "https://ai.azure.com/.default"


def client(timeout: httpx2.Timeout, spans: OpenTelemetryOptions) -> AsyncAnthropic:
    """Make the SDK's client, without a key: each call brings its own.

    Raises:
        CloudProblem: the extra is missing where there is no key, or no resource is set.
    """
    address = addresses.foundry()
    if not os.environ.get(KEY):
        require("azure.identity", NAME)
    return AsyncAnthropicFoundry(
        base_url=address,
        api_key=SET_FOR_EACH_CALL,
        max_retries=0,
        timeout=timeout,
        open_telemetry=spans,
    )


class AzureChain(Chain):
    """The key where one is set, else Azure's default chain, which keeps its tokens fresh itself."""

    def _current(self) -> Secret:
        key = os.environ.get(KEY)
        if key:
            return Secret.of_key(key)
        from azure.core.exceptions import AzureError  # noqa: PLC0415  # an extra
        from azure.identity import DefaultAzureCredential  # noqa: PLC0415  # with it

        try:
            self._found = self._found or DefaultAzureCredential()
            token = self._found.get_token(_SCOPE).token
        except (AzureError, ValueError):
            raise refused(
                f"Azure's chain of identities gives no token: set {KEY}, or run `az login`.", NAME
            ) from None
        return Secret(token, {"azure_ad_token_provider": lambda: token})

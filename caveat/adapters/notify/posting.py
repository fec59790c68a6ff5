"""Notices and events posted over HTTP to the operator's own receiver."""

import asyncio
import time
from dataclasses import dataclass, field

from caveat.adapters.http.client import Client, Request
from caveat.adapters.http.failures import FAULTS, Provider
from caveat.adapters.http.target import Target
from caveat.adapters.notify.signing import PROVIDER, SigningKeys, encode_header_id, sign_delivery
from caveat.contracts.message import Message
from caveat.contracts.notice import Notice

_TOTAL_S = 10.0  # seconds for one delivery, well within the activity's 30

_LONGEST_WAIT_S = 3600.0
"""A notice that comes more than an hour late tells nobody anything, and a run may wait for it."""


@dataclass(frozen=True)
class Webhook:
    """Posts notices as JSON and events as CloudEvents in JSON, signed when there is a key."""

    # where to. Private and loopback addresses are receivers like any other: the URL is the
    # operator's own setting, never the text of a page or a part of a request.
    receiver: Target
    client: Client
    keys: SigningKeys = field(default_factory=SigningKeys)
    total_s: float = _TOTAL_S  # seconds for everything

    async def notify(self, notice: Notice) -> None:
        """Deliver a notice; the receiver knows repetitions by the header `Webhook-Id`."""
        await self._post(notice.id, notice.model_dump_json().encode(), "application/json")

    async def announce(self, event: Message) -> None:
        """Deliver an event in the structured mode of CloudEvents; see `notify`."""
        # https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md
        await self._post(event.id, event.encode(), "application/cloudevents+json")

    async def _post(self, identity: str, body: bytes, content_type: str) -> None:
        headers = _build_headers(identity, body, content_type, await self.keys.load_keys())
        provider = Provider(
            subject=f"The webhook at {self.receiver.authority}",
            resource=self.receiver.authority,
            provider=PROVIDER,
            longest_wait_s=_LONGEST_WAIT_S,
        )
        try:
            # No byte of the answer's body is waited for: the status says everything.
            async with asyncio.timeout(self.total_s):
                request = Request(self.receiver, headers, "POST", body)
                answer = await self.client.send(request, lambda _: 0)
        except FAULTS as fault:
            raise provider.build_failure(fault) from fault
        if not 200 <= answer.status < 300:
            raise provider.build_failure(answer)


def _build_headers(
    identity: str, body: bytes, content_type: str, keys: tuple[bytes, ...]
) -> dict[str, str]:
    # The time of this attempt, not of the notice: receivers refuse what is minutes old.
    timestamp = int(time.time())
    identity = encode_header_id(identity)
    headers = {
        "Content-Type": content_type,
        "Webhook-Id": identity,
        "Webhook-Timestamp": str(timestamp),
    }
    if keys:
        signatures = (sign_delivery(key, identity, timestamp, body) for key in keys)
        headers["Webhook-Signature"] = " ".join(signatures)
    return headers

"""Notices and events as HTTP requests to the operator's own receiver."""

import time
from dataclasses import dataclass, field

from caveat.adapters.http.client import Client, Request
from caveat.adapters.http.target import Target
from caveat.adapters.notify.posting import TOTAL_S, post
from caveat.adapters.notify.signing import PROVIDER, FixedKeys, SigningKeys, header_id, signature
from caveat.contracts.message import Message
from caveat.contracts.notice import Notice


@dataclass(frozen=True)
class Webhook:
    """Posts notices as JSON and events as CloudEvents in JSON, signed when there is a key.

    Attributes:
        receiver: where to. Private and loopback addresses are receivers like any other: the URL is
            the operator's own setting, never the text of a page or a part of a request.
        client: sends requests.
        keys: what deliveries are signed with.
        total_s: seconds for everything.
    """

    receiver: Target
    client: Client
    keys: SigningKeys = field(default_factory=FixedKeys)
    total_s: float = TOTAL_S

    async def notify(self, notice: Notice) -> None:
        """Deliver a notice; the receiver knows repetitions by the header `Webhook-Id`.

        Raises:
            PortFailure: the receiver did not answer with a status of success.
        """
        await self._post(notice.id, notice.model_dump_json().encode(), "application/json")

    async def announce(self, event: Message) -> None:
        """Deliver an event in the structured mode of CloudEvents; see `notify`.

        https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md
        """
        await self._post(event.id, event.wire(), "application/cloudevents+json")

    async def _post(self, identity: str, body: bytes, content_type: str) -> None:
        headers = _headers(identity, body, content_type, await self.keys.current())
        request = Request(self.receiver, headers, "POST", body)
        subject = f"The webhook at {self.receiver.authority}"
        await post(self.client, request, subject, PROVIDER, self.total_s)


def _headers(
    identity: str, body: bytes, content_type: str, keys: tuple[bytes, ...]
) -> dict[str, str]:
    # The time of this attempt, not of the notice: receivers refuse what is minutes old.
    timestamp = int(time.time())
    identity = header_id(identity)
    headers = {
        "Content-Type": content_type,
        "Webhook-Id": identity,
        "Webhook-Timestamp": str(timestamp),
    }
    if keys:
        signatures = (signature(key, identity, timestamp, body) for key in keys)
        headers["Webhook-Signature"] = " ".join(signatures)
    return headers

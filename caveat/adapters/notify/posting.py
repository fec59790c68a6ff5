"""Notices posted over HTTP: to the operator's own receiver, or to telephones by ntfy."""

import asyncio
import time
from dataclasses import dataclass, field
from email.header import Header

from caveat.adapters.http.client import Client, Request
from caveat.adapters.http.failures import FAULTS, Provider
from caveat.adapters.http.target import Target
from caveat.adapters.notify.several import one_line
from caveat.adapters.notify.signing import PROVIDER, FixedKeys, SigningKeys, header_id, signature
from caveat.contracts.message import Message
from caveat.contracts.notice import Notice, NoticeKind

_TOTAL_S = 10.0  # seconds for one delivery, well within the activity's 30

_LONGEST_WAIT_S = 3600.0
"""A notice that comes more than an hour late tells nobody anything, and a run may wait for it."""

_TITLE = 120  # characters of a title: what a locked screen shows

URGENT = {
    NoticeKind.UNKNOWN_FAILURE: 5,
    NoticeKind.PERSON_NEEDED: 4,
    NoticeKind.QUORUM_LOST: 4,
    NoticeKind.CRITICAL_AGENT_FAILED: 4,
    NoticeKind.FAILED: 4,
}
"""ntfy's priorities above the usual 3: 5 rings on until somebody looks, which what nobody foresaw
deserves; 4 is for what somebody should do something about."""


async def _post(
    client: Client, request: Request, subject: str, provider: str, seconds: float = _TOTAL_S
) -> None:
    """Post a notice, and wait for no byte of the answer's body: the status says everything."""
    asked = Provider(
        subject=subject,
        resource=request.target.authority,
        provider=provider,
        longest_wait_s=_LONGEST_WAIT_S,
    )
    try:
        async with asyncio.timeout(seconds):
            answer = await client.send(request, lambda _: 0)
    except FAULTS as fault:
        raise asked.failed(fault) from fault
    if not 200 <= answer.status < 300:
        raise asked.failed(answer)


@dataclass(frozen=True)
class Webhook:
    """Posts notices as JSON and events as CloudEvents in JSON, signed when there is a key."""

    # where to. Private and loopback addresses are receivers like any other: the URL is the
    # operator's own setting, never the text of a page or a part of a request.
    receiver: Target
    client: Client
    keys: SigningKeys = field(default_factory=FixedKeys)
    total_s: float = _TOTAL_S  # seconds for everything

    async def notify(self, notice: Notice) -> None:
        """Deliver a notice; the receiver knows repetitions by the header `Webhook-Id`."""
        await self._post(notice.id, notice.model_dump_json().encode(), "application/json")

    async def announce(self, event: Message) -> None:
        """Deliver an event in the structured mode of CloudEvents; see `notify`."""
        # https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md
        await self._post(event.id, event.wire(), "application/cloudevents+json")

    async def _post(self, identity: str, body: bytes, content_type: str) -> None:
        headers = _headers(identity, body, content_type, await self.keys.current())
        request = Request(self.receiver, headers, "POST", body)
        subject = f"The webhook at {self.receiver.authority}"
        await _post(self.client, request, subject, PROVIDER, self.total_s)


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


@dataclass(frozen=True)
class Push:
    """Posts each notice to a topic."""

    topic: Target  # where to; its name is all that keeps strangers from reading it
    client: Client
    # of an account, where the server asks for one
    token: str | None = field(default=None, repr=False)

    async def notify(self, notice: Notice) -> None:
        """Deliver a notice; a repetition ends with the same id."""
        body = f"{notice.message}\n\n{notice.id}".encode()
        request = Request(self.topic, self._headers(notice), "POST", body)
        subject = f"The ntfy server at {self.topic.authority}"
        await _post(self.client, request, subject, "ntfy")

    def _headers(self, notice: Notice) -> dict[str, str]:
        headers = {
            "Content-Type": "text/plain; charset=utf-8",
            "Title": _header(f"{notice.kind.replace('_', ' ')}: {notice.topic}"[:_TITLE]),
            "Priority": str(URGENT.get(notice.kind, 3)),
            "Tags": notice.kind.value,
        }
        if notice.link is not None:
            headers["Click"] = notice.link
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        return headers


def _header(text: str) -> str:
    """Write a text so that a header can hold it (RFC 2047), on one line."""
    line = one_line(text)
    return line if line.isascii() else Header(line, "utf-8", maxlinelen=10_000).encode()

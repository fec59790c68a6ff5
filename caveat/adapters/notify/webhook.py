"""Notices as HTTP requests to the operator's own receiver."""

import asyncio
import time
from dataclasses import dataclass, field

from caveat.adapters.notify.endpoint import Endpoint
from caveat.adapters.notify.exchange import Limits, NotHttp, post
from caveat.adapters.notify.failures import undelivered
from caveat.adapters.notify.keys import FixedKeys, Keys
from caveat.adapters.notify.signing import header_id, signature
from caveat.contracts.notice import Notice


@dataclass(frozen=True)
class Webhook:
    """Posts each notice as JSON, signed when there is a key.

    Attributes:
        endpoint: the receiver.
        keys: what deliveries are signed with.
        limits: how long the receiver may take.
    """

    endpoint: Endpoint
    keys: Keys = field(default_factory=FixedKeys)
    limits: Limits = field(default_factory=Limits)

    async def notify(self, notice: Notice) -> None:
        """Deliver a notice; the receiver knows repetitions by the header `Webhook-Id`.

        Raises:
            PortFailure: the receiver did not answer with a status of success.
        """
        body = notice.model_dump_json().encode()
        headers = _headers(notice, body, await self.keys.current())
        try:
            answer = await post(self.endpoint, headers, body, self.limits)
        except (OSError, asyncio.IncompleteReadError, NotHttp) as error:
            raise undelivered(error, self.endpoint) from error
        if not 200 <= answer.status < 300:
            raise undelivered(answer, self.endpoint)


def _headers(notice: Notice, body: bytes, keys: tuple[bytes, ...]) -> dict[str, str]:
    # The time of this attempt, not of the notice: receivers refuse what is minutes old.
    timestamp = int(time.time())
    identity = header_id(notice.id)
    headers = {"Webhook-Id": identity, "Webhook-Timestamp": str(timestamp)}
    if keys:
        signatures = (signature(key, identity, timestamp, body) for key in keys)
        headers["Webhook-Signature"] = " ".join(signatures)
    return headers

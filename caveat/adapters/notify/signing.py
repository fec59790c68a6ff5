"""Signatures as Standard Webhooks 1.0.0 defines them, with a shared secret.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

import base64
import binascii
import datetime as dt
from urllib.parse import quote

from standardwebhooks import Webhook

_PREFIX = "whsec_"


def key_of(secret: str) -> bytes:
    """Return the key that a secret stands for.

    Args:
        secret: base64 behind `whsec_`, as the specification writes secrets, else the key itself.

    Raises:
        ValueError: it is empty, or not base64 where it should be; the text does not repeat it.
    """
    text = secret.strip()
    key = text.encode()
    if text.startswith(_PREFIX):
        try:
            key = base64.b64decode(text.removeprefix(_PREFIX), validate=True)
        except binascii.Error:
            raise ValueError(f"what follows {_PREFIX} is not base64") from None
    if not key:
        raise ValueError("it is empty")
    return key


def header_id(notice_id: str) -> str:
    """Write an id so that a header can hold it and a full stop in it cannot shift the fields.

    The signature covers `id.timestamp.body`. Whoever starts a run may choose its id, so full
    stops are percent-encoded, as is what is not ASCII.
    """
    return quote(notice_id, safe="/:").replace(".", "%2E")


def signature(key: bytes, header: str, timestamp: int, body: bytes) -> str:
    """Sign one delivery, as one entry of the header `Webhook-Signature`."""
    return Webhook(key).sign(header, dt.datetime.fromtimestamp(timestamp, dt.UTC), body.decode())

"""What must not stand in a cassette: keys, and the marks by which a provider knows its customer."""

import base64
import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

SCRUBBED = "scrubbed"
"""Stands where something was taken out."""

_SHORTEST = 12
"""Characters from which a value is looked for in texts. A key has about a hundred; the words that
local servers accept as one ("ollama") are no secrets, and stand in texts for other reasons."""

_KEYS = re.compile(r"sk-ant-[\w-]{8,}")
"""Anything in the form of Anthropic's keys, whoever's it is."""

_CREDENTIALS = ("x-api-key", "authorization", "proxy-authorization")
_CUSTOMER = ("anthropic-organization-id", "anthropic-workspace-id")
_MARKS = ("request-id", "x-request-id", "cf-ray", *_CUSTOMER)

_ACTED_UPON = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")
"""Headers of responses that a client acts upon. What is left of a rate limit is not among them: it
was true when it was recorded, and tells how large a customer is."""


def secrets(request: Mapping[str, str], response: Mapping[str, str]) -> tuple[str, ...]:
    """Gather what the headers of an exchange hold that its bodies must not."""
    # The scheme of an authorization is no part of the key.
    values = [request[name].split()[-1] for name in _CREDENTIALS if request.get(name, "").strip()]
    values += [response[name] for name in _MARKS if name in response]
    return tuple(dict.fromkeys(value for value in values if len(value) >= _SHORTEST))


def scrubbed(text: str, secret: Iterable[str]) -> str:
    """Take secrets out of a text, also as JSON, URLs and base64 write them."""
    forms = {form for value in secret for form in _forms(value)}
    # Longer ones first: one may begin with another.
    for form in sorted(forms, key=len, reverse=True):
        text = text.replace(form, SCRUBBED)
    return _KEYS.sub(SCRUBBED, text)


def headers_of(response: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that matter."""
    return {name: response[name] for name in _ACTED_UPON if name in response}


def _forms(value: str) -> Iterable[str]:
    yield value
    yield json.dumps(value)[1:-1]
    yield quote(value, safe="")
    yield from _in_base64(value.encode())


def _in_base64(value: bytes) -> Iterable[str]:
    """Write a value as it looks inside of base64, wherever it begins in a group of three bytes."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + value).decode()
        # Six bits a character: those that a neighbour has a part in are not the value's alone.
        begin, end = -(-before * 8 // 6), (before + len(value)) * 8 // 6
        yield encoded[begin:end]
        yield encoded[begin:end].replace("+", "-").replace("/", "_")

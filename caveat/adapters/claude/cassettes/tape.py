"""What a cassette's files hold: its label, and one exchange with the server each."""

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import Field, JsonValue

from caveat.contracts.base import Contract

VERSION: Final = 1
"""Of the files. Another number says that they mean something else."""

MANIFEST = "manifest.json"

ADDRESS = r"[0-9a-f]{64}"

_WITHOUT_EFFECT = frozenset({"metadata", "service_tier"})
"""Who asks and how urgently: no answer depends on it. Whatever else a request holds decides its
answer, fields that nobody knows yet included."""

_API = "/v1/"
"""Where the API's own part of a path begins: what stands before it is a proxy's."""


class Manifest(Contract):
    """The label of a cassette.

    Attributes:
        version: of the files.
        recorded_from: host of the server, with its port where that is not the usual one.
        recorded_at: when the first exchange was recorded, UTC.
        sdk: version of the SDK that asked.
        stand_in: whether a stand-in answered, and so no model.
    """

    version: Literal[1] = VERSION
    recorded_from: str
    recorded_at: dt.datetime
    sdk: str
    stand_in: bool


class Asked(Contract):
    """A request, without its headers: none of them decides the answer, and one is the key."""

    method: str
    path: str
    body: JsonValue


class Answered(Contract):
    """A response.

    Attributes:
        status: HTTP status code.
        headers: those that a client acts upon, by name in lower case.
        body: the text as it was sent, unpacked, a line each.
    """

    status: int = Field(ge=100, le=599)
    headers: dict[str, str]
    body: tuple[str, ...]


class Exchange(Contract):
    """One request and its answer.

    Attributes:
        version: of the file.
        address: of the request as it was sent, by which it is found.
        request: what was asked.
        response: what was answered.
    """

    version: Literal[1] = VERSION
    address: str = Field(pattern=f"^{ADDRESS}$")
    request: Asked
    response: Answered


def address(method: str, path: str, body: Any) -> str:
    """Name a request by everything that decides its answer: 64 hexadecimal digits."""
    if isinstance(body, Mapping):
        body = {name: value for name, value in body.items() if name not in _WITHOUT_EFFECT}
    decisive = [method, _of_api(path), body]
    written = json.dumps(decisive, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def _of_api(path: str) -> str:
    begin = path.rfind(_API)
    return path if begin == -1 else path[begin:]

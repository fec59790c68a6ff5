"""A cassette on disk: a manifest, and a file for each exchange with the server."""

import datetime as dt
import hashlib
import json
import re
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from anthropic import AnthropicError
from pydantic import Field, JsonValue, ValidationError

from caveat import atomic
from caveat.contracts.base import Contract
from caveat.failures import PortFailure, invalid

_VERSION: Final = 1
"""Of the files. Another number says that they mean something else."""

_MANIFEST = "manifest.json"

_ADDRESS = r"[0-9a-f]{64}"

_WITHOUT_EFFECT = frozenset({"metadata", "service_tier"})
"""Who asks and how urgently: no answer depends on it. Whatever else a request holds decides its
answer, fields that nobody knows yet included."""

_API = "/v1/"
"""Where the API's own part of a path begins: what stands before it is a proxy's."""

_C = TypeVar("_C", bound=Contract)

_EXCHANGE = re.compile(rf"{_ADDRESS}-\d{{4,}}\.json")


class _CassetteError(AnthropicError):
    """A call that a cassette stops.

    It is one of the SDK's own errors because the SDK takes any other one that a transport raises
    for a connection that broke, which would be tried again.
    """


class NotRecorded(_CassetteError):
    """The cassette that is replayed holds no answer to this call."""


class OtherCassette(_CassetteError):
    """The cassette that is recorded holds what another server said."""


class Manifest(Contract):
    """The label of a cassette.

    Attributes:
        version: of the files.
        recorded_from: host of the server, with its port where that is not the usual one.
        recorded_at: when the first exchange was recorded, UTC.
        sdk: version of the SDK that asked.
        stand_in: whether a stand-in answered, and so no model.
    """

    version: Literal[1] = _VERSION
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

    version: Literal[1] = _VERSION
    address: str = Field(pattern=f"^{_ADDRESS}$")
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


class Folder:
    """A cassette that is being recorded: `<address>-<number>.json` for each exchange.

    A file is complete or absent: it is written under another name, flushed, and renamed.

    Args:
        path: created if it is not there.

    Raises:
        PortFailure: it holds something else than a cassette, or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
            is_empty = not any(path.iterdir())
        except OSError as error:
            raise _unusable(path, error.strerror or "it cannot be written") from None
        self._path = path
        self._manifest = None if is_empty else _manifest(path)
        # Exchanges end on several threads.
        self._lock = threading.Lock()

    @property
    def host(self) -> str | None:
        """Whose answers it holds; None while it holds none."""
        return self._manifest.recorded_from if self._manifest else None

    def keep(self, exchange: Exchange, label: Manifest) -> None:
        """Add an exchange behind those that the same request had before.

        Args:
            exchange: what is kept.
            label: what the cassette's manifest says of it.

        Raises:
            OSError: it cannot be written.
        """
        with self._lock:
            self._label(label)
            number = 1
            while (file := self._path / f"{exchange.address}-{number:04}.json").exists():
                number += 1
            _write(file, exchange)

    def _label(self, label: Manifest) -> None:
        known = self._manifest
        if known is not None:
            # One answer of a stand-in makes it the stand-in's.
            label = known.model_copy(update={"stand_in": known.stand_in or label.stand_in})
        if label != known:
            _write(self._path / _MANIFEST, label)
            self._manifest = label


def read(path: Path) -> tuple[Manifest, tuple[Exchange, ...]]:
    """Read a cassette whole: exchanges of one request in the order in which they were recorded.

    Raises:
        PortFailure: it is none, it is damaged, or of a version that is not known here.
    """
    manifest = _manifest(path)
    try:
        files = sorted(each for each in path.iterdir() if _EXCHANGE.fullmatch(each.name))
    except OSError as error:
        raise _unusable(path, error.strerror or "it cannot be read") from None
    if not files:
        raise _unusable(path, "it holds no answer")
    return manifest, tuple(_parsed(path, file, Exchange) for file in files)


def _manifest(path: Path) -> Manifest:
    return _parsed(path, path / _MANIFEST, Manifest)


def _parsed(path: Path, file: Path, type_: type[_C]) -> _C:
    try:
        return type_.model_validate_json(file.read_bytes())
    except OSError as error:
        reason = f"its {file.name} cannot be read ({error.strerror})"
    except ValidationError as error:
        # Nothing of what stands in the file is repeated: it may be anything.
        strange = any(each["loc"] == ("version",) for each in error.errors(include_input=False))
        reason = (
            f"its {file.name} is not of version {_VERSION}, the only one that is known here"
            if strange
            else f"its {file.name} is damaged"
        )
    raise _unusable(path, reason)


def _write(file: Path, content: Contract) -> None:
    file.parent.stat()  # a cassette that was taken away is not begun anew without its label
    atomic.write(file, content.model_dump_json(indent=1).encode() + b"\n")


def _unusable(folder: Path, reason: str) -> PortFailure:
    return invalid(f"The cassette {folder} cannot be used: {reason}.", resource=str(folder))

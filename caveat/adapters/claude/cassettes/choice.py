"""Whether calls are recorded or replayed, as a setting says it."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import httpx2

from caveat.adapters.claude.cassettes.recording import Recording
from caveat.adapters.claude.cassettes.replaying import Replaying


class Mode(StrEnum):
    """What is done with a cassette."""

    RECORD = "record"
    REPLAY = "replay"


@dataclass(frozen=True)
class Cassette:
    """A cassette, and what is done with it."""

    mode: Mode
    folder: Path

    def transport(self) -> httpx2.AsyncBaseTransport:
        """Make what the SDK's client sends its requests through; see `connection.sdk`.

        Raises:
            PortFailure: the folder is no cassette that this can be done with.
        """
        match self.mode:
            case Mode.RECORD:
                return Recording(httpx2.AsyncHTTPTransport(), self.folder)
            case Mode.REPLAY:
                return Replaying(self.folder)


def cassette_of(text: str) -> Cassette:
    """Read `record:FOLDER` or `replay:FOLDER`.

    Raises:
        ValueError: it is neither; the message is the end of a sentence that names the setting.
    """
    mode, _, folder = text.partition(":")
    if mode not in set(Mode) or not folder.strip():
        raise ValueError("write record:FOLDER or replay:FOLDER")
    return Cassette(Mode(mode), Path(folder.strip()).expanduser().absolute())

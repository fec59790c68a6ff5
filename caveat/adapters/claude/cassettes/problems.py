"""What goes wrong with a cassette."""

from pathlib import Path

from anthropic import AnthropicError

from caveat.failures import PortFailure, invalid


class CassetteError(AnthropicError):
    """A call that a cassette stops.

    It is one of the SDK's own errors because the SDK takes any other one that a transport raises
    for a connection that broke, which would be tried again.
    """


class NotRecorded(CassetteError):
    """The cassette that is replayed holds no answer to this call."""


class OtherCassette(CassetteError):
    """The cassette that is recorded holds what another server said."""


def unusable(folder: Path, reason: str) -> PortFailure:
    """Say in one sentence why a folder is no cassette that can be used."""
    return invalid(f"The cassette {folder} cannot be used: {reason}.", resource=str(folder))

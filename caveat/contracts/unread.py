"""What lies in a corpus and was not looked at."""

from enum import StrEnum

from pydantic import Field

from caveat.contracts.base import Contract


class UnreadSort(StrEnum):
    """Why files were not looked at."""

    OWN_REPORT = "own_report"
    """Reports of Caveat's own: they are made of sources and are none themselves."""
    OUTPUT = "output"
    """Folders that Caveat itself writes to, the one of this run's report among them."""
    FORMAT = "format"
    """Files with an ending that is not read."""
    NO_ENDING = "no_ending"
    """Files without an ending that tells a format."""
    HIDDEN_FILE = "hidden_file"
    HIDDEN_FOLDER = "hidden_folder"
    SPECIAL = "special"
    """What is neither a file nor a folder: pipes, sockets, devices."""


class Unread(Contract):
    """Files or folders of one kind that were not looked at.

    Attributes:
        sort: why.
        ending: of the files, in lower case with its dot; empty where no ending is meant, or where
            it stands for many rare ones together.
        kinds: how many endings it stands for.
        count: how many there are.
        examples: the first of them in the order of their paths.
    """

    sort: UnreadSort
    ending: str = ""
    kinds: int = Field(default=1, ge=1)
    count: int = Field(ge=1)
    examples: tuple[str, ...] = ()

"""A loader of logbooks: headings, text and the title, marked as Org marks them."""

import re

from caveat.contracts.source import Landmark, Snapshot
from caveat.extending import Loaded, Metadata, Unreadable

_TITLE = re.compile(r"#\+title:\s*(.+)", re.IGNORECASE)
_HEADING = re.compile(r"\*+\s+(.+)")


def load(data: bytes) -> Loaded:
    """Read one file; it runs in a process of its own, with none of the worker's secrets.

    Raises:
        Unreadable: it is no text.
    """
    try:
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise Unreadable("is not written in UTF-8") from None
    title, text, marks = None, "", []
    for line in lines:
        if said := _TITLE.fullmatch(line):
            title = said[1].strip()
        elif heading := _HEADING.fullmatch(line):
            marks.append(Landmark(offset=len(text), label=heading[1]))
            text += f"{heading[1]}\n\n"
        elif not line.startswith("#+"):
            text += f"{line}\n"
    return Loaded(Snapshot(text=text.strip("\n"), landmarks=_within(marks, text)), Metadata(title))


def _within(marks: list[Landmark], text: str) -> tuple[Landmark, ...]:
    before = len(text) - len(text.lstrip("\n"))
    length = len(text.strip("\n"))
    offsets = ((mark, max(0, mark.offset - before)) for mark in marks)
    return tuple(
        mark.model_copy(update={"offset": offset}) for mark, offset in offsets if offset <= length
    )

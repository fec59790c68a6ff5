"""Builds snapshots out of blocks, so that every loader's text reads the same way."""

import re
from dataclasses import dataclass, field

from caveat.contracts.source import Landmark, Snapshot

PARAGRAPH_BREAK = "\n\n"
PATH_SEPARATOR = " › "
HEADING_LIMIT = 200
"""Characters. A longer "heading" is prose in large type, and would fill every citation of it."""

_UNREADABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u200b\u2060\ufeff\ufffe\uffff\ud800-\udfff]"
)
"""Characters that people do not see and that break quotes: controls, soft hyphens, zero widths,
and lone surrogates, which UTF-8 cannot hold."""


@dataclass
class Composer:
    """Collects headings, pages, paragraphs and verbatim blocks in reading order.

    Paragraphs are separated by one blank line, and inside a paragraph white space is one space,
    so that a sentence is contiguous text. Verbatim blocks keep their lines, but no blank ones.
    """

    _parts: list[str] = field(default_factory=list)
    _landmarks: list[Landmark] = field(default_factory=list)
    _path: list[tuple[int, str]] = field(default_factory=list)
    _length: int = 0

    def heading(self, level: int, text: str) -> None:
        """Add a heading; its landmark names the headings above it too."""
        words = readable(text)
        if not words or len(words) > HEADING_LIMIT:
            self._append(words)
            return
        self._path = [above for above in self._path if above[0] < level]
        self._path.append((level, words))
        self._mark(PATH_SEPARATOR.join(name for _, name in self._path))
        self._append(words)

    def page(self, number: int) -> None:
        """Note that the next block begins on a page; pages count from 1."""
        self._mark(f"p. {number}")

    def paragraph(self, text: str) -> None:
        """Add prose."""
        self._append(readable(text))

    def verbatim(self, text: str) -> None:
        """Add lines as they are: code, screens, figures in columns."""
        lines = (_UNREADABLE.sub("", line).rstrip() for line in text.expandtabs(4).splitlines())
        self._append("\n".join(line for line in lines if line))

    def continuation(self, text: str, page: int, *, divided: bool) -> None:
        """Go on with the last paragraph on a new page; a divided word gets no space."""
        joint = "" if divided else " "
        offset = self._length + len(joint)
        self._landmarks.append(Landmark(offset=offset, label=f"p. {page}"))
        words = readable(text)
        self._parts[-1] += joint + words
        self._length = offset + len(words)

    def finish(self) -> Snapshot:
        """Return what was collected; the text is empty when nothing was readable."""
        text = PARAGRAPH_BREAK.join(self._parts)
        marks = {mark.offset: mark for mark in self._landmarks if mark.offset < len(text)}
        return Snapshot(text=text, landmarks=tuple(marks.values()))

    def _append(self, text: str) -> None:
        if text:
            self._length = self._next_offset() + len(text)
            self._parts.append(text)

    def _mark(self, label: str) -> None:
        self._landmarks.append(Landmark(offset=self._next_offset(), label=label))

    def _next_offset(self) -> int:
        return self._length + len(PARAGRAPH_BREAK) if self._parts else 0


def readable(text: str) -> str:
    """Return prose without invisible characters, white space as single spaces."""
    return " ".join(_UNREADABLE.sub("", text).split())

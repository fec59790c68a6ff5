"""Builds snapshots out of blocks, so that every loader's text reads the same way."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from caveat.contracts.source import Landmark, Snapshot

PARAGRAPH_BREAK = "\n\n"
PATH_SEPARATOR = " › "
CELL_BREAK = "\t"
"""Stands between the cells of a row. It is white space, so that a quote of a row holds the words of
its source and nothing else, and it is in no other text, so that no sentence crosses a cell."""
HEADING_LIMIT = 200
"""Characters. A longer "heading" is prose in large type, and would fill every citation of it."""
_TERM = 7
"""The level of a list's terms: below HTML's six headings. Lists in lists count on from here."""

_UNREADABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u200b\u2060\ufeff\ufffe\uffff\ud800-\udfff]"
)
"""Characters that people do not see and that break quotes: controls, soft hyphens, zero widths,
and lone surrogates, which UTF-8 cannot hold."""


_SAYS_OF = re.compile(r" ?(?:[:–—]|- |\([^()]{1,80}\) ?[:–—-])")
"""What stands between a name and what is said of it."""
_REMARKS = frozenset({"note", "notes", "tip", "warning", "caution", "important", "example", "hint"})
"""What opens a remark in bold and names nothing."""

_LABELLED = 50_000
"""Cells of a document that are named by their columns; those of a table of megabytes behind them
have the names of their rows, and are found by these."""

_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_FIGURE = re.compile(r"\W*\d")


@dataclass
class Composer:
    """Collects headings, terms, rows, pages, paragraphs and verbatim blocks in reading order.

    Paragraphs are separated by one blank line, and inside a paragraph white space is one space,
    so that a sentence is contiguous text; the cells of a row are parted by `CELL_BREAK`. Verbatim
    blocks keep their lines, but no blank ones.

    Terms, options, parameters and the heads of rows and columns are landmarks as headings are,
    since what stands behind or below them says of whom it speaks nowhere else.
    """

    _parts: list[str] = field(default_factory=list)
    _landmarks: list[Landmark] = field(default_factory=list)
    _path: list[tuple[int, str]] = field(default_factory=list)
    _length: int = 0
    _named: int = -1
    _returns: bool = False
    _columns: tuple[str, ...] = ()
    _below: int = -1
    _labelled: int = 0

    def heading(self, level: int, text: str) -> None:
        """Add a heading; its landmark names the headings above it too."""
        words = readable(text)
        if not words or len(words) > HEADING_LIMIT:
            self._append(words)
            return
        self._leave(level)
        self._path.append((level, words))
        self._mark(self._label())
        self._append(words)

    def term(self, text: str, depth: int = 0) -> None:
        """Add a term that definitions follow; terms in a row name what follows together.

        Args:
            text: a term, an option, a parameter, a signature.
            depth: lists of terms that it is nested in.
        """
        words = readable(text)
        level = _TERM + depth
        together = words
        if self._named == self._length and self._path and self._path[-1][0] == level:
            together = f"{self._path[-1][1]}, {words}"
        if not words or len(together) > HEADING_LIMIT:
            self._append(words)
            return
        self._leave(level)
        self._path.append((level, together))
        self._mark(self._label())
        self._append(words)
        self._named = self._length

    def end_terms(self, depth: int = 0) -> None:
        """End a list of terms: what follows belongs to the heading above it."""
        before = len(self._path)
        self._leave(_TERM + depth)
        self._returns = self._returns or len(self._path) < before

    def row(
        self, cells: Iterable[str], *, is_named: bool = True, names_columns: bool = True
    ) -> None:
        """Add the row of a table.

        Args:
            cells: their texts; empty ones are left out.
            is_named: whether the first cell, if it holds a word, names the row.
            names_columns: whether a row that is not named names the columns of those behind it.
        """
        every = [readable(cell) for cell in cells]
        words = [cell for cell in every if cell]
        columns = self._columns if self._below == self._length else ()
        start = self._next_offset()
        head = words[0] if is_named and len(words) > 1 else ""
        self._entry(head, CELL_BREAK.join(words))
        if not is_named:
            self._columns = tuple(every) if names_columns and _are_names(every) else ()
        elif len(every) == len(columns):
            self._name_cells(every, columns, start)
        else:
            self._columns = ()
        self._below = self._length

    def _name_cells(self, cells: list[str], columns: tuple[str, ...], start: int) -> None:
        """Name the cells of a row, but for the one that names it, by row and column."""
        first = next((cell for cell in cells if cell), "")
        row = first if _is_name(first) else ""
        above, at = self._label(), start
        for cell, column in zip(cells, columns, strict=True):
            if not cell:
                continue
            named = ", ".join(filter(None, (row, column)))
            if at > start and column and len(named) <= HEADING_LIMIT and self._labelled < _LABELLED:
                label = PATH_SEPARATOR.join(filter(None, (above, named)))
                self._landmarks.append(Landmark(offset=at, label=label))
                self._labelled += 1
                self._returns = True
            at += len(cell) + len(CELL_BREAK)

    def item(self, head: str, text: str) -> None:
        """Add a paragraph that opens with words set apart; they name it where it speaks of them."""
        if not head:
            self._append(readable(text))
            return
        name, words = readable(head), readable(text)
        behind = words.removeprefix(name)
        says = name.endswith(":") or _SAYS_OF.match(behind) is not None
        name = name.rstrip(" :")
        is_name = says and behind != words and name.lower() not in _REMARKS
        self._entry(name if is_name else "", words)

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

    def _entry(self, head: str, text: str) -> None:
        is_name = _is_name(head)
        if is_name:
            self._mark(PATH_SEPARATOR.join(filter(None, (self._label(), head))))
        self._append(text)
        self._returns = self._returns or is_name

    def _leave(self, level: int) -> None:
        self._path = [above for above in self._path if above[0] < level]

    def _label(self) -> str:
        return PATH_SEPARATOR.join(name for _, name in self._path)

    def _append(self, text: str) -> None:
        if text:
            if self._returns:
                self._mark(self._label())
            self._length = self._next_offset() + len(text)
            self._parts.append(text)

    def _mark(self, label: str) -> None:
        self._returns = False
        self._landmarks.append(Landmark(offset=self._next_offset(), label=label))

    def _next_offset(self) -> int:
        return self._length + len(PARAGRAPH_BREAK) if self._parts else 0


def _is_name(head: str) -> bool:
    return len(head) <= HEADING_LIMIT and any(map(str.isalpha, head))


def _are_names(cells: Iterable[str]) -> bool:
    """Whether a row names columns: it has words, and no figures but years."""
    said = [cell for cell in cells if cell]
    are_words = any(map(str.isalpha, "".join(said)))
    return are_words and not any(_FIGURE.match(cell) and not _YEAR.fullmatch(cell) for cell in said)


def readable(text: str) -> str:
    """Return prose without invisible characters, white space as single spaces."""
    return " ".join(_UNREADABLE.sub("", text).split())

"""Builds snapshots out of blocks, so that every loader's text reads the same way."""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from caveat.contracts.source import Landmark, Snapshot

PARAGRAPH_BREAK = "\n\n"
PATH_SEPARATOR = " › "
CELL_BREAK = "\t"
"""Stands between the cells of a row. It is white space, so that a quote of a row holds the words of
its source and nothing else, and it is in no other text, so that no sentence crosses a cell."""
HEADING_LIMIT = 200
"""Characters. A longer "heading" is prose in large type, and would fill every citation of it."""
_PART = 0  # the level of pages, slides and sheets, which hold headings
_TERM = 7
"""The level of a list's terms: below HTML's six headings. Lists in lists count on from here."""

_UNREADABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u200b\u2060\ufeff\ufffe\uffff\ud800-\udfff]"
)
"""Characters that people do not see and that break quotes: controls, soft hyphens, zero widths,
and lone surrogates, which UTF-8 cannot hold."""


_LISTING = re.compile(
    r"(?:[\dIVX]+\.?\s+)?(?:list of )?(?:references(?: cited| and notes)?|bibliography|works cited|"
    r"literature(?: cited)?|further reading|literatur(?:verzeichnis)?|quellen(?:verzeichnis)?|"
    r"bibliographie|r[ée]f[ée]rences|referencias|bibliografía|riferimenti|bibliografia|参考文献|"
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|table des matières|sommaire|índice|indice|"
    r"目次|目录)",
    re.IGNORECASE,
)
"""What stands above lists that say nothing of their own."""

_LABELLED = 50_000
"""Cells of a document that are named by their columns; those of a table of megabytes behind them
have the names of their rows, and are found by these."""

ROWS_LOOKED_AT = 20
"""Rows by which the names of columns are told from a table of words that has none."""

_YEAR = re.compile(r"(?:1[89]|20)\d\d(?!\d|[.,]\d)")  # "2024 (£ thousand)" as well
_FIGURE = re.compile(r"\W*\d")


@dataclass
class Composer:
    """Collects headings, terms, rows, pages, paragraphs and verbatim blocks in reading order.

    Paragraphs are separated by one blank line, and inside a paragraph white space is one space,
    so that a sentence is contiguous text; the cells of a row are parted by `CELL_BREAK`. Verbatim
    blocks keep their lines, but no blank ones.

    Terms, options, parameters and the heads of rows and columns are landmarks as headings are,
    since what stands behind or below them says of whom it speaks nowhere else. A landmark knows
    whether references or contents are listed behind it.
    """

    _parts: list[str] = field(default_factory=list)
    _landmarks: list[Landmark] = field(default_factory=list)
    _path: list[tuple[int, str]] = field(default_factory=list)
    _length: int = 0
    _named: int = -1
    _listed: int = -1
    _returns: bool = False
    _labelled: int = 0
    # where the last table ends, its first row, what stands above it
    _table: tuple[int, Sequence[Sequence[str]], Sequence[str]] = (0, (), ())
    is_listed: bool = False
    front: str = ""  # the first lines as they stand, where the text joins them
    # what of the document is not read, each completing a sentence that begins with its name
    losses: list[str] = field(default_factory=list)

    def add_heading(self, level: int, text: str) -> None:
        """Add a heading; its landmark names the headings above it too."""
        words = clean_text(text)
        self._add_head(level, words, words)

    def add_term(self, text: str, depth: int = 0) -> None:
        """Add a term that definitions follow; terms in a row name what follows together."""
        words, level = clean_text(text), _TERM + depth
        together = words
        if self._named == self._length and self._path and self._path[-1][0] == level:
            together = f"{self._path[-1][1]}, {words}"
        if self._add_head(level, words, together):
            self._named = self._length

    def begin_quote(self, writer: str, depth: int) -> None:
        """Note that the next blocks are quotes of somebody, in so many other ones."""
        self._leave(_TERM + depth)
        self._path.append((_TERM + depth, clean_text(writer)))
        self._returns = True

    def end_terms(self, depth: int = 0) -> None:
        """End a list of terms: what follows belongs to the heading above it."""
        before = len(self._path)
        self._leave(_TERM + depth)
        self._returns = self._returns or len(self._path) < before

    def add_table(
        self,
        rows: Iterable[Sequence[str]],
        heads: int = 0,
        letters: Sequence[str] = (),
        numbers: Sequence[int] = (),
    ) -> None:
        """Add a table, a line a row; cells are named by their row and column.

        Args:
            heads: rows that name the columns; the first one does too where it names figures below.
            letters: what a sheet calls its columns, as the B of `B3`.
            numbers: what it calls its rows.
        """
        rest = iter(rows)
        looked_at = list(itertools.islice(rest, max(heads, ROWS_LOOKED_AT)))
        while _is_title(looked_at):
            self._append(clean_text("".join(_show_cells(looked_at.pop(0)))))
            heads, numbers = max(0, heads - 1), numbers[1:]
        behind = {1, 1 + any(map(_is_open, looked_at[:1]))}
        heads = heads or any(has_names([*looked_at[:1], *looked_at[place:]]) for place in behind)
        # What a name has beneath it that spans several columns are their own names, and what
        # stands beneath the names and in no row.
        while (
            heads
            and has_names(looked_at[heads:])
            and (_is_open(looked_at[heads - 1]) or not _show_cells(looked_at[heads])[0].strip())
        ):
            heads += 1
        if self._length != self._table[0] or looked_at[:1] != self._table[1]:
            self._table = 0, looked_at[:1], self._list_captions(looked_at)
        captions = self._table[2]  # of a table that goes on behind its head, on another page
        names: tuple[str, ...] = ()
        around: list[tuple[_Depth, str]] = []
        for number, row in enumerate(itertools.chain(looked_at, rest)):
            if not any(row) or _RULE.fullmatch("".join(row)):
                continue
            every = [cell if isinstance(cell, Covered) else clean_text(cell) for cell in row]
            start = self._compute_next_offset()
            # An empty cell stays: behind it each stands under its column.
            shown = _show_cells(every)
            words = [cell for cell in shown if cell]
            is_value = not shown[0] and not any(map(_is_name, words))  # and no title
            is_row = number < heads or len(words) > 1 or is_value
            line = CELL_BREAK.join(shown if is_row else words).rstrip(CELL_BREAK)
            if number < heads:
                self._append(line)
                every = _fill_names(every, looked_at[number + 1]) if number + 1 < heads else every
                names = _merge_names(names, every) if number else tuple(every)
                continue
            depth, own = _measure_depth(row), _name_row(every, names)
            around = [
                each for each in around if each[0] < depth and (own[:1].isalpha() or not depth[0])
            ]
            around += [(depth, own)] if own else []
            head = ", ".join(name for _, name in around)
            self._add_entry(head if is_row else "", line, captions)
            if len(every) == len(names) and is_row:
                above = self._label()
                places = (f"{above}!{at}{numbers[number]}" for at in letters[: len(names)])
                labels = [place.lstrip("!") for place in places] or [above] * len(names)
                under = [PATH_SEPARATOR.join(filter(None, (each, *captions))) for each in labels]
                self._name_cells(shown, names, head, start, under)
        self._table = self._length, *self._table[1:]

    def _list_captions(self, rows: Sequence[Sequence[str]]) -> Sequence[str]:
        """List what says of a table what it is, or in what it counts: above it, or in its corner.

        That is the line right above it with that of its number, or above a unit; and a sentence.
        """
        # A process that reads documents begins without what knows units.
        from caveat.quantities.support import find_scale, is_unit_note  # noqa: PLC0415  # slow to load
        from caveat.rules.text.sentences import split_sentences  # noqa: PLC0415  # slow to load

        known = {name for _, name in self._path}
        near = reversed(self._parts[-_ABOVE:] if self._listed != self._length else [])
        blocks = [
            *itertools.takewhile(lambda each: len(each) < _REMARK and CELL_BREAK not in each, near)
        ]
        # A line with its sort, as "Source: ...", that stands under a table speaks of that one.
        is_below = CELL_BREAK in "".join(self._parts[-len(blocks) - 1 :][:1])
        while is_below and blocks and _SORTED.match(blocks[-1]) and not is_unit_note(blocks[-1]):
            blocks.pop()
        captions = [*itertools.takewhile(_is_line, blocks[:2])]
        if captions[1:] and not (is_unit_note(captions[0]) or _NUMBERED.match(captions[1])):
            captions.pop()
        corners = [cell for row in rows[:1] for cell in row[:1]]
        corner = [cell for cell in corners if find_scale(cell)]
        spans = ((each, at) for each in blocks if each not in known for at in split_sentences(each))
        is_noted = any(map(is_unit_note, captions))
        sentences = (block[slice(*at)].strip(" .\n") for block, at in spans if not is_noted)
        notes = (each for each in (*corner, *sentences) if len(each) < _NOTE)
        captions = [*reversed(captions), *itertools.islice(filter(is_unit_note, notes), 1)]
        return [each for each in dict.fromkeys(captions) if each not in known]

    def _name_cells(
        self, cells: Sequence[str], names: Sequence[str], row: str, at: int, labels: Sequence[str]
    ) -> None:
        """Name the cells of a row, but for the one that names it, by row and column."""
        is_first = True
        for cell, column, above in zip(cells, names, labels, strict=True):
            named = ", ".join(filter(None, (row, column)))
            is_named = bool(cell and column) and len(named) <= HEADING_LIMIT
            names_row = is_first and row.endswith(cell)
            if is_named and not names_row and self._labelled < _LABELLED:
                self._place(at, PATH_SEPARATOR.join(filter(None, (above, named))))
                self._labelled += 1
                self._returns = True
            is_first = is_first and not cell
            at += len(cell) + len(CELL_BREAK)

    def add_paragraph(self, text: str, number: str | None = None, name: str = "") -> None:
        """Add prose, an item of a list with its number or "", or what stands beside by its name."""
        shown = f"{number} " if number else ""
        self._add_entry(name, shown + clean_text(text))
        if number is not None:
            self._listed = self._length

    def add_fields(self, fields: Mapping[str, str]) -> None:
        """Add what a document says of itself, and what is no metadata that Caveat knows."""
        for name, value in fields.items():
            self.add_paragraph(f"{name}: {value}", name=name)

    def begin_page(self, label: str) -> None:
        """Note that the next block begins a page, under the headings of the one before it."""
        self._path = [(_PART, label), *(head for head in self._path if head[0] != _PART)]
        self._mark(self._label())

    def leave_headings(self) -> None:
        """Note that the next block stands under none of the headings before it."""
        self._returns = self._returns or bool(self._path)
        self._path.clear()

    def mark_listing(self, *, begins: bool) -> None:
        """Note that a list of references or a table of contents begins or ends with the next."""
        if begins != self.is_listed:
            self.is_listed = begins
            self._returns = True

    def add_verbatim(self, text: str) -> None:
        """Add lines as they are: code, screens, figures in columns."""
        lines = (_UNREADABLE.sub("", line).rstrip() for line in text.expandtabs(4).splitlines())
        self._append("\n".join(line for line in lines if line))

    def continue_paragraph(self, text: str, label: str, *, divided: bool) -> None:
        """Go on with the last paragraph on a new page; a divided word gets no space."""
        joint = "" if divided else " "
        offset = self._length + len(joint)
        self._path = [(_PART, label), *(head for head in self._path if head[0] != _PART)]
        self._place(offset, self._label())
        words = clean_text(text)
        self._parts[-1] += joint + words
        self._length = offset + len(words)

    def finish(self) -> Snapshot:
        """Return what was collected; the text is empty when nothing was readable."""
        text = PARAGRAPH_BREAK.join(self._parts)
        marks = {mark.offset: mark for mark in self._landmarks if mark.offset < len(text)}
        return Snapshot(text=text, landmarks=tuple(marks.values()))

    def _add_head(self, level: int, words: str, name: str) -> bool:
        """Add what names the blocks behind it; what is too long for a name is prose."""
        is_name = bool(words) and len(name) <= HEADING_LIMIT
        if is_name:
            self._leave(level)
            self._path.append((level, name))
            self._mark(self._label())
        self._append(words)
        return is_name

    def _add_entry(self, head: str, text: str, above: Sequence[str] = ()) -> None:
        is_name = bool(head) and _is_name(head)
        if is_name:
            self._mark(PATH_SEPARATOR.join(filter(None, (self._label(), *above, head))))
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
            self._length = self._compute_next_offset() + len(text)
            self._parts.append(text)

    def _mark(self, label: str) -> None:
        self._returns = False
        self._place(self._compute_next_offset(), label)

    def _place(self, offset: int, label: str) -> None:
        is_listing = self.is_listed or any(heads_listing(name) for _, name in self._path)
        self._landmarks.append(Landmark(offset=offset, label=label, is_listing=is_listing))

    def _compute_next_offset(self) -> int:
        return self._length + len(PARAGRAPH_BREAK) if self._parts else 0


def format_inset(depth: int) -> str:
    """Write how far a row is set in, as spaces before its first cell."""
    return "\u2003" * min(depth, 100)


class Covered(str):
    """The text of a cell that spans into this place too, where it is not said again."""

    __slots__ = ()


def heads_listing(heading: str) -> bool:
    """Whether a heading stands above references or contents."""
    return _LISTING.fullmatch(heading) is not None


def _is_name(head: str) -> bool:
    return len(head) <= HEADING_LIMIT and any(map(str.isalpha, head))


def has_names(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names columns: by words or years, unlike the figures below."""
    names = [clean_text(cell) for cell in rows[0]] if rows else []
    have_words = any(map(str.isalpha, "".join(names)))
    if not have_words and not ("" in names[:1] and all(map(_YEAR.match, names[1:]))):
        return False
    columns = [*zip(*(row for row in rows[1:] if len(row) == len(names)), strict=False)]
    for name, cells in itertools.zip_longest(names, columns, fillvalue=()):
        words = set(_WORD.findall(str(name)))  # "1. Quartal" above figures, and no "30 metres"
        is_own = words.isdisjoint(word for cell in cells for word in _WORD.findall(cell))
        if _FIGURE.match(str(name)) and not _YEAR.match(str(name)) and not (words and is_own):
            return False
    return any(_is_of_figures(column) for column in columns)


_WORD = re.compile(r"[^\W\d_]{3,}")


def _is_of_figures(cells: Iterable[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return sum(any(map(str.isdigit, cell)) for cell in filled) * 2 > len(filled)


_REMARK, _ABOVE = 300, 4  # characters of a block that may speak of a table, and how many above it
_NOTE = 100  # characters of a sentence that says in what it counts
_NUMBERED = re.compile(r"[^\W\d]+\s(?:\S\S?\s)?\d+\S*?[.:–]\s")  # "Table 1. Costs."
_SORTED = re.compile(r"\W*[^\W\d]+\s?:\s")
_RULE = re.compile(r"\W*(?:-{3}|={3}|_{3})[\W_]*")  # drawn of signs
_Depth = tuple[int, int]


def _is_line(block: str) -> bool:
    """Whether a block is words that are no sentence."""
    is_whole = block[-1] in ".!?" and not _NUMBERED.match(block)
    return _is_name(block) and not is_whole and not block.startswith(("{", "[", "<"))


def _show_cells(cells: Iterable[str]) -> list[str]:
    return ["" if isinstance(cell, Covered) else cell for cell in cells]


def _is_title(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is a line above a table: it has one cell."""
    cells = _show_cells(map(str.strip, rows[0])) if len(rows) > 1 else []
    return sum(map(bool, cells)) == 1 and (len(cells) > _PAIR or bool(cells[0]))


_PAIR = 2  # cells of a row of which an empty first one heads the names of the others


def _is_open(row: Sequence[str]) -> bool:
    """Whether a cell heads the columns behind it as well: it spans them, or they are empty."""
    pairs = itertools.pairwise(row[1:])
    spans = any(isinstance(cell, Covered) for cell in row)
    return spans or any(one.strip() and not two.strip() for one, two in pairs)


def _fill_names(cells: Sequence[str], below: Sequence[str]) -> list[str]:
    """Have a name of columns span the empty cells behind it; the first has names below it then."""
    filled = list(cells)
    for place in range(1 if "".join(_show_cells(below[:1])) else _PAIR, len(filled)):
        filled[place] = filled[place] or Covered(filled[place - 1])
    return filled


def _measure_depth(cells: Sequence[str]) -> _Depth:
    """Measure how far a row is set in: by empty cells, and by white space."""
    place = next((place for place, cell in enumerate(cells) if cell.strip()), 0)
    cell = cells[place] if cells else ""
    return place, len(cell) - len(cell.lstrip())


def _merge_names(above: Sequence[str], below: Sequence[str]) -> tuple[str, ...]:
    """Put two rows of names together; a cell that spans both, or nothing, is not said twice."""
    if len(above) != len(below):
        return tuple(below)
    pairs = zip(above, below, strict=True)
    return tuple(
        one if two in {"", one} else ", ".join(filter(None, (one, two))) for one, two in pairs
    )


def _name_row(cells: Sequence[str], names: Sequence[str]) -> str:
    """Name a row by its first cell, a number with its column, and by those that span into it."""
    first = next((place for place, c in enumerate(cells) if c and not isinstance(c, Covered)), 0)
    spanned = [cell for cell in cells[:first] if cell]
    head = cells[first] if _is_name(cells[first]) else ""
    if not head and not first and len(names) == len(cells) and names[0]:
        head = f"{names[0]} {cells[0]}"
    return ", ".join(filter(None, (*spanned, head)))


def name_comment(author: str | None) -> str:
    return f"comment by {author}" if author else "comment"


def clean_text(text: str) -> str:
    """Return prose without invisible characters, white space as single spaces.

    The space between the groups of one number stays as it is: a plain one may divide two numbers.
    """
    line = text.replace("\n", " ")
    if "  " not in line and line.isprintable():  # of white space, only single spaces are
        return line.strip()
    plain = line if line.isprintable() else _UNREADABLE.sub("", line)
    if plain.isprintable() or not (grouped := _GROUPED.findall(plain)):
        return " ".join(plain.split())
    words = " ".join(_GROUPED.sub("\ue000", plain).split())
    return re.sub("\ue000", lambda _: grouped.pop(0), words)


_GROUPED = re.compile(r"[\u00a0\u2007\u2009\u202f](?<=\d.)(?=\d{3}(?!\d))")


SUPERSCRIPT, SUBSCRIPT = ("\x11", "\x12"), ("\x13", "\x14")
"""What loaders put around raised and lowered characters."""
_SCRIPT = re.compile("(?:(?<=\\d)[ \xa0])?([\x11\x13])([^\x11-\x14]*)[\x12\x14]")
_FRACTION = re.compile("(\\d?)\x11(\\d+)\x12([/⁄])\x13(\\d+)\x14")
_PLAIN = re.compile(
    r"(?:st|nd|rd|th|er|re|e|ère|ème|o|a|os|as|º|ª|me|lle|tm|sm|[^\w\s]+)?", re.IGNORECASE
)
"""What is raised in ordinals, abbreviations and marks, where no value changes without a sign."""
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")


def format_scripts(text: str) -> str:
    """Write raised characters as 10^5 and lowered ones as H₂O, so that no digits run together."""
    if "\x11" not in text and "\x13" not in text:
        return text
    text = _FRACTION.sub(lambda m: f"{m[1]} {m[2]}{m[3]}{m[4]}".strip(), text)
    for _ in range(3):  # as deep as a power has powers
        text = _SCRIPT.sub(_format_script, text)
    return text


def _format_script(script: re.Match[str]) -> str:
    words = script[2].strip()
    if script[1] == SUBSCRIPT[0]:
        lowered = words.translate(_LOWERED)
        return lowered if not set(lowered) & set(words) else f"_{parenthesise(words)}"
    return words if _PLAIN.fullmatch(words) else f"^{parenthesise(words)}"


def parenthesise(words: str) -> str:
    return words if re.fullmatch(r"[-+−–]?[\w.,′']+", words) else f"({words})"

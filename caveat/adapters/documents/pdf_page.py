"""One page of a PDF: its text in reading order, fields and comments, or why it gives nothing."""

import ctypes
import math
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, pairwise, starmap
from typing import Any, NamedTuple

from pypdfium2 import PdfDocument, PdfiumError, PdfPage, PdfTextPage, raw

from caveat.adapters.documents.composer import SUBSCRIPT, SUPERSCRIPT, format_scripts, name_comment
from caveat.adapters.documents.html import is_note
from caveat.adapters.documents.pdf_front import FrontLine
from caveat.adapters.documents.pdf_tables import (
    Box,
    FoundTable,
    Grid,
    Row,
    Segment,
    find_aligned_tables,
    find_grids,
    group_lines,
    join_boxes,
    order,
)
from caveat.adapters.documents.spelling import LIGATURES, NAMELESS, restore_ligatures
from caveat.rules.lines import collapse_spaces

MARK = "\ufffe"  # PDFium writes this for a hyphen at a line end, and leaves the line end out

_TEX = str.maketrans(
    {**LIGATURES, 0x19: "ß", 0x1A: "æ", 0x1B: "œ", 0x1C: "ø", 0x1D: "Æ", 0x1E: "Œ", 0x1F: "Ø"}
)
"""TeX's own codes, which old documents show by fonts that do not say what they mean."""
_LINE_END, _RETURN = re.compile(r"\r(?:\n|\Z)"), re.compile(r"\r(?=[ \t\r])")
"""What fonts of offices say that a space means; no word ends in fl."""
_RESERVED = str.maketrans(dict.fromkeys(range(0x11, 0x15), " "))

_SPACE_CODE = 0x20
_CONTROLS = frozenset({0, 2, 9, 10, 13})  # of white space, and PDFium's own for a hyphen
_UNNAMED = "signs that their fonts map to no text, shown as \ufffd"
_RESTORED = "ligatures that their fonts do not name, read as the words that they make"

_WITH_DIGIT = re.compile(r"(?<!\S)[^\s\d]*+\d\S*")
_SLASHES = ("/", "⁄")
_JOINT = re.compile(r"(?:\r\n| )?\Z")
_BREAK = "\r\n"  # what PDFium puts between a character and one beside it that is raised far enough
_SMALLER, _HIGHER, _LOWER, _HALF, _FLAT = 0.85, 0.2, 0.05, 0.5, 0.28
"""How tall a raised or lowered character is at most, and how far it stands from the line, of the
height of the one before it."""

_GAP, _SPACE = 0.9, 0.34
"""Of the height of a line: the least space between columns, and the space between words."""
_ROWS = 3
_WORDS = 3.5
"""Lines beside each other, and words of each, from which columns of prose are told from tables."""

_APART, _MARGIN = 1.2, 0.1
"""Lines between a running title and the text, and the share of a page in which it stands."""
_FRONT = 400  # stretches of the first page in which title and authors stand
_WOVEN = "columns that cannot be told apart"
_UNRELIABLE = "a table whose rows cannot be told, so that its cells stand line by line"
SCAN = "a picture, perhaps a scan, whose text is not read"
_NUMBER = re.compile(r"[-–.\s\divxlcdm]*", re.IGNORECASE)
_FEW = 100
_COVERED = 0.5
"""Characters beside a picture, and the share of the page that it covers, if it is a scan."""

UNMAPPED = "a text layer that is no text, for its fonts do not say what their signs mean"
_DOUBTFUL = "a few words whose fonts do not say what their signs mean, so that they may be others"
_RARE, _FEW_SIGNS = 0.2, 20
"""The share of signs without a meaning that a page of text has, and what says nothing of itself."""

_MARKS = re.compile(r"[\d,*†‡§¶∗⋆♯?\ufffd]{1,5}")
"""What refers a title or a name to a note or an institute."""

_LETTER = re.compile(r"[^\W\d_]")
_ACCENTS = {
    "`": "\u0300", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304", "˘": "\u0306",
    "˙": "\u0307", "¨": "\u0308", "˚": "\u030a", "˝": "\u030b", "ˇ": "\u030c", "¸": "\u0327",
}  # fmt: skip

_COMMENTS = {
    raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_HIGHLIGHT,
    raw.FPDF_ANNOT_UNDERLINE, raw.FPDF_ANNOT_SQUIGGLY, raw.FPDF_ANNOT_STRIKEOUT,
    raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_CARET,
    raw.FPDF_ANNOT_SQUARE, raw.FPDF_ANNOT_CIRCLE, raw.FPDF_ANNOT_LINE, raw.FPDF_ANNOT_INK,
}  # fmt: skip
_FILLED_IN = {
    raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX,
}  # fmt: skip
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}


@dataclass(frozen=True)
class Page:
    """What one page gives."""

    label: str
    # its lines and rows of tables; `MARK` stands at the end of a line that divides a word
    lines: Sequence[str | Row] = ()
    # comments and fields without a label, each under what it is
    asides: tuple[tuple[str, str], ...] = ()
    pictures: tuple[str, ...] = ()  # what they are said to show
    loss: str = ""  # what it does not give, or why it gives nothing
    # whether its first and its last line stand apart in its margins, as running titles do
    margins: tuple[bool, bool] = (False, False)
    drawn: str = ""  # its characters in the order in which they were drawn

    @property
    def text(self) -> str:
        return "\n".join(each if isinstance(each, str) else " ".join(each) for each in self.lines)


def read_page(document: PdfDocument, number: int) -> Page:
    """Read one page; they count from 0."""
    label = name_page(document, number)
    with closing(document[number]) as page, closing(page.get_textpage()) as characters:
        letters = _Characters(characters)
        grids = find_grids(page)
        letters.join_boxes(grids)
        asides = []
        for about, text, box in _read_annotations(document, page):
            if box is None or not letters.fill_in(box, text):
                asides.append((about, text))
        letters.mark_scripts()
        pieces, loss = letters.arrange(grids)
        rows = list[str | Row]()
        for piece in pieces:
            rows += split_lines(piece) if isinstance(piece, str) else piece
        loss = "; ".join(filter(None, (letters.loss, loss)))
        margins = letters.find_margins(page.get_height(), label)
        shown = tuple(_list_pictures(page))
        read = Page(label, rows, tuple(asides), shown, loss, margins, letters.drawn)
        missing = _explain_missing_text(page, read.text) if len(read.text) < _FEW else ""
        return replace(read, loss=loss or missing)


def split_lines(text: str) -> list[str]:
    return list(filter(None, map(str.strip, text.replace(MARK, f"{MARK}\n").split("\n"))))


def read_front(document: PdfDocument) -> list[FrontLine]:
    """Read the lines of the first page with the size of their letters."""
    with suppress(PdfiumError), closing(document[0]) as page, closing(page.get_textpage()) as text:
        characters = _Characters(text)
        return characters.list_lines(page.get_height())
    return []


def name_page(document: PdfDocument, number: int) -> str:
    """Cite a page as it is printed, and where it is beside it."""
    place, printed = number + 1, document.get_page_label(number).strip()
    if printed in {"", str(place)}:
        return f"p. {place}"
    ending = "th" if place % 100 in {11, 12, 13} else _ORDINALS.get(place % 10, "th")
    return f"p. {printed} ({place}{ending} of {len(document)})"


def _is_apart(one: Box, two: Box) -> bool:
    """Whether two stretches of text stand on one line with a gap between them."""
    return one.is_beside(two) and two.left - one.right > _GAP * one.height


def _explain_missing_text(page: PdfPage, text: str) -> str:
    """Say why a page has hardly any text."""
    width, height = page.get_size()
    pictures = [obj.get_bounds() for obj in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE])]
    areas = [(right - left) * (top - bottom) for left, bottom, right, top in pictures]
    is_bare = _NUMBER.fullmatch(text) is not None  # but for the number of the page
    if pictures and (is_bare or max(areas) > _COVERED * width * height):
        return SCAN
    if not is_bare:
        return ""
    if any(True for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_FORM])):
        return "a drawing without text"
    return "" if text.strip() else "blank, or damaged"


class _Characters:
    """The characters of a page, by their place in its text."""

    def __init__(self, page: PdfTextPage) -> None:
        self._page = page
        self._text = str(page.get_text_range(errors="replace")).translate(_RESERVED)
        self._text = _RETURN.sub(" ", self._text)
        self._edits: list[tuple[int, str]] = []
        self._long = [place for place, sign in enumerate(self._text) if sign > "\uffff"]
        self._boxes = [Box(*page.get_rect(place)) for place in range(page.count_rects())]
        self.loss = self._mark_unmapped()
        self._compose_accents()
        self.drawn = self._read_stretch(0, len(self._text))

    def _compose_accents(self) -> None:
        """Put accents, which TeX draws by themselves, onto the letters that they stand over."""
        signs = list(self._text)
        for match in re.finditer(f" ?([{''.join(_ACCENTS)}]) ?", self._text):
            start, stop = match.span()
            here = self._measure_character(match.start(1))
            letter = here and self._find((here.left + here.right) / 2, here.line + here.height / 8)
            if letter is None:
                continue
            bare = {"ı": "i", "ȷ": "j"}.get(signs[letter], signs[letter])
            whole = unicodedata.normalize("NFC", f"{bare}{_ACCENTS[match[1]]}")
            if bare.isalpha() and len(whole) == 1:
                signs[letter] = whole
                before, after = map(self._measure_character, (max(0, start - 1), stop))
                is_torn = (
                    before and after and abs(after.left - before.right) < _SPACE / 4 * after.height
                )
                self._drop(*(match.span() if is_torn else match.span(1)))
        self._text = "".join(signs)

    def _mark_unmapped(self) -> str:
        """Show as U+FFFD what a font does not say, as brackets and sums of TeX and arrows."""
        count = self._page.count_chars()
        unknown = [
            at for at in range(count) if raw.FPDFText_HasUnicodeMapError(self._page, at) == 1
        ]
        if len(unknown) > _RARE * count:  # a font of TeX may show each letter by its own code
            if count < _FEW_SIGNS:
                return UNMAPPED
            return _DOUBTFUL if count < _FEW else ""  # of more, their vowels tell
        hyphens = [m.start() for m in re.finditer(MARK, self._text)]
        units = [raw.FPDFText_GetTextIndexFromCharIndex(self._page, at) for at in unknown]
        places = [self._convert_to_point(unit) for unit in units if unit >= 0]
        signs = list(self._text)
        false = [at for at in places if ord(signs[at]) not in _TEX and signs[at] < "\ue000"]
        false += filter(self._is_nameless, hyphens)
        for place in false:
            signs[place] = NAMELESS
        marked = "".join(signs)
        self._text = restore_ligatures(marked)
        is_whole = count == len(self._text) + len(self._long)
        swallowed = [] if is_whole else [at for at in range(count) if self._is_swallowed(at)]
        for at in swallowed:
            unit = raw.FPDFText_GetTextIndexFromCharIndex(self._page, at + 1)
            self._edits.append((self._convert_to_point(unit), NAMELESS))
        losses = [_RESTORED] if self._text != marked else []
        if swallowed or any(self._text[place] == NAMELESS for place in false):
            losses.append(_UNNAMED)
        return "; ".join(losses)

    def _is_nameless(self, place: int) -> bool:
        """Whether what PDFium shows as a hyphen at a line end is drawn and has no name."""
        at = raw.FPDFText_GetCharIndexFromTextIndex(self._page, self._convert_to_unit(place))
        return not raw.FPDFText_GetUnicode(self._page, at)

    def _is_swallowed(self, at: int) -> bool:
        """Whether a character is a control that PDFium leaves out, though it is drawn."""
        code = raw.FPDFText_GetUnicode(self._page, at)
        return (
            code < _SPACE_CODE
            and code not in _CONTROLS
            and raw.FPDFText_GetTextIndexFromCharIndex(self._page, at) < 0
            and raw.FPDFText_GetTextIndexFromCharIndex(self._page, at + 1) >= 0
        )

    def join_boxes(self, grids: list[Grid]) -> None:
        self._boxes = join_boxes(self._boxes, grids)

    def fill_in(self, box: Box, text: str) -> bool:
        """Put a field's value behind the words on its left; False where there are none."""
        left = [each for each in self._boxes if each.is_beside(box) and each.right < box.left + 3]
        label = max(left, key=lambda each: each.right, default=None)
        place = self._place(label, at_end=True) if label else None
        if place is not None:
            self._edits.append((place, f" {text}"))
        return place is not None

    def mark_scripts(self) -> None:
        """Mark what stands above or below the line beside a figure; drop numbers of footnotes."""
        for token in _WITH_DIGIT.finditer(self._text):
            start, stop = token.span()
            joint = _JOINT.search(self._text[max(0, start - 2) : start])
            before = start - len(joint[0] if joint else "") - 1
            base = self._measure_character(before) if before >= 0 else None
            first = self._measure_character(start)
            if base and first and abs(first.left - base.right) > _SPACE * base.height:
                base = None  # the box of a form beside its line, or another column
            shifts: list[str] = []
            bars: list[int] = []  # before a figure below another one: a fraction has one
            for place in range(start, stop):
                here = self._measure_character(place)
                goes_on = self._text[place - 1 : place] in _SLASHES or shifts[-1:] == ["sub"]
                shifts.append(_shift(base, here, below=goes_on) if base and here else "")
                are_digits = self._text[place - 1 : place + 1].isdigit()
                bars += [place] if base and here and are_digits and here.is_below(base) else []
                base = base if shifts[-1] else here or base
            if len(bars) == 1:  # which PDFium runs together; figures that stand upright have more
                self._edits.append((bars[0], "/"))
            if base is not None and any(shifts):
                self._mark(start, shifts, base)

    def _mark(self, start: int, shifts: list[str], base: "_Stand") -> None:
        for shift, run in groupby(range(len(shifts)), key=lambda place: shifts[place]):
            places = [start + place for place in run]
            first, last = places[0], places[-1] + 1
            if shift == "sup" and is_note(self._text[first:last], self._text[:first]):
                self._drop(first, last)
            elif shift:
                before, behind = SUPERSCRIPT if shift == "sup" else SUBSCRIPT
                self._edits += [(first, before), (last, behind)]
            if shift and first == start and self._text[first - 2 : first] == _BREAK:
                self._drop(first - 2, first)
            after = last + len(_BREAK)
            if shift and self._text[last:after] == _BREAK:
                following = self._measure_character(
                    after + self._text[after : after + 1].count(" ")
                )
                if following and abs(following.line - base.line) < _HIGHER * base.height:
                    self._drop(last, after)

    def _drop(self, start: int, stop: int) -> None:
        self._edits += [(place, "") for place in range(start, stop)]

    def find_margins(self, height: float, label: str) -> tuple[bool, bool]:
        """Say whether the first and last line stand apart as running titles with the page do."""
        rows = group_lines(self._boxes, lambda box: box)
        if len(rows) < _ROWS:
            return False, False
        sizes = sorted(filter(None, map(self._measure_type, (row[0] for row in rows[:40]))))
        usual = sizes[len(sizes) // 2] if sizes else 0.0
        numbers = re.findall(r"\w+", label)

        def is_apart(row: list[Box], following: list[Box], depth: float) -> bool:
            gap = max(row[0].bottom - following[0].top, following[0].bottom - row[0].top)
            # Fonts of one size differ by so much.
            is_small = self._measure_type(row[0]) <= 1.09 * usual
            if not is_small or gap < _APART * usual or depth > _MARGIN * height:
                return False
            words = re.findall(r"\w+", self._page.get_text_bounded(*row[0]))
            return len(row) > 1 or any(number in words for number in numbers)

        return (
            is_apart(rows[0], rows[1], height - rows[0][0].bottom),
            is_apart(rows[-1], rows[-2], rows[-1][0].top),
        )

    def list_lines(self, height: float) -> list[FrontLine]:
        """Return the lines as they were drawn, each in the size of its first letters."""
        for space in re.finditer(rf"(?<=[^\s{''.join(_ACCENTS)}])\s+(?=\S)", self._text):
            left, right = map(self._measure_character, (space.start() - 1, space.end()))
            if left and right and abs(right.line - left.line) < _HIGHER * left.height:
                is_wide = right.left - left.right > 2 * _SPACE * left.height
                self._edits += [(space.start(), "\t")] if is_wide else []  # between two names
        lines: list[FrontLine] = []
        before: Box | None = None
        placed = [(self._place(box), box) for box in self._boxes[:_FRONT]]
        stretches = sorted((start, box) for start, box in placed if start is not None)
        stops = [*(start for start, _ in stretches[1:]), len(self._text)]
        for (start, box), stop in zip(stretches, stops, strict=False):
            shown = self._read_stretch(start, stop).replace("\n", " ").replace(MARK, "-")
            letter = _LETTER.search(self._text, start, stop)
            at = letter.start() if letter else start
            size = self._measure_letter(at, box)
            if size is None:
                continue
            # A raised number of an institute is of the line as well.
            is_next = before is not None and (
                before.bottom < box.top and box.bottom < before.top and box.left >= before.right - 3
            )
            if lines and (is_next or not shown.strip()):
                line = lines[-1]
                if _MARKS.fullmatch(shown.strip()) and size < _SMALLER * line.size:
                    shown = f"^{shown}"
                size = line.size if len(line.text) >= len(shown) else size
                lines[-1] = line._replace(text=f"{line.text}{shown}", size=size)
            elif shown.strip():
                lines.append(FrontLine(shown, size, box.bottom / height))
            before = box if shown.strip() else before
        # A tab stands between what is far apart.
        pieces = [map(collapse_spaces, line.text.split("\t")) for line in lines]
        return [line._replace(text="\t".join(p)) for line, p in zip(lines, pieces, strict=True)]

    def _measure_type(self, box: Box) -> float:
        """Return the height of the type of a line; 0 where nothing can be said of it."""
        place = self._place(box)
        stand = self._measure_character(place) if place is not None else None
        return stand.height if stand else 0.0

    def _measure_letter(self, place: int, box: Box) -> float | None:
        """Return the size of the type of a line as its page scales it; None of one on its side."""
        at = raw.FPDFText_GetCharIndexFromTextIndex(self._page, self._convert_to_unit(place))
        matrix = raw.FS_MATRIX()
        raw.FPDFText_GetMatrix(self._page, at, matrix)
        if abs(matrix.b) > abs(matrix.a):
            return None
        size = float(raw.FPDFText_GetFontSize(self._page, at)) * math.hypot(matrix.c, matrix.d)
        # Fonts of bitmaps have sizes of their own.
        return size if size >= 1 else self._measure_type(box)

    def arrange(self, grids: list[Grid]) -> tuple[list[str | list[Row]], str]:
        """Put columns and tables in reading order; all is as it was drawn where there are none.

        Returns:
            text and tables, and what is wrong with it.
        """
        whole: list[str | list[Row]] = [self._read_stretch(0, len(self._text))]
        gutters = self._find_gutters()
        is_loose = sum(starmap(_is_apart, pairwise(self._boxes))) >= _ROWS
        upright = sum(box.height > box.right - box.left for box in self._boxes)
        is_turned = 2 * upright > len(self._boxes)  # then what is beside stands below
        if is_turned or (not gutters and not grids and not is_loose):
            return whole, ""
        segments = self._list_segments()
        if segments is None or gutters is None:
            return whole, _WOVEN if gutters != [] else ""
        held: dict[Segment, FoundTable] = {}  # what is in a table is not text as well
        for grid in grids:
            inside = [each for each in segments if each not in held and grid.holds(each.box)]
            if (ruled := grid.sort(inside)) is not None:
                held |= dict.fromkeys(inside, ruled)
        free = [each for each in segments if each not in held]
        for table in find_aligned_tables(free) if not gutters else ():
            held |= dict.fromkeys(table.segments, table)
        loss = _UNRELIABLE if any(not table.is_reliable for table in held.values()) else ""
        pieces = [
            piece.fill(lambda cell: collapse_spaces(self._join(cell)))
            if isinstance(piece, FoundTable)
            else self._join(piece)
            for piece in order(segments, held, gutters)
        ]
        return pieces, loss

    def _join(self, segments: list[Segment]) -> str:
        """Return the text of stretches in their order, those that touch as one."""
        pieces: list[str] = []
        start, stop = segments[0].start, segments[0].start
        for each in segments:
            if each.start != stop:
                pieces.append(self._read_stretch(start, stop))
                start = each.start
            stop = each.stop
        pieces.append(self._read_stretch(start, stop))
        return "\n".join(piece.strip("\n") for piece in pieces)

    def _read_stretch(self, start: int, stop: int) -> str:
        """Return a stretch of the text with what is marked, dropped and put into it."""
        self._edits.sort(key=lambda edit: edit[0])
        first = bisect_left(self._edits, start, key=lambda edit: edit[0])
        pieces, at = list[str](), start
        for place, text in self._edits[first:]:
            if place > stop:
                break
            if text and place == start > 0:  # of the stretch before
                continue
            pieces += self._text[at:place], text
            at = place + (not text)
        pieces.append(self._text[at:stop])
        return _LINE_END.sub("\n", format_scripts("".join(pieces))).translate(_TEX)

    def _list_segments(self) -> list[Segment] | None:
        """Return the stretches of text that stand together, in the order of the text."""
        starts = [self._place(box) for box in self._boxes]
        if None in starts or not starts:
            return None
        placed = sorted((start or 0, box) for start, box in zip(starts, self._boxes, strict=True))
        stops = [start for start, _ in placed[1:]] + [len(self._text)]
        return [
            Segment(start if number else 0, stop, box, self._text[start:stop])
            for number, ((start, box), stop) in enumerate(zip(placed, stops, strict=True))
        ]

    def _find_gutters(self) -> list[float] | None:
        """Find the spaces between columns of prose drawn line by line; None where they cross."""
        pairs = [(one, two) for one, two in pairwise(self._boxes) if _is_apart(one, two)]
        if len(pairs) < _ROWS or len(pairs) * 4 < len(self._boxes):
            return []
        for side in zip(*pairs[:: max(1, len(pairs) // 10)], strict=True):
            words = [re.findall(r"\w\S*", self._page.get_text_bounded(*box)) for box in side]
            if sum(map(len, words)) < _WORDS * len(words):
                return []
        gutters: list[float] = []
        left = pairs
        while len(left) >= _ROWS:
            edges = sorted(two.left - 0.1 for _, two in left)
            best = max(edges, key=lambda x: sum(one.right < x < two.left for one, two in left))
            through = [(one, two) for one, two in left if one.right < best < two.left]
            if len(through) * 4 < len(left):
                break
            gutters.append((max(one.right for one, _ in through) + best) / 2)
            left = [pair for pair in left if pair not in through]
        is_clear = len(left) * 5 <= len(pairs)
        return sorted(gutters) if is_clear else None

    def _place(self, box: Box, *, at_end: bool = False) -> int | None:
        """Find the first character of a box, or the place behind its last one."""
        x = box.right - 0.1 if at_end else box.left + 0.1  # a narrow letter has less than a point
        place = self._find(x, box.middle, 3, box.height)
        return None if place is None else place + at_end

    def _find(self, x: float, y: float, *around: float) -> int | None:
        """Find the character at a point, or so far around it."""
        index = self._page.get_index(x, y, *(around or (0, 0)))
        unit = -1 if index is None else raw.FPDFText_GetTextIndexFromCharIndex(self._page, index)
        return self._convert_to_point(unit) if unit >= 0 else None

    def _measure_character(self, place: int) -> "_Stand | None":
        """Say where a character stands; nothing of white space."""
        if not self._text[place : place + 1].strip():
            return None
        index = raw.FPDFText_GetCharIndexFromTextIndex(self._page, self._convert_to_unit(place))
        box = raw.FS_RECTF()
        x, y = ctypes.c_double(), ctypes.c_double()
        if index < 0 or not raw.FPDFText_GetLooseCharBox(self._page, index, box):
            return None
        raw.FPDFText_GetCharOrigin(self._page, index, x, y)
        foot = head = y.value
        if self._text[place].isalnum():
            _, foot, _, head = self._page.get_charbox(index)
        height = abs(box.top - box.bottom)
        if not height:  # nothing can be said of it
            return None
        return _Stand(height, y.value, foot - y.value, head - y.value, box.left, box.right)

    def _convert_to_unit(self, place: int) -> int:
        """Return the place in PDFium's text, where characters beyond 16 bits count twice."""
        return place + bisect_left(self._long, place)

    def _convert_to_point(self, unit: int) -> int:
        return unit - sum(place < unit for place in self._long)


class _Stand(NamedTuple):
    """How tall a character is, where its line is, its ends above that, and its sides."""

    height: float
    line: float
    foot: float
    head: float
    left: float
    right: float

    def is_below(self, other: "_Stand") -> bool:
        """Whether it stands under another one, both as they are drawn."""
        is_beside = self.left >= other.right or self.right <= other.left
        return not is_beside and self.line + self.head < other.line + other.foot


def _shift(base: _Stand, here: _Stand, *, below: bool) -> str:
    """Say whether a character is raised or lowered beside the one before it.

    What is smaller behind the stroke of a fraction is its lower part, wherever it stands.

    Some fonts have figures that are raised as they are drawn.
    """
    rise = (here.line - base.line) / base.height
    foot, head = rise + here.foot / base.height, rise + here.head / base.height
    is_smaller = here.height < _SMALLER * base.height
    if (is_smaller and _HIGHER < rise < 1) or _HIGHER < foot < 1:
        return "sup"
    is_lowered = is_smaller and -_HALF < rise < (_LOWER if below else -_LOWER)
    return "sub" if is_lowered or (-_HALF < foot < -_LOWER and here.foot < head < _FLAT) else ""


def _read_annotations(
    document: PdfDocument, page: PdfPage
) -> Iterator[tuple[str, str, Box | None]]:
    """Yield what was filled in, with its place, and what was noted."""
    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        try:
            kind = raw.FPDFAnnot_GetSubtype(annotation)
            if kind == raw.FPDF_ANNOT_WIDGET and document.formenv is not None:
                value = _read_field(document.formenv, annotation)
                rect = raw.FS_RECTF()
                raw.FPDFAnnot_GetRect(annotation, rect)
                if value:
                    yield "field", value, Box(rect.left, rect.bottom, rect.right, rect.top)
            elif kind in _COMMENTS and (comment := _read_entry(annotation, b"Contents").strip()):
                by = _read_entry(annotation, b"T").strip()
                yield name_comment(by), comment, None
        finally:
            raw.FPDFPage_CloseAnnot(annotation)


def _list_pictures(page: PdfPage) -> Iterator[str]:
    """Yield what the pictures of a tagged page are said to show."""
    tree = raw.FPDF_StructTree_GetForPage(page)
    if not tree:
        return
    try:
        count = raw.FPDF_StructTree_CountChildren(tree)
        waiting = [raw.FPDF_StructTree_GetChildAtIndex(tree, number) for number in range(count)]
        for element in filter(None, waiting):  # which grows as it is walked
            shown = _read_string(partial(raw.FPDF_StructElement_GetAltText, element)).strip()
            if shown and _read_string(partial(raw.FPDF_StructElement_GetType, element)) == "Figure":
                yield shown
            count = raw.FPDF_StructElement_CountChildren(element)
            waiting += [
                raw.FPDF_StructElement_GetChildAtIndex(element, number) for number in range(count)
            ]
    finally:
        raw.FPDF_StructTree_Close(tree)


def _read_field(form: Any, annotation: Any) -> str:
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in {raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON}:
        return "[x]" if raw.FPDFAnnot_IsChecked(form, annotation) else ""
    if kind in _FILLED_IN:
        return _read_string(
            lambda *into: raw.FPDFAnnot_GetFormFieldValue(form, annotation, *into)
        ).strip()
    return ""


def _read_entry(annotation: Any, key: bytes) -> str:
    return _read_string(lambda *into: raw.FPDFAnnot_GetStringValue(annotation, key, *into))


def _read_string(ask: Any) -> str:
    """Ask PDFium how long a string is, and then for it."""
    size = ask(None, 0)
    if size <= 2:  # the end of a string alone
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    ask(buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")

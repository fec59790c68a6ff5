"""Tables and columns of a page of a PDF: by lines that are drawn, else by what stands aligned."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from pypdfium2 import PdfObject, PdfPage, raw

from caveat.adapters.documents.composer import Covered, format_inset

T = TypeVar("T")
Row = list[str]
"""The cells of a row; a row of one is a line of a table whose rows cannot be told."""

_THIN, _SHORT = 3.0, 6.0  # points: what is drawn as a line, and what is too short for one
_NEAR = 3.0  # points between lines that touch
_MOST = 3_000  # drawn things of a page that are looked at; a map has more
_LINES = 300  # lines of a page, those that go on with each other counted once
_CLOSE = 0.9  # of the height of a line: space below which words are of one cell
_WORDS = 4.0  # words of a cell: a table has fewer, in the mean of its rows, than columns of prose
_PLACES = 5  # figures of a page's number, and one more
_BOX = 6  # parts of a path that draw one box
_FEW_CELLS = 4  # stretches of text that a table has at least
_MANY_LINES = 8  # lines of a cell beside another one of as many, from which they may be rows
_LEAST = 3  # rows that make a table of what stands aligned


class Box(NamedTuple):
    """Where something stands, in points from the lower left corner."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        return (self.bottom + self.top) / 2

    def is_beside(self, other: "Box") -> bool:
        """Whether both stand on one line."""
        shared = min(self.top, other.top) - max(self.bottom, other.bottom)
        return shared > 0.6 * min(self.height, other.height)

    def goes_on(self, other: "Box") -> bool:
        """Whether another one stands close behind it: the next letter, or other letters."""
        near = _CLOSE * max(self.height, other.height)
        level = self.bottom - near / 2 < other.middle < self.top + near / 2
        return level and abs(other.left - self.right) < near

    def join(self, other: "Box") -> "Box":
        """Put both together."""
        low, high = min(self.bottom, other.bottom), max(self.top, other.top)
        return Box(self.left, low, other.right, high)


class Segment(NamedTuple):
    """A stretch of a page's text that stands together: its characters, place and text."""

    start: int
    stop: int
    box: Box
    text: str

    @property
    def words(self) -> int:
        return len(self.text.split())


_BEARING = 3  # points by which the ink of letters at one edge differs, at most


@dataclass
class FoundTable:
    """A table: the segments of each cell; None where a cell above or on the left spans into it."""

    rows: list[list[list[Segment] | None]]
    is_reliable: bool = True  # whether it is known which cells stand in one row

    @property
    def segments(self) -> list[Segment]:
        return [each for row in self.rows for cell in row for each in cell or ()]

    def fill(self, read: Callable[[list[Segment]], str]) -> list[Row]:
        """Return its cells as text, the first with spaces before what is set in."""
        table: list[Row] = []
        lefts = [row[0][0].box.left if row[0] else None for row in self.rows]
        edge = min(filter(None, lefts), default=0.0)
        # Of names that are centred none stands where another one does.
        is_flush = sum(left is not None and left < edge + 1 for left in lefts) * 2 > len(lefts)
        for row, left in zip(self.rows, lefts, strict=True):
            cells: list[str] = []
            for place, cell in enumerate(row):
                if cell is not None:
                    depth = (left or edge) - edge if is_flush and not place else 0
                    cells.append(format_inset(int(depth / _BEARING)) + read(cell) if cell else "")
                else:
                    above = table[-1][place] if table else ""
                    cells.append(Covered(above or (cells[-1] if cells else "")))
            table.append(cells)
        lines = [["   ".join(filter(None, cells))] for cells in table]
        return table if self.is_reliable else lines


def order(
    segments: list[Segment], held: "dict[Segment, FoundTable]", gutters: list[float]
) -> list[list[Segment] | FoundTable]:
    """Put columns of text, and tables where the first of their text stands, in reading order."""
    pieces: list[list[Segment] | FoundTable] = []
    columns: dict[int, list[Segment]] = {}
    for segment in segments:
        table = held.get(segment)
        if any(table is each for each in pieces):
            continue
        crosses = any(segment.box.left < gutter < segment.box.right for gutter in gutters)
        if table is None and not crosses:
            columns.setdefault(bisect_right(gutters, segment.box.left), []).append(segment)
            continue
        pieces += [columns[place] for place in sorted(columns)]
        columns.clear()
        pieces.append(table or [segment])
    return pieces + [columns[place] for place in sorted(columns)]


def find_aligned_tables(segments: list[Segment]) -> list[FoundTable]:
    """Find tables without lines: rows of several short cells that stand below one another."""
    lines = group_lines(segments, lambda each: each.box)
    lines = [sorted(line, key=lambda each: each.box.left) for line in lines]
    runs: list[list[list[Segment]]] = [[]]
    for line in lines:
        goes_on = is_inside = False
        if run := runs[-1]:
            high = line[0].box.height
            gap = min(each.box.bottom for each in run[-1]) - max(each.box.top for each in line)
            goes_on = -high < gap < 2.5 * max(high, run[-1][0].box.height)
            # A cell of several lines leaves some with one cell that is not the first of its row;
            # what they belong to nobody can tell.
            first = min(each.box.left for above in run for each in above)
            is_inside = line[0].box.left > first + 2 * high and line[0].words < 4 * _WORDS
        if (len(line) > 1 and (goes_on or not run)) or (goes_on and is_inside):
            run.append(line)
        else:
            runs.append([line] if len(line) > 1 else [])
    return [table for run in runs if (table := _build_aligned(run)) is not None]


def group_lines(things: list[T], locate: Callable[[T], Box]) -> list[list[T]]:
    """Return what stands side by side, from top to bottom, whatever order it was drawn in."""
    lines: list[list[T]] = []
    for thing in sorted(things, key=lambda each: -locate(each).middle):
        if lines and locate(lines[-1][0]).is_beside(locate(thing)):
            lines[-1].append(thing)
        else:
            lines.append([thing])
    return lines


def _build_aligned(run: list[list[Segment]]) -> FoundTable | None:
    while run and len(run[-1]) == 1:
        run.pop()
    rows = [line for line in run if len(line) > 1]
    cells = [each for line in rows for each in line]
    if len(rows) < _LEAST or sum(each.words for each in cells) > _WORDS * len(cells):
        return None
    columns: list[list[float]] = []
    for left, right in sorted((each.box.left, each.box.right) for each in cells):
        if columns and left <= columns[-1][1]:
            columns[-1][1] = max(columns[-1][1], right)
        else:
            columns.append([left, right])
    if len(columns) < 2 or (len(columns) == 2 and _are_items(rows)):
        return None
    starts = [left for left, _ in columns]
    table: list[list[list[Segment] | None]] = []
    for line in run:
        row: list[list[Segment]] = [[] for _ in columns]
        for each in line:
            row[max(0, bisect_right(starts, each.box.left + 0.1) - 1)].append(each)
        table.append(list(row))
    return FoundTable(table, is_reliable=len(rows) == len(run))


def _are_items(rows: list[list[Segment]]) -> bool:
    """Whether two columns are of signs and the items of a list, or of contents and their pages."""
    if not any(map(str.isalnum, "".join(row[0].text for row in rows))):
        return True
    pages = [row[-1].text.strip() for row in rows]
    numbers = [int(page) for page in pages if page.isdecimal() and len(page) < _PLACES]
    return len(numbers) == len(pages) and numbers == sorted(numbers)


class Line(NamedTuple):
    """A line that is level or upright: its place, and where it starts and stops."""

    at: float
    start: float
    stop: float

    def holds(self, place: float) -> bool:
        """Whether it passes a place."""
        return self.start - _NEAR <= place <= self.stop + _NEAR

    def meets(self, others: "Iterable[Line]") -> bool:
        """Whether it touches one of the lines that go the other way."""
        return any(self.holds(each.at) and each.holds(self.at) for each in others)


def find_grids(page: PdfPage) -> "list[Grid]":
    """Find the grids that are drawn on a page."""
    level: list[Line] = []
    upright: list[Line] = []
    for count, shape in enumerate(_list_paths(page)):
        if count > _MOST:
            return []
        for is_level, line in _list_lines(shape):
            (level if is_level else upright).append(line)
    level, upright = _merge(level), _merge(upright)
    if len(level) < 2 or len(upright) < 2 or max(len(level), len(upright)) > _LINES:
        return []
    return list(_group(level, upright))


def _list_paths(page: PdfPage) -> Iterator[PdfObject]:
    """Yield what is drawn; the library's own list wraps each letter of a page first."""
    kinds = [raw.FPDF_PAGEOBJ_PATH]
    for place in range(raw.FPDFPage_CountObjects(page)):
        handle = raw.FPDFPage_GetObject(page, place)
        match raw.FPDFPageObj_GetType(handle):
            case raw.FPDF_PAGEOBJ_PATH:
                yield PdfObject(handle, page=page, pdf=page.pdf)
            case raw.FPDF_PAGEOBJ_FORM:
                form = PdfObject(handle, page=page, pdf=page.pdf)
                yield from page.get_objects(filter=kinds, form=form, level=1)


def _list_lines(shape: PdfObject) -> Iterator[tuple[bool, Line]]:
    """Yield the lines of a drawn thing, level ones marked so: a line, or the four of a box."""
    left, bottom, right, top = shape.get_bounds()
    if top - bottom <= _THIN and right - left >= _SHORT:
        yield True, Line((top + bottom) / 2, left, right)
    elif right - left <= _THIN and top - bottom >= _SHORT:
        yield False, Line((left + right) / 2, bottom, top)
    elif min(right - left, top - bottom) >= _SHORT and raw.FPDFPath_CountSegments(shape) <= _BOX:
        yield from ((True, Line(y, left, right)) for y in (bottom, top))
        yield from ((False, Line(x, bottom, top)) for x in (left, right))


def _merge(lines: list[Line]) -> list[Line]:
    """Put lines together that go on with each other; boxes side by side draw each edge twice."""
    merged: list[Line] = []
    for line in sorted(lines, key=lambda each: (round(each.at / _NEAR), each.start)):
        last = merged[-1] if merged else None
        if last and abs(last.at - line.at) <= _NEAR and line.start <= last.stop + _NEAR:
            merged[-1] = Line(last.at, last.start, max(last.stop, line.stop))
        else:
            merged.append(line)
    return merged


def _group(level: list[Line], upright: list[Line]) -> "Iterator[Grid]":
    """Yield the grids: lines that touch, two of each kind at least."""
    left = set(upright)
    while left:
        inside = {left.pop()}
        across: set[Line] = set()
        while more := {one for one in level if one not in across and one.meets(inside)}:
            across |= more
            ups = {one for one in left if one.meets(more)}
            inside |= ups
            left -= ups
        if len(across) > 1 and len(inside) > 1:
            yield Grid.build(across, inside)


def join_boxes(boxes: list[Box], grids: "list[Grid]") -> list[Box]:
    """Put together what stands close on a line: spaced letters have a box each."""
    drawn = sorted(line for grid in grids for line in grid.upright)
    places = [line.at for line in drawn]
    joined = boxes[:1]
    for box in boxes[1:]:
        last = joined[-1]
        first = bisect_right(places, last.left)
        stop = bisect_left(places, min(box.right, box.left + _NEAR), first)
        is_parted = any(each.start <= last.middle <= each.stop for each in drawn[first:stop])
        if not is_parted and last.goes_on(box):
            joined[-1] = last.join(box)
        else:
            joined.append(box)
    return joined


@dataclass
class Grid:
    """Level and upright lines that make cells."""

    level: list[Line]
    upright: list[Line]
    xs: list[float]  # from left to right
    ys: list[float]  # from top to bottom

    @classmethod
    def build(cls, level: set[Line], upright: set[Line]) -> "Grid":
        """Make a grid; where no line ends it on a side, its lines do."""
        xs = [each.at for each in upright]
        xs += [min(line.start for line in level), max(line.stop for line in level)]
        ys = [line.at for line in level]
        ys += [min(each.start for each in upright), max(each.stop for each in upright)]
        return cls(list(level), list(upright), _thin_out(xs), _thin_out(ys)[::-1])

    def holds(self, box: Box) -> bool:
        """Whether something stands inside it."""
        x = (box.left + box.right) / 2
        return self.xs[0] < x < self.xs[-1] and self.ys[-1] < box.middle < self.ys[0]

    def sort(self, segments: list[Segment]) -> FoundTable | None:
        """Sort what stands inside into cells; None where that makes no table."""
        rows, columns = len(self.ys) - 1, len(self.xs) - 1
        if rows < 1 or columns < 2 or len(segments) < _FEW_CELLS:
            return None
        heads = self._find_heads(rows, columns)
        cells: dict[tuple[int, int], list[Segment]] = {}
        for each in segments:  # which stand inside
            row = bisect_right([-y for y in self.ys], -each.box.middle) - 1
            column = bisect_right(self.xs, (each.box.left + each.box.right) / 2) - 1
            cells.setdefault(heads[row, column], []).append(each)
        table = FoundTable([])
        for row in range(rows):
            here = [
                cells.get((row, column), []) if heads[row, column] == (row, column) else None
                for column in range(columns)
            ]
            levels = [
                sorted({round(e.box.middle) for e in cell or ()}, reverse=True) for cell in here
            ]
            tall = [each for each in levels if len(each) > 1]
            most = max(map(len, tall), default=0)
            apart = (
                abs(one - two) for each in tall for one, two in zip(each, tall[0], strict=False)
            )
            is_level = len({*map(len, tall)}) == 1 and max(apart) <= _NEAR
            if len(tall) > 1 and (most >= _MANY_LINES or (is_level and most >= _LEAST)):
                return None  # what stands aligned tells the rows
            table.rows.append(here)
        table.rows = [row for row in table.rows if any(row)]
        used = [place for place in range(columns) if any(row[place] for row in table.rows)]
        table.rows = [[row[place] for place in used] for row in table.rows]
        return table if len(table.rows) > 1 and len(used) > 1 else None

    def _find_heads(self, rows: int, columns: int) -> dict[tuple[int, int], tuple[int, int]]:
        """Map each place to the cell that spans into it: no line is drawn between them."""
        heads: dict[tuple[int, int], tuple[int, int]] = {}
        for row in range(rows):
            for column in range(columns):
                y = (self.ys[row] + self.ys[row + 1]) / 2
                x = (self.xs[column] + self.xs[column + 1]) / 2
                if column and not _is_drawn(self.upright, self.xs[column], y):
                    heads[row, column] = heads[row, column - 1]
                elif row and not _is_drawn(self.level, self.ys[row], x):
                    heads[row, column] = heads[row - 1, column]
                else:
                    heads[row, column] = (row, column)
        return heads


def _is_drawn(lines: list[Line], at: float, place: float) -> bool:
    return any(abs(line.at - at) <= _NEAR and line.start <= place <= line.stop for line in lines)


def _thin_out(places: list[float]) -> list[float]:
    """Return places in ascending order, one of those that are near each other."""
    apart: list[float] = []
    for place in sorted(places):
        if not apart or place - apart[-1] > _NEAR:
            apart.append(place)
    return apart

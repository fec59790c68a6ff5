"""Excel's .xlsx by openpyxl: each cell with its sheet, its row and its column."""

import datetime as dt
import io
import re
from bisect import bisect_left
from operator import itemgetter
from typing import Any
from zipfile import ZipFile

from openpyxl import load_workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.utils import get_column_letter
from openpyxl.utils.exceptions import InvalidFileException

from caveat.adapters.documents.archives import DAMAGE, Archive, read_alternative, read_facts
from caveat.adapters.documents.composer import (
    SUBSCRIPT,
    SUPERSCRIPT,
    Composer,
    Covered,
    format_inset,
    format_scripts,
    name_comment,
)
from caveat.adapters.documents.loaded import Metadata, Unreadable
from caveat.rules.lines import pluralise

_WITHOUT_VALUE = re.compile(
    rb"<c\b[^>]*>\s*<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>"
)
_VALUE = re.compile(rb"<(?:\w{1,20}:)?(?:v|is)(?:\s[^>]*)?>(?!</)")
_LITERAL = re.compile(
    r'"([^"]{0,80})"|\[\$([^\]-]{0,20})[^\]]{0,80}\]|\\(.)|([€$£¥ ])|\[[^\]]{0,80}\]|_.|\*.'
)
"""What a format of numbers shows as it is; what is left of it are places of figures."""
_PLACES = re.compile(r"[0#?][0#?.,]*")
_SCALED = re.compile(r"[0#?],+(?![0#?,])")
_SCRIPTS = {"superscript": SUPERSCRIPT, "subscript": SUBSCRIPT}


def load_sheets(composer: Composer, data: bytes) -> Metadata:
    """Read a workbook's values, as they were last calculated."""
    archive = Archive(data, composer.losses)
    book = _open_book(archive, data, composer.losses)
    parts = [archive.read_member(name) for name in archive.names if name.startswith(_SHEETS)]
    missing = sum(len(_WITHOUT_VALUE.findall(part)) for part in parts)
    unread = sum(len(_VALUE.findall(part)) for part in parts)
    for sheet in book.worksheets:
        is_hidden = sheet.sheet_state != "visible"
        composer.add_heading(1, f"{sheet.title} (hidden sheet)" if is_hidden else sheet.title)
        cells = [cell for cell in sheet._cells.values() if cell.value is not None]  # noqa: SLF001  # `iter_rows` walks a million empty rows to one coloured cell
        unread -= len(cells)
        _add_block(composer, _read_grid(sheet, cells))
        for cell in sheet._cells.values():  # noqa: SLF001  # as above
            if cell.comment is not None:
                label = f"{cell.coordinate}, {name_comment(cell.comment.author)}"
                composer.add_paragraph(cell.comment.text, name=label)
    for sheet in book.chartsheets:
        composer.losses.append(f"the chart “{sheet.title}”")
    for name in sorted(archive.names):
        if drawn := _DRAWN.fullmatch(name):
            for each in archive.parse_member(name).iter("{*}p", "{*}cNvPr"):
                shown = "".join(each.itertext("{*}t")) or read_alternative(each)
                composer.add_paragraph(shown, name=drawn[1])
    if missing:
        composer.losses.append(
            f"{missing:,} {pluralise('formula', missing)} without a value that was stored"
        )
    if unread > 0:
        composer.losses.append(
            f"{unread:,} {pluralise('cell', unread)}, such as those that merged ones cover"
        )
    return read_facts(archive)


_DRAWN = re.compile(r"xl/(chart|drawing)s/\1\d+\.xml")
_SHEETS = "xl/worksheets/sheet"
_ODD = (_SHEETS, "xl/styles", "xl/drawings/", "xl/comments", "xl/charts/", "docProps/")
"""Parts whose damage openpyxl lets cost the whole workbook."""
_EMPTY_SHEET = (
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    b"<sheetData/></worksheet>"
)
_CONTENTS = "[Content_Types].xml"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
"""Names of ISO 29500 Strict, in which Excel can save a workbook."""
_DECLARED = re.compile(rb"<Override\b[^>]*?\bPartName\s*=\s*[\"']/([^\"'>]*)[^>]*>")


def _open_book(archive: Archive, data: bytes, losses: list[str]) -> Any:
    """Open a workbook; without the one part that cannot be read, or that is not there."""
    named = (name for name in archive.names if name.startswith(_ODD))
    odd = sorted(name for name in named if not name.endswith(".rels"))
    for left_out in (None, "", *odd):
        try:
            file = io.BytesIO(data if left_out is None else _leave_out(archive, left_out))
            book = load_workbook(file, data_only=True, rich_text=True, keep_links=False)
        except (
            *DAMAGE, RuntimeError, Unreadable, InvalidFileException, TypeError, AttributeError,
            IndexError, SyntaxError,
        ):  # fmt: skip  # a `ParseError` of XML is a `SyntaxError`
            continue
        if not book.sheetnames:  # of names that openpyxl does not know, as strict ones
            continue
        if left_out:
            losses.append(f"{left_out}, which is damaged")
        return book
    raise Unreadable


def _leave_out(archive: Archive, left_out: str) -> bytes:
    """Return the archive with an empty sheet, or nothing, for a part, and naming what it has."""

    def keep(declared: re.Match[bytes]) -> bytes:
        return declared[0] if declared[1].decode(errors="replace") in archive.names else b""

    target = io.BytesIO()
    with ZipFile(target, "w") as copy:
        for name in archive.names:
            if name != left_out:
                part = _STRICT.sub(
                    rb"http://schemas.openxmlformats.org/\1/2006/", archive.read_member(name)
                )
                copy.writestr(name, _DECLARED.sub(keep, part) if name == _CONTENTS else part)
            elif name.startswith(_SHEETS):
                copy.writestr(name, _EMPTY_SHEET)
    return target.getvalue()


_Grid = dict[tuple[int, int], str]


def _read_grid(sheet: Any, cells: list[Any]) -> _Grid:
    """Map the places of used cells to what they show; what is hidden says so."""
    hidden_rows = {place for place, facts in sheet.row_dimensions.items() if facts.hidden}
    hidden_columns = {
        place
        for facts in sheet.column_dimensions.values()
        if facts.hidden
        for place in range(facts.min or 0, (facts.max or 0) + 1)
    }
    grid = {(cell.row, cell.column): _format_cell(cell) for cell in cells}
    rows = sorted({row for row, _ in grid})
    for area in sheet.merged_cells.ranges:
        text = grid.get((area.min_row, area.min_col), "")
        spanned = rows[bisect_left(rows, area.min_row) : bisect_left(rows, area.max_row + 1)]
        for row in spanned if text else ():
            for column in range(area.min_col, area.max_col + 1):
                grid.setdefault((row, column), Covered(text.strip()))
    first = {row: column for row, column in sorted(grid, reverse=True) if row in hidden_rows}
    for row, column in list(grid):
        is_hidden = column in hidden_columns or first.get(row) == column
        if is_hidden and not isinstance(grid[row, column], Covered):
            why = "hidden" if column in hidden_columns else "hidden row"
            grid[row, column] = f"{grid[row, column]} ({why})"
    return grid


def _add_block(composer: Composer, grid: _Grid) -> None:
    """Add what stands apart by empty rows or columns: lines by themselves, and tables."""
    for block in _split(grid, 0):
        parts = _split_columns(block)
        if len(parts) > 1:
            for part in parts:
                _add_block(composer, part)
            continue
        rows = sorted({row for row, _ in block})
        columns = sorted({column for _, column in block})
        table = [[block.get((row, column), "") for column in columns] for row in rows]
        letters = [get_column_letter(column) for column in columns]
        composer.add_table(table, letters=letters, numbers=rows)


def _split(grid: _Grid, axis: int) -> list[_Grid]:
    """Part a grid at its empty rows (axis 0) or columns (axis 1)."""
    blocks: list[_Grid] = []
    last = None
    for at in sorted(grid, key=itemgetter(axis)):
        if last is None or at[axis] > last + 1:
            blocks.append({})
        last = at[axis]
        blocks[-1][at] = grid[at]
    return blocks


def _split_columns(block: _Grid) -> list[_Grid]:
    """Part tables that stand side by side: each has names in its first column, and more columns."""
    parts: list[_Grid] = []
    for part in _split(block, 1):
        columns = sorted({column for _, column in part})
        names = [text for (_, column), text in part.items() if column == columns[0] and text]
        has_names = sum(any(map(str.isalpha, name)) for name in names) * 2 > len(names)
        if not parts or (len(columns) > 1 and has_names):
            parts.append(part)
        else:
            parts[-1] |= part
    return parts


def _format_cell(cell: Any) -> str:
    """Return a value with the sign of its format, and with every figure that is stored."""
    value = cell.value
    match value:
        case bool():
            shown = str(value).upper()
        case dt.datetime() if value.time() == dt.time():
            shown = value.date().isoformat()
        case int() | float():
            shown = _format_number(value, cell.number_format or "General")
        case CellRichText():
            shown = format_scripts("".join(map(_format_piece, value)))
        case _:
            shown = str(value)
    return format_inset(int(cell.alignment.indent or 0)) + shown


def _format_piece(piece: TextBlock | str) -> str:
    if isinstance(piece, str):
        return piece
    before, behind = _SCRIPTS.get(piece.font.vertAlign or "", ("", ""))
    return f"{before}{piece.text}{behind}"


def _format_number(value: float, written: str) -> str:
    form = written.split(";", maxsplit=1)[0]
    if "%" in form:
        return f"{value * 100:.15g}%"
    shown = f"{value:.15g}"
    if _SCALED.search(_LITERAL.sub("", form)):  # its sign is one of thousands or millions
        return shown
    places = _PLACES.search(form)
    if places is None:
        return shown
    return f"{_join_literals(form[: places.start()])}{shown}{_join_literals(form[places.end() :])}"


def _join_literals(form: str) -> str:
    return "".join(next(filter(None, match.groups()), "") for match in _LITERAL.finditer(form))

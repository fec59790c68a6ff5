"""Excel's .xlsx by openpyxl: each cell with its sheet, its row and its column."""

import datetime as dt
import io
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from openpyxl import load_workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.utils.exceptions import InvalidFileException

from caveat.adapters.documents.archives import Archive, read_title
from caveat.adapters.documents.composer import (
    SUBSCRIPT,
    SUPERSCRIPT,
    Composer,
    Covered,
    format_scripts,
)
from caveat.adapters.documents.loaded import Loaded, Unreadable
from caveat.rules.sources import is_own_report

_WITHOUT_VALUE = re.compile(
    rb"<c\b[^>]*>\s*<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>"
)
_LITERAL = re.compile(
    r'"([^"]{0,80})"|\[\$([^\]-]{0,20})[^\]]{0,80}\]|\\(.)|([€$£¥ ])|\[[^\]]{0,80}\]|_.|\*.'
)
"""What a format of numbers shows as it is; what is left of it are places of figures."""
_PLACES = re.compile(r"[0#?][0#?.,]*")
_SCALED = re.compile(r"[0#?],+(?![0#?,])")
_SCRIPTS = {"superscript": SUPERSCRIPT, "subscript": SUBSCRIPT}


def load_sheets(data: bytes) -> Loaded:
    """Read a workbook's values, as they were last calculated."""
    archive = Archive(data)
    names = archive.list_names("xl/workbook.xml")
    sheets = [archive.read_member(name) for name in names if name.startswith("xl/worksheets/sheet")]
    missing = sum(len(_WITHOUT_VALUE.findall(sheet)) for sheet in sheets)
    try:
        book = load_workbook(io.BytesIO(data), data_only=True, rich_text=True, keep_links=False)
    except (InvalidFileException, KeyError, ValueError, TypeError, AttributeError) as error:
        raise Unreadable from error
    composer = Composer()
    for sheet in book.worksheets:
        composer.add_heading(1, sheet.title)
        _add_rows(composer, list(_read_rows(sheet)))
        for row in sheet.iter_rows():
            for cell in row:
                if cell.comment is not None:
                    by = f"comment by {cell.comment.author}" if cell.comment.author else "comment"
                    composer.add_aside(f"{cell.coordinate}, {by}", cell.comment.text)
    snapshot = composer.finish()
    said = f"{missing:,} formulas without a value that was stored" if missing else ""
    losses = (said,) if missing else ()
    return Loaded(snapshot, read_title(archive, names), is_own_report(snapshot.text), losses)


def _read_rows(sheet: Any) -> Iterator[list[str]]:
    """Yield the rows of a sheet; cells that others span into hold the text of these."""
    spans = {
        (row, column): (area.min_row, area.min_col)
        for area in sheet.merged_cells.ranges
        for row in range(area.min_row, area.max_row + 1)
        for column in range(area.min_col, area.max_col + 1)
        if (row, column) != (area.min_row, area.min_col)
    }
    for row in sheet.iter_rows():
        yield [
            Covered(_format_cell(sheet.cell(*spans[cell.row, cell.column])))
            if (cell.row, cell.column) in spans
            else _format_cell(cell)
            for cell in row
        ]


def _add_rows(composer: Composer, rows: list[list[str]]) -> None:
    """Add what stands between empty rows: lines by themselves, and tables without empty columns."""
    for is_empty, block in groupby(rows, key=lambda row: not any(row)):
        table = list(block)
        while table and not is_empty and len([cell for cell in table[0] if cell]) == 1:
            composer.add_paragraph(next(filter(None, table.pop(0))))
        used = [place for place in range(len(rows[0])) if any(row[place] for row in table)]
        if table and not is_empty:
            composer.add_table([[row[place] for place in used] for row in table])


def _format_cell(cell: Any) -> str:
    """Return a value with the sign of its format, and with every figure that is stored."""
    value = cell.value
    match value:
        case None:
            shown = ""
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
    return shown


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

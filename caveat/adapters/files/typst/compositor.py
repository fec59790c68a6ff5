"""Reports as PDF, set by Typst: what its template is told, and the setting of it."""

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import typst

from caveat import failures
from caveat.contracts.report import Report, ReportStatus
from caveat.rendering import layout, words
from caveat.rendering.amounts import format_count
from caveat.rendering.edition import Citation, Contest, Edition
from caveat.rendering.plot import Plot
from caveat.rendering.visible import sanitize_text
from caveat.rules.lines import shorten
from caveat.rules.sources import own_reports

_TEMPLATE = Path(__file__).with_name("report.typ")
_CELLS = _TEMPLATE.with_name("cells.typ")

_SERIF = "Libertinus Serif"
_FURTHEST = "\u052f"
"""The last of the Latin, Greek and Cyrillic letters, which the fonts inside Typst have."""

_HEADER_LIMIT = 78  # characters that fit into the running header
_Data = dict[str, Any]  # JSON; its shape is known to the template alone


def compose(report: Report) -> bytes:
    # The same report gives the same bytes on the same machine: the PDF carries the report's own
    # time. Fonts are the ones inside Typst; the system's are used only for characters that those
    # lack.
    try:
        pdf = typst.compile(
            _TEMPLATE,
            root=_TEMPLATE.parent,
            format="pdf",
            sys_inputs={"document": json.dumps(build_document(report), ensure_ascii=False)},
            timestamp=int(report.created.timestamp()),
        )
    except typst.TypstError as error:
        raise failures.invalid(
            "The report could not be typeset as PDF; the other formats are not affected.",
            resource=report.run_id,
        ) from error
    return bytes(pdf)


def draw_cells(figures: Plot) -> list[bytes]:
    """Draw the axis of a plot, then the cell of each point, as PNG."""
    data = json.dumps(_write_plain(figures))
    drawn = typst.compile(
        _CELLS, root=_CELLS.parent, format="png", ppi=200, sys_inputs={"document": data}
    )
    return [bytes(each) for each in drawn]


def build_document(report: Report) -> _Data:
    """Gather everything that the template prints, in its order."""
    printed: _Data = _map_strings(_collect_data(report), sanitize_text)
    if missing := find_missing_glyphs(json.dumps(printed, ensure_ascii=False)):
        signs = re.compile(f"[{re.escape(''.join(missing))}]+")
        printed = _map_strings(printed, lambda text: signs.sub("[…]", text))
        kinds = " and ".join(sorted({_name_script(sign).title() for sign in missing}))
        sentence = (
            f"No font on this machine shows {kinds} characters: […] stands for them. The Markdown "
            "and HTML reports hold them, and so does a PDF where such a font is installed."
        )
        printed["facts"].append(["Fonts", sentence])
    return printed


def _map_strings(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case list():
            return [_map_strings(each, change) for each in value]
        case dict():
            return {name: _map_strings(each, change) for name, each in value.items()}
        case _:
            return value


def find_missing_glyphs(text: str) -> str:
    """Return the characters of a text that no font has, those of the scripts that lack any."""
    signs = sorted({sign for sign in text if sign > _FURTHEST and sign.isprintable()})
    if not signs or _is_shown("".join(signs)):
        return ""
    scripts = groupby(sorted(signs, key=_name_script), key=_name_script)
    groups = ("".join(group) for _, group in scripts)
    return "".join(group for group in groups if not _is_shown(group))


def _name_script(sign: str) -> str:
    return unicodedata.name(sign, "other").split()[0]


def _is_shown(signs: str) -> bool:
    """Ask Typst, which sets nothing for archives that some font does not show."""
    probe = f"#set text(font: {json.dumps(_SERIF)})\n#{json.dumps(signs, ensure_ascii=False)}"
    try:
        typst.compile(probe.encode(), format="pdf", pdf_standards="a-2b")
    except typst.TypstError:
        return False
    return True


def _collect_data(report: Report) -> _Data:
    edition = Edition(report)
    counts = (
        (len(report.sections), "angle"),
        (report.metrics.sources_read, "source"),
        (len(report.claims), "quote"),
        (len(report.contradictions), "contradiction"),
        (len(report.failures), "failure"),
    )
    return {
        "title": report.topic,
        "running": shorten(report.topic, _HEADER_LIMIT),
        "status": words.describe_status(report),
        "provisional": report.status is ReportStatus.PROVISIONAL,
        "created": [report.created.year, report.created.month, report.created.day],
        "facts": [["Date", words.format_datetime(report.created)]],
        "opening": [*map(_write_plain, layout.build_opening(edition))],
        "mark": own_reports.write_mark(report.run_id),
        "measures": [format_count(number, what) for number, what in counts if number],
        "parts": [*map(_write_plain, layout.build_parts(edition))],
        "heads": list(words.FIGURES),
        "chart": words.CHART,
    }


def _write_plain(value: object) -> Any:
    """Write a part of the layout as the template reads it: its fields, and the name of its kind."""
    match value:
        case Citation():
            return {"kind": "citation", "number": value.number, "label": value.label}
        case Contest():
            return {"kind": "contest", "links": [*map(list, value.links)]}
        case tuple():
            return [*map(_write_plain, value)]
        case _ if is_dataclass(value):
            own = {each.name: _write_plain(getattr(value, each.name)) for each in fields(value)}
            return {"kind": type(value).__name__.lower(), **own}
    return value

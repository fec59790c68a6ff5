"""Reports as PDF, set by Typst: what its template is told, and the setting of it."""

import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import typst

from caveat import failures
from caveat.contracts.report import Report, ReportedSource, ReportStatus
from caveat.rendering import layout, words
from caveat.rendering.amounts import format_count
from caveat.rendering.bibliography import name_source
from caveat.rendering.edition import Citation, Contest, Edition
from caveat.rendering.plot import Plot
from caveat.rendering.visible import sanitize_text
from caveat.rules.lines import shorten
from caveat.rules.sources import own_reports
from caveat.rules.text import prose

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
            "The report could not be set as PDF; the other formats are not affected.",
            resource=report.run_id,
        ) from error
    return bytes(pdf)


def draw_cells(edition: Edition, plot: Plot) -> list[bytes]:
    """Draw the axis of a plot, then the cell of each point, as PNG."""
    data = json.dumps(_build_plot(edition, plot))
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
        "keywords": own_reports.list_keywords(report.run_id, report.schema_version),
        "opening": _build_blocks(edition, layout.build_opening(edition)),
        "mark": own_reports.write_mark(report.run_id),
        "measures": [format_count(number, what) for number, what in counts if number],
        "parts": [
            {
                "anchor": part.anchor,
                "title": part.title,
                "blocks": _build_blocks(edition, part.blocks),
            }
            for part in layout.build_parts(edition)
        ],
        "heads": list(words.FIGURES),
        "chart": words.CHART,
    }


def _build_blocks(edition: Edition, blocks: Iterable[layout.Block]) -> list[_Data]:
    """Tell the template the blocks of a part; there is nothing to fold away on paper."""
    built: list[_Data] = []
    for block in blocks:
        match block:
            case layout.Line() if not layout.is_command(block):
                built.append(_build_line(block))
            case layout.Grid():
                rows = [[_build_runs(cell) for cell in row] for row in block.rows]
                widths = [*map(_measure_column, zip(block.head, *rows, strict=True))]
                head = list(block.head)
                built.append({"kind": "grid", "head": head, "widths": widths, "rows": rows})
            case layout.Figures():
                built.append({"kind": "figures", **_build_plot(edition, block.plot)})
            case layout.Dispute():
                dispute = {
                    "kind": "dispute",
                    "id": block.found.id,
                    "title": block.title,
                    "pending": block.found in edition.pending,
                    "sides": list(map(_build_side, block.sides)),
                    "below": list(map(_build_line, block.below)),
                }
                built.append(dispute)
            case layout.Shelf():
                sources = [_build_source(each, rated=block.says_why) for each in block.sources]
                built.append({"kind": "shelf", "why": block.says_why, "sources": sources})
            case layout.Fold():
                built.append(_build_line(layout.Line((prose.TextRun(block.name),), "heading")))
                built += _build_blocks(edition, block.blocks)
    return built


def _measure_column(cells: Sequence[Any]) -> int:
    """The share of a table's width that a column takes: by the root of its longest cell."""
    head, *others = cells
    lengths = (
        sum(len(run["cite"]["label"] if "cite" in run else run.get("text", "")) for run in runs)
        for runs in others
    )
    return round(10 * math.sqrt(min(_WIDEST, max(len(head) + 4, *lengths, 0))))


_WIDEST = 90  # characters, from which a cell takes several lines


def _build_line(line: layout.Line) -> _Data:
    return {"kind": str(line.kind), "runs": _build_runs(line.runs)}


def _build_runs(runs: Iterable[layout.Run]) -> list[_Data]:
    return [_build_run(run) for run in runs]


def _build_run(run: layout.Run) -> _Data:
    match run:
        case Citation():
            return {"cite": {"number": run.number, "label": run.label}}
        case Contest():
            return {"contest": [list(link) for link in run.links]}
        case layout.Link():
            return {"link": run.anchor, "text": run.text}
        case layout.Command():
            return {"text": run.text, "style": prose.Style.CODE.value}
    return {"text": run.text, "style": run.style.value}


def _build_plot(edition: Edition, plot: Plot) -> _Data:
    return {
        "unit": plot.points[0].figure.unit,
        "ticks": [[100 * at, number] for at, number in plot.ticks],
        "rows": [
            {
                "label": edition.label_figure(point.figure),
                "value": point.figure.value,
                "side": point.side,
                "places": [100 * at for at in (point.low, point.centre, point.high)],
                "cite": _build_runs(edition.number_figure(point.figure)),
            }
            for point in plot.points
        ],
    }


def _build_side(side: layout.Side) -> _Data:
    shown = side.printed
    return {
        "letter": shown.letter,
        "value": shown.value,
        "scope": shown.scope,
        "quote": shown.quote,
        "origin": _build_runs(side.origin),
        "weighed": [_build_line(each) for each in side.weighed],
        "standing": shown.standing,
    }


def _build_source(source: ReportedSource, *, rated: bool) -> _Data:
    return {
        "number": source.number,
        "title": name_source(source),
        "address": words.sanitize_address(source.url),
        "where": source.url if words.sanitize_address(source.url) else "",
        "facts": words.describe_source(source, rated=rated).removeprefix(", "),
        "reason": source.reason,
        "copies": list(source.copies),
        "how_read": words.describe_reading(source),
    }

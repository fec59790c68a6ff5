"""Reports as PDF, set by Typst: what its template is told, and the setting of it."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import typst

from caveat import failures
from caveat.contracts.report import Report, ReportedSource, ReportStatus
from caveat.contracts.synthesis import Figure
from caveat.rendering import words
from caveat.rendering.charts import Table, scale, whisker
from caveat.rendering.edition import Citation, Contest, Edition
from caveat.rendering.layout import (
    Block,
    Command,
    Dispute,
    Figures,
    Fold,
    Grid,
    Line,
    Link,
    Run,
    Shelf,
    Side,
    opening,
    parts,
)
from caveat.rendering.visible import visible
from caveat.rules.sources import own_reports
from caveat.rules.text import prose

_TEMPLATE = Path(__file__).with_name("report.typ")

_SERIF = "Libertinus Serif"
_FURTHEST = "\u052f"
"""The last of the Latin, Greek and Cyrillic letters, which the fonts inside Typst have."""

_HEADER_LIMIT = 78  # characters that fit into the running header and the footer
_Data = dict[str, Any]  # JSON; its shape is known to the template alone


def compose(report: Report) -> bytes:
    """Set a report as PDF."""
    # The same report gives the same bytes on the same machine: the PDF carries the report's own
    # time. Fonts are the ones inside Typst; the system's are used only for characters that those
    # lack.
    try:
        pdf = typst.compile(
            _TEMPLATE,
            root=_TEMPLATE.parent,
            format="pdf",
            sys_inputs={"document": json.dumps(document(report), ensure_ascii=False)},
            timestamp=int(report.created.timestamp()),
        )
    except typst.TypstError as error:
        raise failures.invalid(
            "The report could not be set as PDF; Markdown and JSON are not affected.",
            resource=report.run_id,
        ) from error
    return bytes(pdf)


def document(report: Report) -> _Data:
    """Gather everything that the template prints, in its order."""
    printed: _Data = _mapped(_gathered(report), visible)
    if missing := unshown(json.dumps(printed, ensure_ascii=False)):
        signs = re.compile(f"[{re.escape(''.join(missing))}]+")
        printed = _mapped(printed, lambda text: signs.sub("[…]", text))
        printed["facts"].append(["Fonts", _without(missing)])
    return printed


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case list():
            return [_mapped(each, change) for each in value]
        case dict():
            return {name: _mapped(each, change) for name, each in value.items()}
        case _:
            return value


def _without(signs: str) -> str:
    kinds = sorted({_script(sign).title() for sign in signs})
    return (
        f"No font on this machine shows {' and '.join(kinds)} characters: […] stands for them. The "
        "Markdown and HTML reports hold them, and so does a PDF where such a font is installed."
    )


def unshown(text: str) -> str:
    """Return the characters of a text that no font has, those of the scripts that lack any."""
    signs = sorted({sign for sign in text if sign > _FURTHEST and sign.isprintable()})
    if not signs or _is_shown("".join(signs)):
        return ""
    scripts = groupby(sorted(signs, key=_script), key=_script)
    groups = ("".join(group) for _, group in scripts)
    return "".join(group for group in groups if not _is_shown(group))


def _script(sign: str) -> str:
    """Return the script of a character, the first word of its name."""
    return unicodedata.name(sign, "other").split()[0]


def _is_shown(signs: str) -> bool:
    """Ask Typst, which sets nothing for archives that some font does not show."""
    probe = f"#set text(font: {json.dumps(_SERIF)})\n#{json.dumps(signs, ensure_ascii=False)}"
    try:
        typst.compile(probe.encode(), format="pdf", pdf_standards="a-2b")
    except typst.TypstError:
        return False
    return True


def _gathered(report: Report) -> _Data:
    edition = Edition(report)
    return {
        "title": report.topic,
        "running": words.shortened(report.topic, _HEADER_LIMIT),
        "run_in_short": words.shortened(report.run_id, _HEADER_LIMIT),
        "status": words.status(report),
        "provisional": report.status is ReportStatus.PROVISIONAL,
        "created": [report.created.year, report.created.month, report.created.day],
        "facts": list(_facts(report)),
        "keywords": own_reports.keywords(report.run_id, report.schema_version),
        "opening": [_line(each) for each in opening(edition)],
        "mark": own_reports.mark(report.run_id),
        "confidence": {
            "value": report.confidence.value,
            "text": f"{report.confidence.value:.2f}",
            "word": words.confidence_word(report.confidence.value),
        },
        "measures": list(_headline(report)),
        "parts": [
            {"anchor": part.anchor, "title": part.title, "blocks": _blocks(edition, part.blocks)}
            for part in parts(edition)
        ],
        "heads": list(words.FIGURES),
        "chart": words.CHART,
        "contested_points": words.CONTESTED_POINTS,
    }


def _facts(report: Report) -> Iterator[list[str]]:
    yield ["Date", words.moment(report.created)]
    yield ["Depth", report.depth.value]
    yield ["Reasoner", report.reasoner.name]
    yield ["Run", report.run_id]


def _headline(report: Report) -> Iterator[list[str]]:
    yield [str(len(report.sections)), "angles"]
    yield [str(report.metrics.sources_read), "sources read"]
    yield [str(len(report.claims)), "quotes verified"]
    disputed = len(report.contradictions)
    yield [str(disputed), "contradiction" if disputed == 1 else "contradictions"]
    yield [str(len(report.failures)), "failures reported"]


def _blocks(edition: Edition, blocks: Iterable[Block]) -> list[_Data]:
    """Tell the template the blocks of a part; there is nothing to fold away on paper."""
    found: list[_Data] = []
    for block in blocks:
        match block:
            case Line():
                found.append(_line(block))
            case Grid():
                rows = [[_runs(cell) for cell in row] for row in block.rows]
                found.append({"kind": "grid", "head": list(block.head), "rows": rows})
            case Figures():
                found.append({"kind": "figures", **_table(edition, block.table)})
            case Dispute():
                found.append(_dispute(edition, block))
            case Shelf():
                rated = block.is_rated
                sources = [_source(each, rated=rated) for each in block.sources]
                found.append({"kind": "shelf", "why": block.says_why, "sources": sources})
            case Fold():
                found.append(_line(Line((prose.TextRun(block.name),), "heading")))
                found += _blocks(edition, block.blocks)
    return found


def _line(line: Line) -> _Data:
    return {"kind": str(line.kind), "runs": _runs(line.runs)}


def _runs(runs: Iterable[Run]) -> list[_Data]:
    return [_run(run) for run in runs]


def _run(run: Run) -> _Data:
    match run:
        case Citation():
            return {"cite": {"number": run.number, "label": run.label}}
        case Contest():
            return {"contest": [list(link) for link in run.links]}
        case Link():
            return {"link": run.anchor, "text": run.text}
        case Command():
            return {"command": run.text}
    return {"text": run.text, "style": run.style.value}


def _table(edition: Edition, table: Table) -> _Data:
    axis = scale(table.rows)
    return {
        "unit": table.rows[0].unit,
        "axis": {"low": axis.low, "high": axis.high, "ticks": list(axis.ticks)} if axis else None,
        "rows": [_row(edition, figure) for figure in table.rows],
        "beyond": words.beyond(table.beyond),
    }


def _row(edition: Edition, figure: Figure) -> _Data:
    source = edition.source_of(figure.claim_id)
    drawn = whisker(figure)
    return {
        "label": words.row_label(figure.label),
        "value": figure.value,
        "number": figure.number,
        "whisker": [drawn.low, drawn.high] if drawn else None,
        "cite": _runs(edition.reference(figure.claim_id)),
        "year": words.year(source) if source else "–",
    }


def _dispute(edition: Edition, block: Dispute) -> _Data:
    return {
        "kind": "dispute",
        "id": block.found.id,
        "title": block.title,
        "pending": block.found in edition.pending,
        "sides": [_side(each) for each in block.sides],
        "below": [_line(each) for each in block.below],
    }


def _side(side: Side) -> _Data:
    shown = side.printed
    return {
        "letter": shown.letter,
        "value": shown.value,
        "scope": shown.scope,
        "quote": shown.quote,
        "origin": _runs(side.origin),
        "weighed": [_line(each) for each in side.weighed],
        "standing": shown.standing,
    }


def _source(source: ReportedSource, *, rated: bool) -> _Data:
    return {
        "number": source.number,
        "title": words.entitled(source),
        "address": words.web_address(source.url),
        "where": source.url if words.web_address(source.url) else "",
        "facts": words.facts(source, rated=rated).removeprefix(", "),
        "reason": source.reason,
        "copies": list(source.copies),
        "how_read": words.how_read(source),
    }

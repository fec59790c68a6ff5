"""A report as Markdown that shows what sources say and runs nothing of it."""

import re
from collections.abc import Iterable, Iterator, Sequence

from caveat.contracts.report import Report
from caveat.rendering import layout, words
from caveat.rendering.edition import Citation, Contest, Edition
from caveat.rendering.plot import Plot
from caveat.rendering.table import Cell, build_table
from caveat.rendering.visible import escape_inline, escape_markdown, render_table
from caveat.rules.sources import own_reports
from caveat.rules.text import prose


def render(report: Report) -> str:
    """Render a report as Markdown (CommonMark with tables)."""
    # Everything that comes from a source is escaped; links are http or https, or lead to an anchor
    # of the report itself.
    return "\n\n".join(_render_report(Edition(report))) + "\n"


def list_headings(report: Report) -> list[str]:
    return [each.title for each in layout.build_parts(Edition(report))]


def render_part(report: Report, name: str) -> str | None:
    """Render one part of a report, by its heading or its number; None without such a part."""
    for part in layout.build_parts(Edition(report)):
        number, _, title = part.title.partition(". ")
        if name.strip() and name.strip().casefold() in map(
            str.casefold, (part.title, number, title)
        ):
            return "\n\n".join(_render_part(part)) + "\n"
    return None


def render_documents(report: Report, questions: Sequence[Report] = ()) -> str:
    table = build_table(report, questions)
    heads = [escape_markdown(each) for each in ("Document", *table.heads)]
    rows = ((escape_markdown(row.name), *map(_render_cell, row.cells)) for row in table.rows)
    parts = (
        f"# {escape_markdown(report.topic)}",
        render_table(heads, rows),
        f"*{escape_markdown(own_reports.write_mark(report.run_id))}*",
    )
    return "\n\n".join(parts) + "\n"


def _render_cell(cell: Cell) -> str:
    if cell.absence:
        return f"*{cell.absence}*"
    parts = []
    for each in cell.entries:
        value = "" if each.value == each.quote else f"**{escape_markdown(each.value)}** "
        notes = ", ".join(filter(None, (each.caution, each.place)))
        noted = f" ({escape_markdown(notes)})" if notes else ""
        parts.append(f"{value}“{escape_markdown(each.quote)}”{noted}")
    return "<br>".join(parts)


def _render_report(edition: Edition) -> Iterator[str]:
    report = edition.report
    yield f"# {escape_markdown(report.topic)}"
    yield f"**{words.describe_status(report)}** · {words.format_datetime(report.created)}"
    yield from _render_blocks(layout.build_opening(edition))
    yield f"*{escape_markdown(own_reports.write_mark(report.run_id))}*"
    for part in layout.build_parts(edition):
        yield from _render_part(part)


def _render_part(part: layout.Part) -> Iterator[str]:
    anchor = f'<a id="{part.anchor}"></a>\n\n' if part.anchor == "debate" else ""
    yield f"{anchor}## {escape_inline(part.title)}"
    yield from _render_blocks(part.blocks)


def _render_blocks(blocks: Iterable[layout.Block]) -> Iterator[str]:
    """Render blocks; adjacent items are one list."""
    items: list[str] = []
    for block in blocks:
        if isinstance(block, layout.Line) and block.kind in _ITEMS:
            items.append(f"{_ITEMS[block.kind]}{_render_runs(block.runs)}")
            continue
        if items:
            yield "\n".join(items)
            items = []
        yield from _render_block(block)
    if items:
        yield "\n".join(items)


_ITEMS = {prose.BlockKind.ITEM.value: "- ", "subitem": "  - "}


_LINES = {prose.BlockKind.HEADING.value: "### {}", prose.BlockKind.QUOTATION.value: "> {}"}
_LINES["aside"] = "*{}*"


def _render_block(block: layout.Block) -> Iterator[str]:
    match block:
        case layout.Line():
            yield _LINES.get(block.kind, "{}").format(_render_runs(block.runs))
        case layout.Grid():
            yield render_table(block.head, ([*map(_render_runs, row)] for row in block.rows))
        case Plot():
            rows = (
                (
                    f"{escape_markdown(each.label)} {_render_runs(each.cited)}".rstrip(),
                    escape_markdown(each.value),
                    each.side or "–",
                )
                for each in block.points
            )
            yield render_table(words.FIGURES, rows)
        case layout.Dispute():
            anchor = _build_anchor(block.id)
            yield f'<a id="{anchor}"></a>**{escape_inline(block.title)}**'
            yield "\n".join(f"- {_render_runs(each.runs)}" for each in block.sides)
            yield from _render_blocks(block.below)
        case layout.Shelf():
            yield "\n".join(map(_render_source, block.sources))
        case layout.Fold():
            yield f"<details><summary>{block.name}</summary>"
            yield from _render_blocks(block.blocks)
            yield "</details>"


def _render_runs(runs: Iterable[layout.Run]) -> str:
    line = ""
    behind_citation = False
    for run in runs:
        cites = isinstance(run, Citation)
        line += ", " if cites and behind_citation else ""
        line += _render_run(run)
        behind_citation = isinstance(run, (Citation, Contest))
    return line.strip()


_FENCES = {prose.Style.STRONG: "**", prose.Style.EMPHASIS: "*"}


def _render_run(run: layout.Run) -> str:
    match run:
        case Citation():
            return f"[{escape_markdown(run.label)}](#source-{run.number})"
        case Contest():
            links = (
                f"[{escape_markdown(label)}](#{_build_anchor(name)})" for label, name in run.links
            )
            return f" ({', '.join(links)})"
        case layout.Link():
            return f"[{escape_markdown(run.text)}](#{_build_anchor(run.anchor)})"
    fence = _FENCES.get(run.style, "")
    before = " " if run.text[:1].isspace() else ""
    after = " " if run.text[-1:].isspace() else ""
    text = escape_markdown(run.text)
    return f"{before}{fence}{text}{fence}{after}" if text else before


def _build_anchor(name: str) -> str:
    return re.sub(r"[^a-z0-9-]", "", name)


def _render_source(source: layout.Listed) -> str:
    name = escape_markdown(source.name)
    linked = f"[{name}](<{source.address}>)" if source.address else name
    number = f'<a id="source-{source.number}"></a>**{source.number}.** ' if source.number else ""
    notes = map(escape_markdown, source.notes)
    return " ".join((f"- {number}{linked}{escape_markdown(source.facts)}.", *notes))

"""A report as Markdown that shows what sources say and runs nothing of it."""

import re
from collections.abc import Iterable, Iterator, Sequence

from caveat.contracts.report import Report, ReportedSource
from caveat.rendering import words
from caveat.rendering.commands import code
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
from caveat.rendering.visible import unlinked, visible
from caveat.rules.sources import own_reports
from caveat.rules.text import prose

_ACTIVE = re.compile(r"([\\`*_\[\]<>|~&$])")
_LEADING = re.compile(r"^(?:(\d+)([.)])(?=\s|$)|([#+=-]))")


def render(report: Report) -> str:
    """Write a report as Markdown (CommonMark with tables)."""
    # Everything that comes from a source is escaped; links are http or https, or lead to an anchor
    # of the report itself.
    return "\n\n".join(_written(Edition(report))) + "\n"


def _written(edition: Edition) -> Iterator[str]:
    report = edition.report
    yield own_reports.front_matter(visible(report.run_id), report.schema_version)
    yield f"# {escaped(report.topic)}"
    yield f"**{words.status(report)}** · {words.moment(report.created)}"
    yield from _blocks(edition, opening(edition))
    yield f"*{escaped(own_reports.mark(report.run_id))}*"
    for part in parts(edition):
        anchor = f'<a id="{part.anchor}"></a>\n\n' if part.anchor == "debate" else ""
        yield f"{anchor}## {_inline(part.title)}"
        yield from _blocks(edition, part.blocks)


def escaped(text: str) -> str:
    """Escape a text so that Markdown shows it as it is, on one line, and makes no link of it."""
    line = _inline(text)
    # At the start of a line a hash, a dash or "1." would begin a block.
    return _LEADING.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", line)


def _inline(text: str) -> str:
    return unlinked(_ACTIVE.sub(r"\\\1", " ".join(visible(text).split())))


def _blocks(edition: Edition, blocks: Iterable[Block]) -> Iterator[str]:
    """Set blocks; items in a row are one list."""
    items: list[str] = []
    for block in blocks:
        if isinstance(block, Line) and block.kind in _ITEMS:
            items.append(f"{_ITEMS[block.kind]}{_line(block.runs)}")
            continue
        if items:
            yield "\n".join(items)
            items = []
        yield from _block(edition, block)
    if items:
        yield "\n".join(items)


_ITEMS = {prose.BlockKind.ITEM.value: "- ", "subitem": "  - "}


def _block(edition: Edition, block: Block) -> Iterator[str]:
    match block:
        case Line():
            yield _set(block)
        case Grid():
            yield _table(block.head, ([*map(_line, row)] for row in block.rows))
        case Figures():
            yield from _figures(edition, block)
        case Dispute():
            yield from _dispute(edition, block)
        case Shelf():
            yield "\n".join(_source(each, block) for each in block.sources)
        case Fold():
            yield from _folded(block.name, _blocks(edition, block.blocks))


def _set(line: Line) -> str:
    text = _line(line.runs)
    if line.kind == prose.BlockKind.HEADING:
        return f"### {text}"
    if line.kind == prose.BlockKind.QUOTATION:
        return f"> {text}"
    return f"*{text}*" if line.kind == "aside" else text


def _line(runs: Iterable[Run]) -> str:
    line = ""
    behind_citation = False
    for run in runs:
        cites = isinstance(run, Citation)
        line += ", " if cites and behind_citation else ""
        line += _run(run)
        behind_citation = isinstance(run, (Citation, Contest))
    return line.strip()


_FENCES = {
    prose.Style.PLAIN: "",
    prose.Style.STRONG: "**",
    prose.Style.EMPHASIS: "*",
    prose.Style.CODE: "",
}


def _run(run: Run) -> str:
    match run:
        case Citation():
            return f"[{escaped(run.label)}](#source-{run.number})"
        case Contest():
            links = (f"[{escaped(label)}](#{_anchor(name)})" for label, name in run.links)
            return f" ({', '.join(links)})"
        case Link():
            return f"[{escaped(run.text)}](#{_anchor(run.anchor)})"
        case Command():
            return code(run.text)
    fence = _FENCES[run.style]
    before = " " if run.text[:1].isspace() else ""
    after = " " if run.text[-1:].isspace() else ""
    text = escaped(run.text)
    return f"{before}{fence}{text}{fence}{after}" if text else before


def _anchor(name: str) -> str:
    return re.sub(r"[^a-z0-9-]", "", name)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _figures(edition: Edition, figures: Figures) -> Iterator[str]:
    rows = []
    for figure in figures.table.rows:
        source = edition.source_of(figure.claim_id)
        cited = _line(edition.reference(figure.claim_id))
        label = f"{escaped(figure.label)} {cited}".rstrip()
        rows.append((label, escaped(figure.value), words.year(source) if source else "–"))
    yield _table(words.FIGURES, rows)
    if figures.table.beyond:
        yield f"*{escaped(words.beyond(figures.table.beyond))}*"


def _dispute(edition: Edition, dispute: Dispute) -> Iterator[str]:
    yield f'<a id="{_anchor(dispute.found.id)}"></a>**{_inline(dispute.title)}**'
    yield "\n".join(f"- {_side(each)}" for each in dispute.sides)
    yield from _blocks(edition, dispute.below)


def _folded(name: str, content: Iterable[str]) -> Iterator[str]:
    yield f"<details><summary>{name}</summary>"
    yield from content
    yield "</details>"


def _side(side: Side) -> str:
    shown = side.printed
    value = f"**{shown.letter}: {escaped(shown.value)}**" if shown.value else f"**{shown.letter}**"
    said = shown.quote
    is_new = shown.scope.casefold() not in said.casefold()
    scope = f"{value} ({escaped(shown.scope)})" if is_new else value
    quote = f": “{escaped(said)}”" if said else "."
    standing = f" *({shown.standing})*" if shown.standing else ""
    weighed = "".join(f" {_line(each.runs)}" for each in side.weighed)
    return f"{scope}{standing}: {_line(side.origin)}{quote}{weighed}"


def _source(source: ReportedSource, shelf: Shelf) -> str:
    address, title = words.web_address(source.url), escaped(words.entitled(source))
    number = f'<a id="source-{source.number}"></a>**{source.number}.** ' if source.number else ""
    notes = [escaped(words.how_read(source))]
    if source.copies:
        notes.insert(0, f"Also at {', '.join(map(_address, source.copies))}.")
    if shelf.says_why and source.reason:
        notes.append(f"Reason: {escaped(source.reason)}.")
    linked = f"[{title}](<{address}>)" if address else title
    return " ".join(
        (
            f"- {number}{linked}{escaped(words.facts(source, rated=shelf.is_rated))}.",
            *filter(None, notes),
        )
    )


def _address(text: str) -> str:
    address = words.web_address(text)
    return f"[{escaped(text)}](<{address}>)" if address else escaped(text)

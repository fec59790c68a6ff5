"""A report as Markdown that shows what sources say and runs nothing of it."""

import re
from collections.abc import Iterable, Iterator, Sequence

from caveat.contracts.confidence import Confidence
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Report, ReportedSource, ReportStatus, Revision, Section
from caveat.contracts.source import SourceKind
from caveat.contracts.synthesis import Figure
from caveat.rendering import words
from caveat.rendering.commands import code
from caveat.rendering.edition import (
    Citation,
    Contest,
    Edition,
    Examined,
    Inline,
    PrintedPassage,
    PrintedSide,
)
from caveat.rendering.visible import unlinked, visible
from caveat.rules.contradictions.choices import PAIR, listed
from caveat.rules.report import conflict, states_answer
from caveat.rules.sources import own_reports
from caveat.rules.text import prose

_ACTIVE = re.compile(r"([\\`*_\[\]<>|~&$])")
_LEADING = re.compile(r"^(?:(\d+)([.)])(?=\s|$)|([#+=-]))")


def render(report: Report) -> str:
    """Write a report as Markdown (CommonMark with tables).

    Everything that comes from a source is escaped; links are http or https, or lead to an anchor
    of the report itself.

    Returns:
        The whole document, ending with a newline.
    """
    edition = Edition(report)
    if edition.is_written:
        return "\n\n".join(_written_report(edition)) + "\n"
    return "\n\n".join(_report_of_quotes(edition)) + "\n"


def _report_of_quotes(edition: Edition) -> Iterator[str]:
    """A report that nobody wrote: the closest passages, values side by side, sources."""
    report = edition.report
    yield from _head(edition)
    if states_answer(report):
        yield from _part("answer", "Answer", _answer(edition))
    if edition.has_summary:
        yield from _part("executive-summary", "Executive summary", _summary(edition))
    yield from _part("contradictions", "Contradictions", _contradictions(edition))
    for number, section in enumerate(report.sections, start=1):
        yield from _section(edition, section, number)
    if report.debate:
        yield from _part("debate", "Debate", _debate(edition))
    if report.gaps:
        yield from _part("evidence-gaps", "Evidence gaps", _gaps(report))
    yield from _part("data-limitations", "Data limitations", _limitations(report))
    yield from _part("sources", "Sources", _sources(edition))
    yield from _part("confidence-assessment", "Confidence assessment", _assessment(report))
    yield from _part("about-this-run", "About this run", _about(report))


def _written_report(edition: Edition) -> Iterator[str]:
    """A report that a model wrote: its answer, what is disputed, the angles; the rest folds."""
    report = edition.report
    yield from _written_head(edition)
    yield from _part("answer", "Answer", _written_answer(edition))
    if report.contradictions:
        yield from _part("contradictions", "What is disputed", _disputes(edition))
    for number, section in enumerate(report.sections, start=1):
        yield from _part(f"section-{number}", _numbered(section, number), _told(edition, section))
    if edition.timeline:
        yield from _part("timeline", "Timeline", _timeline(edition))
    if report.debate:
        yield from _part("debate", "Debate", _debate(edition))
    if report.gaps:
        yield from _part("evidence-gaps", "Evidence gaps", _gaps(report))
    yield from _part("data-limitations", "Data limitations", _written_limitations(report))
    yield from _part("sources", "Sources", _sources(edition))
    yield from _part("quotes", "Appendix", _appendix(edition))
    yield f"*{escaped(report.reasoner.disclosure)} {escaped(own_reports.mark(report.run_id))}*"


def _appendix(edition: Edition) -> Iterator[str]:
    """What stands behind the prose, folded: a reader of the report does not need it."""
    report = edition.report
    value = words.confidence(report.confidence.value)
    tables = [line for each in report.sections for line in _side_by_side(edition, each)]
    yield from _folded("What the sources say", _quotes(edition))
    if tables:
        yield from _folded("Values side by side", tables)
    yield from _folded(f"Confidence {value}, step by step", (_ledger(report.confidence),))
    yield from _folded("About this run", _about(report))


def _side_by_side(edition: Edition, section: Section) -> Iterator[str]:
    if section.figures:
        yield f"**{escaped(section.title)}**"
    yield from _tables(edition, section.figures)


def _folded(title: str, content: Iterable[str]) -> Iterator[str]:
    yield f"<details><summary>{title}</summary>"
    yield from content
    yield "</details>"


def _written_head(edition: Edition) -> Iterator[str]:
    report = edition.report
    yield own_reports.front_matter(visible(report.run_id), report.schema_version)
    yield f"# {escaped(report.topic)}"
    yield f"**{words.status(report)}** · {words.moment(report.created)}"
    yield f"**Confidence.** {escaped(words.assurance(report.confidence))}"
    if report.revision is not None:
        yield from _revision(report.revision)
    for said in words.advised(report):
        yield f"*{escaped(said)}*"
    if not report.contradictions:
        yield f"*{words.compared(report)}*"


def _numbered(section: Section, number: int) -> str:
    return f"{number}. {escaped(section.title)}"


def _told(edition: Edition, section: Section) -> Iterator[str]:
    """What a section says that nothing before it does."""
    told = edition.told[section.assignment_id]
    yield from _prose(edition, told.prose)
    if told.disputes:
        links = (f"[{escaped(each)}](#{_anchor(name)})" for name, each in _numbers(told.disputes))
        yield f"Disputed: {', '.join(links)}."
    elif not told.prose.strip():
        yield edition.absence(section)
    yield from _typed(edition, section)


def _numbers(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((name, name.removeprefix("contradiction-")) for name in names)


def _written_answer(edition: Edition) -> Iterator[str]:
    report = edition.report
    yield f"**{words.answered(report)}** {escaped(report.answered_because)}"
    yield from _prose(edition, report.summary)
    lacks = [f"- **{escaped(each.part)}** {escaped(each.why)}".rstrip() for each in report.missing]
    if lacks:
        yield "Not answered:"
        yield "\n".join(lacks)


def _disputes(edition: Edition) -> Iterator[str]:
    """Both sides of what is open, with what speaks for each; in a line what is settled."""
    for contradiction in edition.unsettled:
        yield f'<a id="{_anchor(contradiction.id)}"></a>'
        yield f"**{escaped(_number(contradiction))}. {escaped(words.at_issue(contradiction))}**"
        yield "\n".join(
            f"- {_side(edition, contradiction, each)}" for each in edition.sides(contradiction)
        )
    yield from _fates(edition.unsettled)
    if edition.settled:
        yield "Settled:"
    for contradiction in edition.settled:
        yield f'<a id="{_anchor(contradiction.id)}"></a>'
        reason = escaped(words.sentence(contradiction.reason))
        about = escaped(words.sentence(words.at_issue(contradiction)))
        values = "; ".join(map(_value, edition.sides(contradiction)))
        fate = escaped(words.sentence(words.fate(contradiction)))
        yield f"- {_number(contradiction)}. {about} {values}. {fate} {reason}"


def _fates(unsettled: Sequence[Contradiction]) -> Iterator[str]:
    """How far disputes are settled, once for those of which the same is to be said."""
    alike: dict[tuple[str, str, int], list[Contradiction]] = {}
    for each in unsettled:
        said = (words.fate(each), words.call(each), len(each.sides))
        alike.setdefault(said, []).append(each)
    for (fate, call, _), found in alike.items():
        named = listed([_number(each) for each in found])
        command = words.answer_command(found[0])
        asked = f" {call} {code(command)}" if command is not None and call else ""
        others = ", and the others by their own numbers." if asked and len(found) > 1 else ""
        yield f"{escaped(named)}: {escaped(fate)}.{asked}{others}"


def _number(contradiction: Contradiction) -> str:
    return contradiction.id.removeprefix("contradiction-")


def _value(side: PrintedSide) -> str:
    """A value by its letter, as rulings name it, with who states it."""
    scope = f" ({escaped(side.scope)})" if side.scope else ""
    value = f"**{escaped(side.value)}**" if side.value else "–"
    return f"{side.letter}: {value}{scope} {_cited(side)}".rstrip()


def _cited(side: PrintedSide) -> str:
    cited = dict.fromkeys(each for each in (side.citation, *side.others) if each)
    return ", ".join(map(_cite, cited))


def _side(edition: Edition, contradiction: Contradiction, side: PrintedSide) -> str:
    """A side by its letter, as rulings name it: its value stands in its quote, or before it."""
    quote = side.claim.quote if side.claim else ""
    shown, found = _with_value(quote, side.value)
    value = f"**{escaped(side.value)}**. " if side.value and not found else ""
    scope = "" if side.scope.casefold() in quote.casefold() else f"({escaped(side.scope)}) "
    source = f"{_origin_title(side)} {_cited(side)}: " if side.source else ""
    told = edition.weighing(contradiction, side.letter)
    weighed = " ".join(_line(edition.runs(block)) for block in prose.blocks(told))
    return f"{side.letter}: {value}{scope}{source}{shown} {weighed}".rstrip()


def _with_value(quote: str, value: str) -> tuple[str, bool]:
    """Set the value strong where a quote states it; say whether it does."""
    before, stated, behind = quote.partition(value) if value else (quote, "", "")
    if not quote or not stated:
        return (f"“{escaped(quote)}”" if quote else ""), False
    return f"“{_near(before)}**{escaped(stated)}**{_near(behind)}”", True


def _near(text: str) -> str:
    """Escape a part of a line: the spaces at its ends belong to the line."""
    before = " " if text[:1].isspace() else ""
    after = " " if text.strip() and text[-1:].isspace() else ""
    return f"{before}{escaped(text)}{after}"


def _origin_title(side: PrintedSide) -> str:
    source = side.source
    if source is None:
        return ""
    return escaped(words.entitled(source).removesuffix(", undated"))


def _timeline(edition: Edition) -> Iterator[str]:
    yield "\n".join(
        f"- **{escaped(each.written)}**: {escaped(each.claim.text)} "
        f"{_line(edition.reference(each.claim.id))}"
        for each in edition.timeline
    )


def _quotes(edition: Edition) -> Iterator[str]:
    """The quotes that the prose cites, once each, by source."""
    lines = [
        f"- {_line(edition.reference(claim.id))} “{escaped(claim.quote)}”"
        for claim in edition.appended
    ]
    yield "\n".join(lines) or words.NO_SUMMARY


def escaped(text: str) -> str:
    """Escape a text so that Markdown shows it as it is, on one line, and makes no link of it."""
    line = unlinked(_ACTIVE.sub(r"\\\1", " ".join(visible(text).split())))
    # At the start of a line a hash, a dash or "1." would begin a block.
    return _LEADING.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", line)


def _part(anchor: str, title: str, content: Iterable[str]) -> Iterator[str]:
    yield f'<a id="{anchor}"></a>'
    yield f"## {title}"
    yield from content


def _head(edition: Edition) -> Iterator[str]:
    report = edition.report
    yield own_reports.front_matter(visible(report.run_id), report.schema_version)
    yield f"# {escaped(report.topic)}"
    yield f"**{words.status(report)}** · {words.moment(report.created)}"
    yield f"**Confidence: {words.confidence(report.confidence.value)}**"
    if report.status is ReportStatus.PROVISIONAL:
        yield edition.may_change
    disclosed = f"{report.reasoner.disclosure} {words.ranked(report)}".rstrip()
    yield f"*{escaped(disclosed)}*"
    for said in words.advised(report):
        yield f"*{escaped(said)}*"
    yield f"*{escaped(own_reports.mark(report.run_id))}*"
    if report.revision is not None:
        yield from _revision(report.revision)


def _revision(revision: Revision) -> Iterator[str]:
    yield f"**{escaped(words.revises(revision))}**"
    if revision.changes:
        yield "\n".join(f"- {escaped(change)}" for change in revision.changes)


def _section(edition: Edition, section: Section, number: int) -> Iterator[str]:
    yield f'<a id="section-{number}"></a>'
    yield f"## {number}. {escaped(section.title)}"
    if section.question != edition.report.topic:
        yield f"*{escaped(section.question)}*"
    yield f"**Confidence: {words.confidence(section.confidence.value)}**"
    if not section.summary.strip():
        yield edition.absence(section)
    yield from _prose(edition, edition.told[section.assignment_id].prose)
    yield from _compared(edition, section)
    yield from _typed(edition, section)
    if share := words.share(section):
        yield f"*{share}*"
    quotes = edition.unquoted(section)
    if quotes:
        yield "**In the words of the sources**"
    for claim in quotes:
        yield f"> “{escaped(claim.quote)}” {_line(edition.reference(claim.id))}".rstrip()
    if challenged := edition.challenged(section):
        yield f"*[{words.challenged(challenged)}](#debate)*"


def _compared(edition: Edition, section: Section) -> Iterator[str]:
    figures = [each for each in section.figures if each not in edition.report.stated]
    if figures:
        yield f"*{words.SIDE_BY_SIDE}*"
    yield from _tables(edition, figures)


def _tables(edition: Edition, figures: Sequence[Figure]) -> Iterator[str]:
    for table in edition.tables(figures):
        yield _figures(edition, table.rows)
        if table.beyond:
            yield f"*{escaped(words.beyond(table.beyond))}*"


def _typed(edition: Edition, section: Section) -> Iterator[str]:
    """The figures of a specialist's kinds, in the words of the sources."""
    rows = [
        (each.kind, escaped(each.written), _line(edition.reference(each.claim_id)) or "–")
        for each in edition.typed(section)
    ]
    if rows:
        yield _table(words.TYPED, rows)


def _answer(edition: Edition) -> Iterator[str]:
    """The answer, the disputed values, or the plain words that there is none."""
    report = edition.report
    yield f"**{words.answered(report)}** {escaped(report.answered_because)}"
    yield from _prose(edition, report.answer, in_context=True)
    for contradiction in edition.disputed:
        if found := conflict(report.stated, contradiction):
            yield escaped(words.farthest(found))
    if report.stated:
        yield words.STATED
        yield _figures(edition, report.stated)


def _summary(edition: Edition) -> Iterator[str]:
    if edition.quotes_alone is not None:
        yield f"*{escaped(edition.quotes_alone)}*"
    if not edition.report.summary.strip():
        yield words.NO_SUMMARY
    yield from _prose(edition, edition.summary)


def _place(passage: PrintedPassage) -> str:
    return f"*{escaped(passage.heading)}*: " if passage.heading else ""


def _prose(edition: Edition, markdown: str, *, in_context: bool = False) -> Iterator[str]:
    """Write prose, each quote in its context if told."""
    items: list[str] = []
    for block in prose.blocks(markdown):
        line = _line(edition.runs(block))
        passage = edition.passage(block) if in_context else None
        if passage is not None:
            shown = f"{_place(passage)}{_line(passage.runs)} {_line(passage.citations)}".rstrip()
            line = f"{shown} *{edition.standing(block)}*"
        if block.kind is prose.BlockKind.ITEM:
            items.append(f"- {line}")
            continue
        if items:
            yield "\n".join(items)
            items = []
        yield _block(block.kind, line)
    if items:
        yield "\n".join(items)


def _block(kind: prose.BlockKind, line: str) -> str:
    if kind is prose.BlockKind.HEADING:
        return f"### {line}"
    return f"> {line}" if kind is prose.BlockKind.QUOTATION else line


def _line(runs: Sequence[Inline]) -> str:
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


def _run(run: Inline) -> str:
    if isinstance(run, Citation):
        return _cite(run)
    if isinstance(run, Contest):
        links = (f"[{escaped(label)}](#{_anchor(name)})" for label, name in run.links)
        return f" ({', '.join(links)})"
    fence = _FENCES[run.style]
    before = " " if run.text[:1].isspace() else ""
    after = " " if run.text[-1:].isspace() else ""
    text = escaped(run.text)
    return f"{before}{fence}{text}{fence}{after}" if text else before


def _cite(citation: Citation) -> str:
    return f"[{escaped(citation.label)}](#source-{citation.number})"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _figures(edition: Edition, figures: Sequence[Figure]) -> str:
    rows = []
    for figure in figures:
        source = edition.source_of(figure.claim_id)
        rows.append(
            (
                escaped(figure.label),
                escaped(figure.value),
                _line(edition.reference(figure.claim_id)) or "–",
                words.year(source) if source else "–",
            )
        )
    return _table(words.FIGURES, rows)


def _contradictions(edition: Edition) -> Iterator[str]:
    if not edition.report.contradictions:
        yield words.compared(edition.report)
        return
    if how := words.contradictions(edition.report):
        yield how
    for contradiction in edition.report.contradictions:
        yield f'<a id="{_anchor(contradiction.id)}"></a>'
        yield f"### {escaped(words.ordinal(contradiction.id))}: {escaped(contradiction.about)}"
        yield _fate(contradiction)
        yield _sides(edition.sides(contradiction))
        yield from _settlement(edition, contradiction)


def _anchor(contradiction_id: str) -> str:
    return re.sub(r"[^a-z0-9-]", "", contradiction_id)


def _fate(contradiction: Contradiction) -> str:
    sure = contradiction.confidence
    measures = [contradiction.kind, *([] if sure is None else [f"confidence {sure:.2f}"])]
    return f"**{escaped(words.fate(contradiction))}** · {' · '.join(measures)}"


def _sides(sides: Sequence[PrintedSide]) -> str:
    """Two sides beside each other, more below each other, with whatever is known of each."""
    facts = [_facts(side) for side in sides]
    # Nobody says the value alone, or what it is confined to, of every contradiction.
    names = [name for name in facts[0] if any(fact[name] for fact in facts)]
    rows: Iterable[Sequence[str]]
    if len(sides) == PAIR:
        rows = ((name, *(fact[name] or "–" for fact in facts)) for name in names)
        return _table(("", *(side.letter for side in sides)), rows)
    rows = (
        (side.letter, *(fact[name] or "–" for name in names))
        for side, fact in zip(sides, facts, strict=True)
    )
    return _table(("", *names), rows)


def _facts(side: PrintedSide) -> dict[str, str]:
    source = side.source
    return {
        "Value": escaped(side.value),
        "Scope": escaped(side.scope),
        "Quote": f"“{escaped(side.claim.quote)}”" if side.claim else "–",
        "Source": _origin(side),
        "Published": _published(source) if source else "–",
        "Credibility": f"{source.credibility:.2f}" if source else "–",
        "Also said by": ", ".join(map(_cite, side.others)) or "–",
        "What became of it": side.standing,
    }


def _origin(side: PrintedSide) -> str:
    title = escaped(side.source.title) if side.source else "–"
    return f"{title} {_cite(side.citation)}" if side.citation else title


def _settlement(edition: Edition, contradiction: Contradiction) -> Iterator[str]:
    steps = [f"- {escaped(step)}" for step in edition.course(contradiction)]
    if steps:
        yield "\n".join(steps)
    command = words.answer_command(contradiction)
    if command is not None and (call := words.call(contradiction)):
        yield f"{call} {code(command)}"


def _debate(edition: Edition) -> Iterator[str]:
    debate = edition.report.debate
    if debate is not None:
        yield escaped(words.debaters(debate))
    yield "\n".join(_examined(edition, each) for each in edition.examined) or words.NO_REMARKS


def _examined(edition: Edition, examined: Examined) -> str:
    quote = escaped(words.recognisable(examined.claim.quote))
    lines = [f"- “{quote}” {_line(edition.reference(examined.claim.id))}".rstrip()]
    for remark in examined.remarks:
        evidence = ", ".join(
            _cite(citation) for citation in map(edition.citation, remark.evidence) if citation
        )
        said = escaped(words.sentence(remark.text))
        lines.append(f"  - *{words.speaker(remark)}* {said} {evidence}".rstrip())
    return "\n".join(lines)


def _gaps(report: Report) -> Iterator[str]:
    lines = [f"- **{escaped(gap.area)}:** {escaped(gap.reason)}" for gap in report.gaps]
    yield "\n".join(lines) or words.NO_GAPS


def _limitations(report: Report) -> Iterator[str]:
    lines = [
        f"- **{escaped(limit.area)}.** {escaped(limit.why)} {escaped(limit.consequence)}"
        for limit in report.limitations
    ]
    yield "\n".join(lines) or words.NO_LIMITATIONS
    yield from _failures(report)


def _written_limitations(report: Report) -> Iterator[str]:
    lines, *failures = _limitations(report)
    yield lines
    if failures:
        yield from _folded("What failed, task by task", failures)


def _failures(report: Report) -> Iterator[str]:
    if report.failures:
        yield _table(
            ("Task", "What failed", "Why", "Attempts", "What came of it"),
            (
                (
                    escaped(failed.task_id),
                    escaped(failed.task_description),
                    escaped(failed.failure.message),
                    words.attempts(failed),
                    words.aftermath(failed),
                )
                for failed in report.failures
            ),
        )


def _sources(edition: Edition) -> Iterator[str]:
    """Sources by title, author and date; of those that nothing cites the names alone."""
    if unchecked := words.unchecked(edition.report):
        yield unchecked
    yield "\n".join(f"- {_source(source)}" for source in edition.cited)
    if edition.uncited:
        named = "; ".join(map(_entitled, edition.uncited))
        yield f"Read, not cited: {named}."
    if edition.set_aside:
        yield "### Set aside"
        yield "\n".join(f"- {_source(each)} {_reason(each)}".rstrip() for each in edition.set_aside)


def _entitled(source: ReportedSource) -> str:
    address = words.web_address(source.url)
    title = escaped(words.entitled(source))
    return f"[{title}](<{address}>)" if address else title


def _source(source: ReportedSource) -> str:
    address = words.web_address(source.url)
    path = source.path if source.path != source.title else None
    where = (path, source.url if not address else None)
    facts = [
        _entitled(source),
        *(escaped(each) for each in where if each),
        *([source.kind.value] if source.kind is not SourceKind.UNKNOWN else []),
        f"credibility {source.credibility:.2f}",
    ]
    copies = ", ".join(map(_address, source.copies))
    more = (
        f"Also at {copies}." if copies else "",
        escaped(words.how_read(source)),
    )
    name = f'<a id="source-{source.number}"></a>**{source.number}.** ' if source.number else ""
    return " ".join(filter(None, (f"{name}{', '.join(facts)}.", *more)))


def _reason(source: ReportedSource) -> str:
    return f"Reason: {escaped(source.reason)}." if source.reason else ""


def _published(source: ReportedSource) -> str:
    return words.published(source)


def _address(text: str) -> str:
    address = words.web_address(text)
    return f"[{escaped(text)}](<{address}>)" if address else escaped(text)


def _assessment(report: Report) -> Iterator[str]:
    value = words.confidence(report.confidence.value)
    yield f"{value}, step by step:"
    yield _ledger(report.confidence)
    if len(report.sections) == 1:
        return
    if unsure := words.unsure(report.sections):
        yield escaped(unsure)
    for number, section in enumerate(report.sections, start=1):
        yield (
            f"**{number}. {escaped(section.title)}:** {words.confidence(section.confidence.value)}"
        )
        yield _ledger(section.confidence)


def _ledger(confidence: Confidence) -> str:
    return _table(
        ("Step", "Reason", "Operation", "Before", "After"),
        (
            (
                str(number),
                escaped(step.reason),
                words.step(step),
                f"{step.before:.4g}",
                f"{step.after:.4g}",
            )
            for number, step in enumerate(confidence.ledger, start=1)
        ),
    )


def _about(report: Report) -> Iterator[str]:
    yield _table(("Measure", "Value"), ((escaped(k), escaped(v)) for k, v in _run_facts(report)))


def _run_facts(report: Report) -> Iterator[tuple[str, str]]:
    yield "Run", report.run_id
    yield "Reasoner", report.reasoner.name
    if how := words.compared_by(report):
        yield "Comparison", how
    yield from words.measures(report.metrics)

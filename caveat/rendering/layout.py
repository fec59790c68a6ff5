"""What a report shows, part by part; Markdown, HTML and PDF set the blocks that stand here."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from caveat.contracts.confidence import Confidence
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Method, ReportedSource, Section
from caveat.contracts.synthesis import Figure
from caveat.rendering import words
from caveat.rendering.charts import Table
from caveat.rendering.edition import Contest, Edition, Examined, Inline, PrintedPassage, PrintedSide
from caveat.rules.contradictions.choices import listed, subject_of
from caveat.rules.report import DIRECT, conflict
from caveat.rules.text import prose


@dataclass(frozen=True)
class Link:
    """Words that lead to another place of the report."""

    text: str
    anchor: str


@dataclass(frozen=True)
class Command:
    """A command that people can copy."""

    text: str


Run = Inline | Link | Command


@dataclass(frozen=True)
class Line:
    """A line of text.

    Attributes:
        kind: paragraph, item, quotation or heading as in prose; `subitem`, or `aside`.
    """

    runs: tuple[Run, ...]
    kind: str = prose.BlockKind.PARAGRAPH


@dataclass(frozen=True)
class Grid:
    """A table of words."""

    name: str
    head: tuple[str, ...]
    rows: tuple[tuple[tuple[Run, ...], ...], ...]


@dataclass(frozen=True)
class Figures:
    """A table of figures of one unit, which may be drawn."""

    name: str
    table: Table


@dataclass(frozen=True)
class Side:
    """One value of a contradiction: who says it, in which words, and what speaks for it."""

    printed: PrintedSide
    origin: tuple[Run, ...]
    weighed: tuple[Line, ...]


@dataclass(frozen=True)
class Dispute:
    """A contradiction with all of its sides, and how it stands."""

    found: Contradiction
    title: str
    sides: tuple[Side, ...]
    below: tuple[Line, ...]


@dataclass(frozen=True)
class Shelf:
    """Sources, a line each."""

    sources: tuple[ReportedSource, ...]
    is_rated: bool
    says_why: bool = False


@dataclass(frozen=True)
class Fold:
    """What only few readers want to see, where a face can fold it away."""

    name: str
    blocks: tuple["Block", ...]


Block = Line | Grid | Figures | Dispute | Shelf | Fold


@dataclass(frozen=True)
class Part:
    """A heading and what stands under it."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]


def opening(edition: Edition) -> Iterator[Line]:
    """Say before everything else how sure a report is, and what it revises."""
    report = edition.report
    why = words.assurance(report.confidence) if report.confidence.reasons else ""
    sure = words.confidence(report.confidence.value)
    yield Line((_strong("Confidence. " if why else "Confidence: "), _text(why or f"{sure}.")))
    if report.revision is not None:
        yield Line((_strong(words.revises(report.revision)),))
        yield from (_line(change, "item") for change in report.revision.changes)


def _notes(edition: Edition) -> Iterator[Line]:
    """Say behind the answer by what it was found, and what people told the run."""
    report = edition.report
    made = () if edition.is_written else (report.reasoner.disclosure, words.ranked(report))
    yield from (_line(note, "aside") for note in (*made, *words.advised(report)) if note)


def parts(edition: Edition) -> Iterator[Part]:
    """Return the parts of a report in order; what has nothing to say is none."""
    report = edition.report
    made: list[tuple[str, str, Iterable[Block]]] = [("answer", "Answer", _answer(edition))]
    if edition.has_summary:
        made.append(("executive-summary", "Executive summary", _summary(edition)))
    made.append(("contradictions", "Contradictions", _contradictions(edition)))
    number = 1
    for section in report.sections:
        told = tuple(_section(edition, section, number))
        if not told:
            continue
        if (
            not edition.is_written and section.title == DIRECT and section.claims
        ):  # the best stand above
            told = (Fold(words.FURTHER, told),)
        made.append((f"section-{number}", f"{number}. {section.title}", told))
        number += 1
    if edition.is_written:
        made.append(("timeline", "Timeline", _timeline(edition)))
    made += [
        ("debate", "Debate", _debate(edition)),
        ("evidence-gaps", "Evidence gaps", _gaps(edition)),
        ("data-limitations", "Data limitations", _limitations(edition)),
        ("sources", "Sources", _sources(edition)),
        ("appendix", "Appendix", _appendix(edition)),
    ]
    notes = tuple(_notes(edition))
    for anchor, title, blocks in made:
        if shown := tuple(blocks):
            yield Part(anchor, title, (*shown, *notes))
            notes = ()


def _links(names: Sequence[str]) -> list[Run]:
    """Lead to contradictions by their numbers, a space before the first."""
    links: list[Run] = []
    for name in names:
        links += [_text(", " if links else " "), Link(words.number(name), name)]
    return links


def _text(text: str) -> prose.TextRun:
    return prose.TextRun(text)


def _strong(text: str) -> prose.TextRun:
    return prose.TextRun(text, prose.Style.STRONG)


def _line(text: str, kind: str = prose.BlockKind.PARAGRAPH) -> Line:
    return Line((_text(text),), kind)


def prose_lines(edition: Edition, markdown: str, *, in_context: bool = False) -> Iterator[Line]:
    """Set prose, each quote in its context if told."""
    for block in prose.blocks(markdown):
        passage = edition.passage(block) if in_context else None
        runs = edition.runs(block) if passage is None else _in_place(edition, block, passage)
        claim = edition.quoted_in(block)
        translation = edition.translation(claim) if claim else ""
        yield Line((*runs, *((_text(f" {translation}"),) if translation else ())), block.kind)


def _in_place(edition: Edition, block: prose.Block, passage: PrintedPassage) -> Iterator[Run]:
    if passage.heading:
        yield prose.TextRun(passage.heading, prose.Style.EMPHASIS)
        yield _text(": ")
    yield from (*passage.runs, _text(" "), *passage.citations)
    yield prose.TextRun(f" {edition.standing(block)}", prose.Style.EMPHASIS)


def _answer(edition: Edition) -> Iterator[Block]:
    """The answer, the disputed values, or the plain words that there is none."""
    report = edition.report
    is_quoted = report.answered is None and bool(report.answer)
    said = words.NO_ANSWER if is_quoted else report.answered_because
    yield Line((_strong(f"{words.answered(report)} "), _text(said)))
    yield from prose_lines(edition, edition.opening, in_context=True)
    if is_quoted:
        yield _line(report.answered_because)
    for lack in (each for each in report.missing if each.why):  # the others are named above
        part = f"Not answered: {words.sentence(lack.part)} "
        why = (run for block in prose.blocks(lack.why) for run in edition.runs(block))
        yield Line((_strong(part), *why), "item")
    for found in edition.disputed:
        if apart := conflict(report.stated, found):
            yield _line(words.farthest(apart))
    asked = () if edition.is_written else report.stated  # else its contradictions show them
    if tables := tuple(_figures(edition, asked, "Values of what was asked")):
        yield _line(words.STATED)
        yield from tables


def _figures(edition: Edition, figures: Sequence[Figure], name: str) -> Iterator[Figures]:
    yield from (Figures(name, table) for table in edition.tables(figures))


def _summary(edition: Edition) -> Iterator[Block]:
    if edition.quotes_alone is not None:
        yield _line(edition.quotes_alone, "aside")
    if not edition.report.summary.strip():
        yield _line(words.NO_SUMMARY)
    yield from prose_lines(edition, edition.summary)


def _contradictions(edition: Edition) -> Iterator[Block]:
    report = edition.report
    if not report.contradictions:
        yield _line(words.compared(report))
        return
    fates = {words.number(each.id): words.settlement(each) for each in report.contradictions}
    awaited = (words.settlement(each) for each in report.contradictions if each.is_open)
    shared = [fate for fate, count in Counter(awaited).items() if count > 1]
    said = [words.BY_RULES] if report.methods.comparison is Method.RULES else []
    for fate in shared:
        names = [name for name in fates if fates[name] == fate]
        said.append(f"{fate}." if len(names) == len(fates) else f"{fate} ({listed(names)}).")
    if said:
        yield _line(" ".join(said), "aside")
    asked = [each for each in report.contradictions if words.call(each)]
    for each in {len(each.sides): each for each in reversed(asked)}.values():
        if command := words.answer_command(each):
            late = "" if each.is_open else ", late and in a revision"
            how = f"To rule, by number{late}: "
            yield Line((_text(how), Command(command)))
    for each in report.contradictions:
        yield Dispute(
            found=each,
            title=f"{words.number(each.id)}. {words.sentence(_subject(edition, each))}",
            sides=tuple(_side(edition, each, side) for side in edition.sides(each)),
            below=tuple(_below(edition, each, shared)),
        )


def _subject(edition: Edition, found: Contradiction) -> str:
    """What a dispute is about, without its values where these stand below in a model's words."""
    return subject_of(found.about) if edition.is_written else found.about


def _side(edition: Edition, found: Contradiction, side: PrintedSide) -> Side:
    # What the table of values names is not named again.
    named = {each.claim_id for each in edition.report.stated}
    origin: list[Run] = []
    if side.source and side.claim and side.claim.id not in named:
        origin = [_text(f"{words.origin(side.source)} ")]
    origin += dict.fromkeys(filter(None, (side.citation, *side.others)))
    translation = edition.translation(side.claim) if side.claim else ""
    weighed = (
        *([_line(translation)] if translation else ()),
        *(
            _within(line, found)
            for line in prose_lines(edition, edition.weighing(found, side.letter))
        ),
    )
    return Side(side, tuple(origin), weighed)


def _within(line: Line, found: Contradiction) -> Line:
    """Leave out that what stands in a dispute is part of it."""
    marks = (
        replace(run, contradictions=tuple(name for name in run.contradictions if name != found.id))
        if isinstance(run, Contest)
        else run
        for run in line.runs
    )
    kept = (run for run in marks if not isinstance(run, Contest) or run.contradictions)
    return replace(line, runs=tuple(kept))


def _below(edition: Edition, found: Contradiction, shared: Sequence[str]) -> Iterator[Line]:
    """How a contradiction stands, why, and how a person rules on it; its sides say what holds."""
    if between := edition.between(found):
        yield _line(between)
    said = [fate] if (fate := words.settlement(found)) not in shared else []
    said += [why] if (why := words.reason_of(found)) else []
    if said:
        yield _line(" ".join(map(words.sentence, said)))


def _section(edition: Edition, section: Section, number: int) -> Iterator[Block]:
    if not edition.is_written:
        asked = f"{section.question} " if section.question != edition.report.topic else ""
        sure = words.confidence(section.confidence.value)
        yield _line(f"{asked}Confidence: {sure}.", "aside")
    yield from _told(edition, section)
    stated = [each for each in section.figures if each not in edition.report.stated]
    figures = tuple(_figures(edition, stated, f"Figures of section {number}"))
    if figures:
        yield _line(words.SIDE_BY_SIDE, "aside")
        yield from figures
    if rows := tuple(
        ((_text(each.kind),), (_text(each.written),), edition.reference(each.claim_id))
        for each in edition.typed(section)
    ):
        yield Grid(f"Kinds of figures of section {number}", words.TYPED, rows)
    if share := "" if edition.is_written else words.share(section):
        yield _line(share, "aside")
    if quotes := edition.unquoted(section):
        yield Line((_strong("In the words of the sources"),), "heading")
        yield from (Line(tuple(_quoted(edition, each.id)), "quotation") for each in quotes)
    if challenged := edition.challenged(section):
        yield Line((Link(words.challenged(challenged), "debate"),), "aside")


def _told(edition: Edition, section: Section) -> Iterator[Line]:
    """The prose of a section, without what stands before it."""
    if not section.summary.strip():
        yield _line(edition.absence(section))
    told = edition.told[section.assignment_id]
    yield from prose_lines(edition, told.prose)
    if told.disputes:
        yield Line((_text("Disputed:"), *_links(told.disputes), _text(".")))


def _quoted(edition: Edition, name: str) -> Iterator[Run]:
    claim = edition.claims[name]
    translation = edition.translation(claim)
    yield _text(f"“{claim.quote}” {translation} " if translation else f"“{claim.quote}” ")
    yield from edition.reference(name)


def _timeline(edition: Edition) -> Iterator[Block]:
    for each in edition.timeline:
        cited = edition.reference(each.claim.id)
        yield Line((_strong(each.written), _text(f": {each.claim.text} "), *cited), "item")


def _debate(edition: Edition) -> Iterator[Block]:
    if edition.report.debate is None:
        return
    yield _line(words.debaters(edition.report.debate))
    for each in edition.examined:
        yield from _examined(edition, each)
    if not edition.examined:
        yield _line(words.NO_REMARKS)


def _examined(edition: Edition, examined: Examined) -> Iterator[Line]:
    quote = _text(f"“{words.recognisable(examined.claim.quote)}” ")
    yield Line((quote, *edition.reference(examined.claim.id)), "item")
    for remark in examined.remarks:
        cited = filter(None, map(edition.citation, remark.evidence))
        speaker = prose.TextRun(words.speaker(remark), prose.Style.EMPHASIS)
        yield Line((speaker, _text(f" {words.sentence(remark.text)} "), *cited), "subitem")


def _gaps(edition: Edition) -> Iterator[Block]:
    for gap in edition.report.gaps:
        yield Line((_strong(f"{gap.area}: "), _text(gap.reason)), "item")


def _limitations(edition: Edition) -> Iterator[Block]:
    """A line a kind; of what failed the table below says why."""
    report = edition.report
    for each in report.limitations:
        why = "" if each.task_ids else f"{each.why} "
        yield Line((_strong(f"{each.area}. "), _text(f"{why}{each.consequence}")), "item")
    rows = (
        (
            failed.task_description,
            failed.failure.message,
            words.attempts(failed),
            words.aftermath(failed),
        )
        for failed in report.failures
    )
    if report.failures:
        head = ("What failed", "Why", "Attempts", "What came of it")
        yield Fold("Everything that failed", (_grid("Failures", head, rows),))


def _grid(name: str, head: tuple[str, ...], rows: Iterable[Sequence[str]]) -> Grid:
    return Grid(name, head, tuple(tuple((_text(cell),) for cell in row) for row in rows))


def _sources(edition: Edition) -> Iterator[Block]:
    if not edition.report.sources:
        return
    if unchecked := words.unchecked(edition.report):
        yield _line(unchecked, "aside")
    rated = not edition.is_written
    yield Shelf(edition.cited, rated)
    for title, sources in (("Read, not cited", edition.uncited), ("Set aside", edition.set_aside)):
        if sources:
            yield Fold(title, (Shelf(sources, rated, says_why=sources == edition.set_aside),))
    if rated:
        yield _line(words.CREDIBILITY, "aside")


def _appendix(edition: Edition) -> Iterator[Block]:
    report = edition.report
    if edition.is_written:
        quotes = tuple(Line(tuple(_quoted(edition, name)), "item") for name in edition.further)
        if quotes:
            yield Fold("Quotes that the prose rests on", quotes)
    yield Fold(
        f"Confidence {words.confidence(report.confidence.value)}, step by step",
        tuple(_assessment(edition)),
    )
    facts = (
        ("Run", report.run_id),
        ("Depth", report.depth.value),
        ("Reasoner", report.reasoner.name),
        *words.measures(report.metrics),
    )
    about = " ".join((report.reasoner.disclosure, words.compared_by(report))).strip()
    made = (_line(about, "aside"), _grid("Measures", ("Measure", "Value"), facts))
    yield Fold("About this run", made if edition.is_written else made[1:])


def _assessment(edition: Edition) -> Iterator[Block]:
    report = edition.report
    yield _ledger(report.confidence, "Confidence of the report")
    if edition.is_written or len(report.sections) == 1:
        return
    if unsure := words.unsure(report.sections):
        yield _line(unsure)
    for number, section in enumerate(report.sections, start=1):
        sure = words.confidence(section.confidence.value)
        yield _line(f"{number}. {section.title}: {sure}", "heading")
        yield _ledger(section.confidence, f"Confidence of section {number}")


def _ledger(confidence: Confidence, name: str) -> Grid:
    head = ("Reason", "Step", "Before", "After")
    return _grid(
        name,
        head,
        (
            (step.reason, words.step(step), f"{step.before:.4g}", f"{step.after:.4g}")
            for step in confidence.ledger
        ),
    )

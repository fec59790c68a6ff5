"""What a report shows, part by part; Markdown, HTML and PDF set the blocks that stand here."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from caveat.contracts import contradiction as disputes
from caveat.contracts.contradiction import Contradiction, SettledBy
from caveat.contracts.report import Confidence, Method, Operation, ReportedSource, Section
from caveat.contracts.source import Claim
from caveat.quantities.numerals import find_numerals
from caveat.rendering import gist, words
from caveat.rendering.edition import Contest, Edition, Inline
from caveat.rendering.plot import Plot
from caveat.rules.contradictions.choices import extract_subject, list_letters
from caveat.rules.lines import collapse_spaces, join_names, shorten
from caveat.rules.report.answering import DIRECT
from caveat.rules.report.closest import find_place
from caveat.rules.run.budget import QUOTES_ALONE
from caveat.rules.text import prose
from caveat.rules.text.citations import list_pieces
from caveat.rules.text.prose import TextRun
from caveat.rules.text.sentences import find_sentence
from caveat.rules.text.words import detect_sure_language


@dataclass(frozen=True)
class Link:
    text: str
    anchor: str


@dataclass(frozen=True)
class RulingLink(Link):
    """A link to where a contradiction is ruled on, which the page has elsewhere."""


Run = Inline | Link


@dataclass(frozen=True)
class Line:
    runs: tuple[Run, ...]
    # paragraph, item, quotation or heading as in prose; `subitem`, or `aside`
    kind: str = prose.BlockKind.PARAGRAPH


@dataclass(frozen=True)
class Grid:
    name: str
    head: tuple[str, ...]
    rows: tuple[tuple[tuple[Run, ...], ...], ...]


@dataclass(frozen=True)
class Side:
    """One value of a contradiction: who says it, in which words, and what speaks for it."""

    letter: str
    value: str  # what is stated, empty where that is not known
    scope: str
    quote: str  # its words, of several sentences the one that states the value
    standing: str  # what became of it, in a few words
    origin: tuple[Run, ...]
    weighed: tuple[Line, ...]

    @property
    def runs(self) -> tuple[Run, ...]:
        """All of it on one line; a scope that its quote names is not repeated."""
        is_new = self.scope.casefold() not in self.quote.casefold()
        return (
            _build_strong_text(f"{self.letter}: {self.value}" if self.value else self.letter),
            TextRun(f" ({self.scope})" if is_new else ""),
            TextRun(f" ({self.standing})" if self.standing else "", prose.Style.EMPHASIS),
            TextRun(": "),
            *self.origin,
            TextRun(f": “{self.quote}”" if self.quote else "."),
            *(run for line in self.weighed for run in (TextRun(" "), *line.runs)),
        )


@dataclass(frozen=True)
class Dispute:
    id: str
    title: str
    sides: tuple[Side, ...]
    below: tuple[Line, ...]
    is_open: bool


@dataclass(frozen=True)
class Listed:
    """A source as lists write it."""

    id: str
    number: int | None
    name: str
    facts: str
    written: str  # its address as the document has it
    address: str | None  # the same where it may be a link
    notes: tuple[str, ...]
    is_read: bool


@dataclass(frozen=True)
class Shelf:
    sources: tuple[Listed, ...]


@dataclass(frozen=True)
class Fold:
    """A part for few readers, folded where a face can."""

    name: str
    blocks: tuple["Block", ...]


Block = Line | Grid | Plot | Dispute | Shelf | Fold


@dataclass(frozen=True)
class Part:
    anchor: str
    title: str
    blocks: tuple[Block, ...]


def build_opening(edition: Edition) -> Iterator[Block]:
    """Build the opening: what disagrees, the confidence, and what the report revises."""
    report = edition.report
    ruled = [each for each in report.contradictions if each.decided_by and not each.is_undecided]
    for each in (*(each for each in edition.disputed if each in edition.pending), *ruled):
        dispute = gist.build_dispute(edition, each)
        if each in ruled:
            ruling = _link_numbers(f"{gist.describe_ruling(edition, each)} ")
            yield Line((_build_strong_text("Ruled: "), *ruling, Link(_point_to(each), each.id)))
        else:
            link = RulingLink(_point_to(each), each.id)
            yield Line((_build_strong_text(f"{dispute.title} "), link))
            for side in dispute.sides:
                yield Line(tuple(_link_numbers(side)), prose.BlockKind.ITEM)
        if dispute.plot:
            yield dispute.plot
    if report.reasoner.uses_language_model:
        sure = f"{words.describe_confidence(report.confidence)}."
        yield Line((_build_strong_text("Confidence: "), TextRun(sure)))
    if report.revision is not None:
        yield Line((_build_strong_text(words.describe_revision(report.revision)),))
        yield from (_build_line(change, "item") for change in report.revision.changes)


def _point_to(contradiction: Contradiction) -> str:
    return f"See contradiction {words.extract_number(contradiction.id)}."


def _link_numbers(text: str) -> Iterator[Run]:
    for part in filter(None, re.split(r"(\[\d+\])", text)):
        number = re.fullmatch(r"\[(\d+)\]", part)
        yield Link(part, f"source-{number[1]}") if number else TextRun(part)


def build_parts(edition: Edition) -> Iterator[Part]:
    report = edition.report
    made: list[tuple[str, str, Iterable[Block]]] = [("answer", "Answer", _build_answer(edition))]
    # Quotes of several angles have the best of them before them.
    if not edition.is_written and all(each.title != DIRECT for each in report.sections):
        made.append(("executive-summary", "Executive summary", _build_summary(edition)))
    made.append(("contradictions", "Contradictions", _build_contradictions(edition)))
    number = 1
    for section in report.sections:
        told = tuple(_build_section(edition, section, number))
        if not told:
            continue
        title = words.FURTHER if _has_best_above(edition, section) else section.title
        made.append((f"section-{number}", f"{number}. {title}", told))
        number += 1
    if edition.is_written:
        made.append(("computed", "Computed numbers", _build_computed(edition)))
    gaps = [_build_item(f"{gap.area}: ", gap.reason) for gap in report.gaps]
    made += [
        ("debate", "Debate", _build_debate(edition)),
        ("evidence-gaps", "Evidence gaps", gaps),
        ("data-limitations", "Data limitations", _build_limitations(edition)),
        ("sources", "Sources", _build_sources(edition)),
        ("appendix", "Appendix", _build_appendix(edition)),
    ]
    notes: tuple[Block, ...] = ()  # behind the answer: how it was made
    if not edition.is_written:
        methods = [report.reasoner.disclosure]
        if model := report.methods.ranking:
            methods.append(f"Ranked by words and by the sentence-embedding model {model}.")
        elif not report.reasoner.uses_language_model:
            methods.append("Ranked by words alone.")
        notes = tuple(_build_line(method, "aside") for method in methods if method)
    for anchor, title, blocks in made:
        if shown := tuple(blocks):
            yield Part(anchor, title, (*shown, *notes))
            notes = ()


def _build_strong_text(text: str) -> TextRun:
    return TextRun(text, prose.Style.STRONG)


def _build_line(text: str, kind: str = prose.BlockKind.PARAGRAPH) -> Line:
    return Line((TextRun(text),), kind)


def _build_item(name: str, text: str, cited: Iterable[Run] = ()) -> Line:
    return Line((_build_strong_text(name), TextRun(text), *cited), "item")


def build_prose_lines(
    edition: Edition, blocks: Iterable[prose.Block], *, in_context: bool = False
) -> Iterator[Line]:
    for block in blocks:
        claim = edition.find_quoted_claim(block)
        is_passage = in_context and claim and not edition.is_written
        runs = _build_passage(edition, block, claim) if claim and is_passage else None
        translation = edition.explain_quote(claim) if claim else ""
        more = (TextRun(f" {translation}"),) if translation else ()
        yield Line((*(runs or edition.split_block(block)), *more), block.kind)


def _build_passage(edition: Edition, block: prose.Block, claim: Claim) -> Iterator[Run]:
    """Build a quote where it stands, with its citations and how well it is supported."""
    if heading := find_place(claim):
        yield TextRun(heading, prose.Style.EMPHASIS)
        yield TextRun(": ")
    window = edition.cut_window(block, claim)
    yield TextRun(f"“{window.before}")
    yield _build_strong_text(window.quote)
    yield TextRun(f"{window.after}” ")
    yield from (run for run in edition.split_block(block) if not isinstance(run, TextRun))
    yield TextRun(f" {edition.describe_support(block)}", prose.Style.EMPHASIS)


def _build_answer(edition: Edition) -> Iterator[Block]:
    """The answer, the disputed values, or a sentence that there is no answer."""
    report = edition.report
    is_quoted = report.answered is None and bool(report.answer)
    verdict = words.NO_ANSWER if is_quoted else report.answered_because
    yield Line((_build_strong_text(f"{words.describe_answer(report)} "), TextRun(verdict)))
    opening = prose.split_blocks(edition.opening)
    yield from build_prose_lines(edition, opening, in_context=True)
    if is_quoted:
        yield _build_line(report.answered_because)
    for lack in (each for each in report.missing if each.why):  # the others are named above
        part = f"Not answered: {words.end_sentence(lack.part)} "
        why = (run for block in prose.split_blocks(lack.why) for run in edition.split_block(block))
        yield Line((_build_strong_text(part), *why), "item")


def _build_summary(edition: Edition) -> Iterator[Block]:
    bounds = [each.bound for each in edition.report.basis.left_out if each.synthesis]
    if bounds:
        yield _build_line(f"Budget of {bounds[0]}: {QUOTES_ALONE}", "aside")
    if not edition.report.summary.strip():
        yield _build_line(words.NO_SUMMARY)
    yield from build_prose_lines(edition, edition.split_prose(edition.report.summary))


def _build_contradictions(edition: Edition) -> Iterator[Block]:
    report = edition.report
    if not report.contradictions:
        yield from map(_build_line, filter(None, [words.describe_compared(report)]))
        return
    if report.methods.comparison is Method.RULES:
        yield _build_line(words.BY_RULES, "aside")
    for each in report.contradictions:
        subject = words.end_sentence(
            extract_subject(each.about) if edition.is_written else each.about
        )
        yield Dispute(
            id=each.id,
            title=f"{words.extract_number(each.id)}. {subject}",
            sides=tuple(build_sides(edition, each)),
            below=tuple(_build_settlement(each)),
            is_open=each.is_open,
        )


def build_sides(edition: Edition, contradiction: Contradiction) -> Iterator[Side]:
    letters, standings = (
        list_letters(len(contradiction.sides)),
        words.describe_values(contradiction),
    )
    for letter, side, standing in zip(letters, contradiction.sides, standings, strict=True):
        claim, source = edition.claims.get(side.claim), edition.find_source(side.claim)
        own = edition.build_plain_citation(side.claim)
        backing = map(edition.build_plain_citation, side.backing)
        others = dict.fromkeys(each for each in backing if each and each != own)
        origin: list[Run] = [TextRun(f"{words.name_source(source)} ")] if source else []
        origin += [own] if own else []
        origin += [TextRun("; also "), *others] if origin and others else others
        translation = edition.explain_quote(claim) if claim else ""
        weighed = [_build_line(translation)] if translation else []
        for each in edition.report.weighings:
            if (each.contradiction_id, each.side) == (contradiction.id, letter):
                lines = build_prose_lines(edition, prose.split_blocks(each.text))
                weighed += [_remove_own_contest(line, contradiction) for line in lines]
                break
        yield Side(
            letter=letter.upper(),
            value=side.stated or ("" if _is_quote(claim, side) else side.value),
            scope=side.scope,
            quote=find_sentence(claim.quote, side.value) if claim else "",
            standing=standing,
            origin=tuple(origin),
            weighed=tuple(weighed),
        )


def _is_quote(claim: Claim | None, side: disputes.Side) -> bool:
    """Whether a value is only the quote that states it, perhaps cut."""
    quote = collapse_spaces(claim.quote) if claim else ""
    stem = side.value.removesuffix("…")
    return quote.startswith(stem) and (stem != side.value or stem == quote)


def _remove_own_contest(line: Line, contradiction: Contradiction) -> Line:
    runs: list[Run] = []
    for run in line.runs:
        if not isinstance(run, Contest):
            runs.append(run)
        elif others := tuple(name for name in run.contradictions if name != contradiction.id):
            runs.append(replace(run, contradictions=others))
    return replace(line, runs=tuple(runs))


def _build_settlement(contradiction: Contradiction) -> Iterator[Line]:
    reason = words.end_sentence(contradiction.reason) if contradiction.reason else ""
    if contradiction.settled_by is SettledBy.PERSON:
        reason = f"Their reason: “{reason}”"
    elif not contradiction.rulings:  # else it begins with who withdrew one
        reason = f"{reason[:1].upper()}{reason[1:]}"
    settlement = words.end_sentence(words.describe_settlement(contradiction))
    yield _build_line(f"{settlement} {words.end_sentence(reason)}" if reason else settlement)


def _build_section(edition: Edition, section: Section, number: int) -> Iterator[Block]:
    blocks = tuple(_build_section_blocks(edition, section, number))
    is_asked = not edition.is_written and section.question != edition.report.topic
    question = f"{section.question} " if is_asked else ""
    if edition.report.reasoner.uses_language_model:
        question += f"Confidence: {words.format_confidence(section.confidence.value)}."
    if question and (blocks or is_asked):
        yield _build_line(question.strip(), "aside")
    yield from blocks


def _build_section_blocks(edition: Edition, section: Section, number: int) -> Iterator[Block]:
    yield from (told := tuple(_build_prose(edition, section)))
    total, used = section.effort.found, len(section.claims)
    if told and 0 < used < total and not edition.is_written:
        share = f"This section rests on {used} of the {total} passages that were found for it."
        yield _build_line(share, "aside")
    against = {each.claim.id for each in edition.examined if each.is_challenged}
    if challenged := len(against & set(section.claims)):
        challenge = f"{challenged} of its claims {'was' if challenged == 1 else 'were'} challenged"
        yield Line((Link(f"{challenge} in the debate.", "debate"),), "aside")


def _build_prose(edition: Edition, section: Section) -> Iterator[Block]:
    """The prose of a section, without what the report said before."""
    if not section.summary.strip():
        yield _build_line(edition.explain_absence(section))
    told = edition.split_prose(section.summary)
    quoted = [*map(edition.find_quoted_claim, told)]
    if _has_best_above(edition, section) and quoted and all(quoted):
        stated = (
            (
                (TextRun(edition.voices[claim.source_id]),),
                (TextRun(f"“{collapse_spaces(claim.quote)}”"),),
                edition.cite_claim(claim.id),
            )
            for claim in filter(None, quoted)
        )
        yield Grid(words.FURTHER, ("Document", "Passage", "Place"), tuple(stated))
    else:
        yield from build_prose_lines(edition, told)


def _has_best_above(edition: Edition, section: Section) -> bool:
    """Whether a section's best passages stand in the answer."""
    return not edition.is_written and section.title == DIRECT and bool(section.claims)


def _build_quote(edition: Edition, name: str) -> Iterator[Run]:
    claim = edition.claims[name]
    translation = edition.explain_quote(claim)
    yield TextRun(f"“{claim.quote}” {translation} " if translation else f"“{claim.quote}” ")
    yield from edition.cite_claim(name)


def _build_computed(edition: Edition) -> Iterator[Block]:
    """Say how each number of the prose that no source states comes from those that do."""
    language = edition.report.language or detect_sure_language(edition.report.topic)
    sentences = [each for piece in list_pieces(edition.report) for each in piece.sentences]
    for made in edition.report.calculations:
        names = {each.claim_id for each in made.operands}
        told = " ".join(each.text for each in sentences if names <= {*each.cited})
        result, written = (
            {each.value for each in find_numerals(text, language or "en")}
            for text in (made.result, told)
        )
        # What code guessed is no origin, and what is rounded or in another unit shows its citation.
        is_plain = made.is_guessed or made.expression.isalpha()
        if is_plain or (made.result not in told and not result & written):
            continue
        values = {each.name: each.value for each in made.operands}
        parts = re.split(r"([^\W\d]\w*)", made.expression)
        signs = str.maketrans("*/-", "×÷−")
        formula = "".join(values.get(each) or each.translate(signs) for each in parts)
        notes = dict.fromkeys(filter(None, map(edition.find_scale_note, made.operands)))
        formula += f" ({'; '.join(notes)})" if notes else ""
        by_source = {edition.find_source(each.claim_id): each.claim_id for each in made.operands}
        cited = [each for claim in by_source.values() for each in edition.cite_claim(claim)]
        yield _build_item(made.result, f": {formula} ", cited)


def _build_debate(edition: Edition) -> Iterator[Block]:
    if edition.report.debate is None:
        return
    yield _build_line(words.describe_debaters(edition.report.debate))
    for examined in edition.examined:
        quote = TextRun(f"“{shorten(examined.claim.quote, words.QUOTE_LIMIT)}” ")
        yield Line((quote, *edition.cite_claim(examined.claim.id)), "item")
        for remark in examined.remarks:
            cited = filter(None, map(edition.build_citation, remark.evidence))
            speaker = TextRun(words.describe_speaker(remark), prose.Style.EMPHASIS)
            text = TextRun(f" {words.end_sentence(remark.text)} ")
            yield Line((speaker, text, *cited), "subitem")
    if not edition.examined:
        yield _build_line(words.NO_REMARKS)


def _build_limitations(edition: Edition) -> Iterator[Block]:
    """A line a kind; the table of failures below says why."""
    report = edition.report
    for each in report.limitations:
        why = "" if each.task_ids else f"{each.why} "
        yield _build_item(f"{each.area}. ", f"{why}{each.consequence}")
    rows = (
        (
            failed.task_description,
            failed.failure.message,
            str(failed.attempts) if failed.attempts else "not started",
            words.describe_remedy(failed),
        )
        for failed in report.failures
    )
    if report.failures:
        head = ("What failed", "Why", "Attempts", "What came of it")
        yield Fold("Everything that failed", (_build_grid("Failures", head, rows),))


def _build_grid(name: str, head: tuple[str, ...], rows: Iterable[Sequence[str]]) -> Grid:
    return Grid(name, head, tuple(tuple((TextRun(cell),) for cell in row) for row in rows))


def _build_sources(edition: Edition) -> Iterator[Block]:
    if not edition.report.sources:
        return
    if any(each.path and each.url for each in edition.report.sources):
        unchecked = "Addresses of documents are their own word: Caveat did not check them."
        yield _build_line(unchecked, "aside")
    yield _build_shelf(edition.cited)
    uncited = [each for each in edition.report.sources if each.number is None]
    if read := tuple(each for each in uncited if each.snapshot_sha256 is not None):
        yield Fold("Read, not cited", (_build_shelf(read),))
    if set_aside := tuple(each for each in uncited if each.snapshot_sha256 is None):
        yield Fold("Set aside", (_build_shelf(set_aside, says_why=True),))


def _build_shelf(sources: Iterable[ReportedSource], *, says_why: bool = False) -> Shelf:
    listed = []
    for each in sources:
        also = f"Also at {', '.join(each.copies)}." if each.copies else ""
        why = f"Reason: {each.reason}." if says_why and each.reason else ""
        source = Listed(
            id=each.id,
            number=each.number,
            name=words.name_source(each),
            facts=words.describe_source(each, rated=says_why),
            written=each.url or "",
            address=words.sanitize_address(each.url),
            notes=tuple(filter(None, (also, words.describe_reading(each), why))),
            is_read=each.snapshot_sha256 is not None,
        )
        listed.append(source)
    return Shelf(tuple(listed))


def _build_appendix(edition: Edition) -> Iterator[Block]:
    report = edition.report
    if edition.is_written:
        quotes = tuple(
            Line(tuple(_build_quote(edition, claim.id)), "item") for claim in edition.quoted
        )
        if quotes:
            yield Fold("Quotes that the prose rests on", quotes)
    if report.reasoner.uses_language_model:
        yield Fold(
            f"Confidence {words.format_confidence(report.confidence.value)}, step by step",
            tuple(_build_assessment(edition)),
        )
    rated = [
        (f"{each.number}. {edition.voices[each.id]}", f"{each.credibility:.2f}")
        for each in edition.cited
    ]
    if rated:
        grid = _build_grid("Credibility", ("Source", "Credibility"), rated)
        note = (
            "A source's credibility is a sum from 0 to 1 for publisher, kind, age, review and "
            "citations, partly by its own word, which settles no contradiction. Each sum is in "
            "report.json."
        )
        yield Fold("Credibility of the sources", (grid, _build_line(note, "aside")))
    facts = (
        ("Depth", report.depth.value),
        ("Reasoner", report.reasoner.name),
        *words.list_measures(report.metrics),
    )
    about = " ".join((report.reasoner.disclosure, words.describe_comparison(report))).strip()
    made = (_build_line(about, "aside"), _build_grid("Measures", ("Measure", "Value"), facts))
    yield Fold("About this run", made if edition.is_written else made[1:])


def _build_assessment(edition: Edition) -> Iterator[Block]:
    report = edition.report
    yield _build_ledger(report.confidence, "Confidence of the report")
    if len(report.sections) == 1:
        return
    weak = [
        f"{number} ({section.title}, {section.confidence.value:.2f})"
        for number, section in enumerate(report.sections, start=1)
        if section.confidence.value < _SURE
    ]
    if weak:
        noun = "section" if len(weak) == 1 else "sections"
        yield _build_line(f"Below {_SURE:.2f}: {noun} {join_names(weak)}.")


_SURE = 0.70  # confidence of a section below which it is named

_STEPS = {
    Operation.SET: "set to",
    Operation.SUBTRACT: "−",
    Operation.MULTIPLY: "×",
    Operation.LIMIT: "at most",
}


def _build_ledger(confidence: Confidence, name: str) -> Grid:
    rows = (
        (
            step.reason,
            f"{_STEPS[step.operation]} {step.amount:.4g}",
            f"{step.before:.4g}",
            f"{step.after:.4g}",
        )
        for step in confidence.ledger
    )
    return _build_grid(name, ("Reason", "Step", "Before", "After"), rows)

"""Citations: which claims a sentence rests on, and whether they are there."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from caveat.contracts.audit import Check, Finding
from caveat.contracts.claim import Claim
from caveat.contracts.debate import Debate
from caveat.contracts.report import Report, ReportedSource, Section
from caveat.rules import prose
from caveat.rules.sentences import Span, sentences

COVERAGE_THRESHOLD = 0.85
"""Share of factual sentences that carry a citation; below it a report fails (DESIGN.md)."""

EXCERPT = 90
"""Characters of a sentence that a finding repeats: enough to find it, short enough for a line."""

SUMMARY = "executive summary"


@dataclass(frozen=True)
class CitedSentence:
    """One factual sentence.

    Attributes:
        text: plain text without markers.
        marks: its markers, in order.
    """

    text: str
    marks: tuple[prose.Mark, ...]

    @property
    def cited(self) -> tuple[str, ...]:
        """The claims that it cites, repetitions included."""
        return tuple(mark.claim_id for mark in self.marks if mark.claim_id)

    @property
    def contested(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """Each claim that it cites, with the contradictions that are marked directly behind it.

        Contradiction markers that stand behind no claim are those of a claim without a name.
        """
        found: list[tuple[str, int, set[str]]] = []
        for mark in self.marks:
            if mark.claim_id:
                found.append((mark.claim_id, mark.offset, set()))
                continue
            if not found or found[-1][1] != mark.offset:
                found.append(("", mark.offset, set()))
            found[-1][2].add(mark.contradiction_id or "")
        return tuple((claim_id, frozenset(names)) for claim_id, _, names in found)

    @property
    def excerpt(self) -> str:
        """The sentence's beginning, for findings."""
        return shortened(self.text)


def shortened(text: str) -> str:
    """Shorten words that a finding repeats."""
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT].rstrip()}…"


def markers(text: str) -> tuple[str, ...]:
    """Name the claims that a piece of prose cites, in order, repetitions included."""
    return tuple(marker.claim_id for marker in prose.markers(text) if marker.claim_id is not None)


def places(report: Report) -> Iterator[tuple[str, str]]:
    """Name each piece of prose in a report, in report order, as (place, Markdown)."""
    yield SUMMARY, report.summary
    for section in report.sections:
        yield place(section), section.summary


def place(section: Section) -> str:
    """Name a section in a finding."""
    return f"section “{section.title}”"


def cited_sentences(markdown: str, claims: Mapping[str, Claim]) -> tuple[CitedSentence, ...]:
    """Find the factual sentences of a piece of prose: those with words, headings left out.

    A claim quoted whole is one sentence, however many full stops its words hold.

    Args:
        markdown: prose with claim markers.
        claims: the report's claims by id.

    Returns:
        The sentences in order, each with the claims cited in it or directly behind it.
    """
    return tuple(
        sentence for paragraph in cited_paragraphs(markdown, claims) for sentence in paragraph
    )


def cited_paragraphs(
    markdown: str, claims: Mapping[str, Claim]
) -> Iterator[tuple[CitedSentence, ...]]:
    """Find the factual sentences of each paragraph, list item and quotation of a piece of prose."""
    for block in prose.blocks(markdown):
        if block.kind is not prose.BlockKind.HEADING:
            yield tuple(_of_passage(prose.passage(block), claims))


def uncited_paragraphs(
    markdown: str, claims: Mapping[str, Claim]
) -> Iterator[tuple[CitedSentence, ...]]:
    """Find the paragraphs that state something and of which nothing is cited."""
    for paragraph in cited_paragraphs(markdown, claims):
        if paragraph and not any(sentence.cited for sentence in paragraph):
            yield paragraph


def _of_passage(passage: prose.Passage, claims: Mapping[str, Claim]) -> Iterator[CitedSentence]:
    spans = sentences(passage.text)
    for quoted in _quoted(passage, claims):
        spans = _merged(spans, quoted)
    marks: list[list[prose.Mark]] = [[] for _ in spans]
    for mark in passage.marks:
        # A marker behind a full stop belongs to the sentence that it follows.
        before = [number for number, span in enumerate(spans) if span.start < mark.offset]
        if spans:
            marks[before[-1] if before else 0].append(mark)
    for span, own in zip(spans, marks, strict=True):
        text = passage.text[span.start : span.end]
        if re.search(r"[^\W\d_]", text):
            yield CitedSentence(text, tuple(own))


def _quoted(passage: prose.Passage, claims: Mapping[str, Claim]) -> Iterator[Span]:
    for mark in passage.marks:
        claim = claims.get(mark.claim_id or "")
        for words in (claim.quote, claim.text) if claim else ():
            span = _before(passage.text, _collapsed(words), mark.offset)
            if span is not None:
                yield span
                break


def _before(text: str, words: str, offset: int) -> Span | None:
    """Find words that end at an offset, closing quotation marks and full stops aside."""
    at = text.rfind(words, 0, offset + 1)
    if at == -1 or re.search(r"\w", text[at + len(words) : offset]):
        return None
    return Span(at, max(offset, at + len(words)))


def _merged(spans: Sequence[Span], whole: Span) -> list[Span]:
    touched = [span for span in spans if span.start < whole.end and whole.start < span.end]
    if len(touched) < 2:
        return list(spans)
    joined = Span(touched[0].start, touched[-1].end)
    return sorted([span for span in spans if span not in touched] + [joined])


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def coverage(texts: Sequence[str], claims: Iterable[Claim] = ()) -> float:
    """Measure how much of a report's prose is cited.

    Args:
        texts: the executive summary and the sections' summaries, Markdown with claim markers.
        claims: the claims that they cite, so that a quotation of several sentences counts as one.

    Returns:
        Share of the factual sentences that carry a citation, 0 to 1; 1 when there are none.
    """
    known = {claim.id: claim for claim in claims}
    every = [sentence for text in texts for sentence in cited_sentences(text, known)]
    return sum(bool(sentence.cited) for sentence in every) / len(every) if every else 1.0


def coverage_findings(report: Report) -> Iterator[Finding]:
    """Name the sentences without a citation where they may not be.

    Without a language model nothing but quotes is written, so there may be none. With one, a few
    may join what is cited; a paragraph without any citation joins nothing.
    """
    texts = [markdown for _, markdown in places(report)]
    few = coverage(texts, report.claims) >= COVERAGE_THRESHOLD
    claims = {claim.id: claim for claim in report.claims}
    for where, markdown in places(report):
        if few and report.reasoner.uses_language_model:
            wrong = [each for some in uncited_paragraphs(markdown, claims) for each in some]
        else:
            every = cited_sentences(markdown, claims)
            wrong = [each for each in every if not each.cited]
        for sentence in wrong:
            message = f"No citation carries “{sentence.excerpt}”"
            yield Finding(check=Check.COVERAGE, where=where, message=message)


def quotation_findings(report: Report) -> Iterator[Finding]:
    """Name what is no quote in a report that was written without a language model."""
    if report.reasoner.uses_language_model:
        return
    claims = {claim.id: claim for claim in report.claims}
    for where, markdown in places(report):
        for block in prose.blocks(markdown):
            passage = prose.passage(block)
            rest = _without_quotes(passage, claims)
            if re.search(r"\w", rest):
                message = f"“{shortened(rest.strip())}” is no quote of a claim that it cites."
                yield Finding(check=Check.QUOTE, where=where, message=message)


def _without_quotes(passage: prose.Passage, claims: Mapping[str, Claim]) -> str:
    """Take out the quotes that a passage cites, longest first: one may hold another."""
    cited = [claims[name] for mark in passage.marks if (name := mark.claim_id or "") in claims]
    rest = passage.text
    for words in sorted({_collapsed(claim.quote) for claim in cited}, key=len, reverse=True):
        rest = rest.replace(words, " ")
    return rest


def citation_findings(report: Report) -> Iterator[Finding]:
    """Check that every citation leads to a claim, and every claim to a source that was read."""
    yield from _marker_findings(report)
    yield from _section_findings(report)
    yield from _repetition_findings(report)
    yield from _claim_findings(report)
    yield from _source_findings(report)


def _marker_findings(report: Report) -> Iterator[Finding]:
    known = {claim.id for claim in report.claims}
    for where, markdown in places(report):
        for phantom in dict.fromkeys(markers(markdown)):
            if phantom not in known:
                yield _finding(where, f"[{phantom}] names no claim of the report.")


def _section_findings(report: Report) -> Iterator[Finding]:
    known = {claim.id for claim in report.claims}
    for section in report.sections:
        cited = tuple(dict.fromkeys(markers(section.summary)))
        for claim_id in section.claims:
            if claim_id not in cited:
                yield _finding(place(section), f"It lists claim {claim_id} and does not cite it.")
        for claim_id in cited:
            if claim_id not in section.claims:
                yield _finding(place(section), f"It cites claim {claim_id} and does not list it.")
        for figure in section.figures:
            if figure.claim_id not in known:
                message = f"The figure “{figure.value}” names no claim of the report."
                yield _finding(place(section), message)


def _repetition_findings(report: Report) -> Iterator[Finding]:
    """A sentence that repeats a claim word for word cites that claim, or one that says the same."""
    claims = {claim.id: claim for claim in report.claims}
    words: dict[str, list[str]] = {}
    for claim in report.claims:
        for text in {bare(claim.quote), bare(claim.text)}:
            words.setdefault(text, []).append(claim.id)
    for where, markdown in places(report):
        for sentence in cited_sentences(markdown, claims):
            owners = words.get(bare(sentence.text))
            if owners and not set(owners) & set(sentence.cited):
                message = f"“{sentence.excerpt}” is claim {owners[0]}, which it does not cite."
                yield _finding(where, message)


def bare(text: str) -> str:
    """Reduce a text to its words and numbers, to compare what is said, not how it is set."""
    return re.sub(r"[^\w%±+−-]+", " ", text).strip()


def _claim_findings(report: Report) -> Iterator[Finding]:
    sources = {source.id: source for source in report.sources}
    cited = set(cited_claim_ids(report))
    seen = Counter(claim.id for claim in report.claims)
    for claim_id, times in seen.items():
        if times > 1:
            yield _finding(f"claim {claim_id}", f"{times} claims have this id.")
    for claim in report.claims:
        problem = _claim_problem(claim, sources, cited)
        if problem is not None:
            yield _finding(f"claim {claim.id}", problem)


def _claim_problem(
    claim: Claim, sources: Mapping[str, ReportedSource], cited: set[str]
) -> str | None:
    source = sources.get(claim.source_id)
    if source is None:
        return f"Its source {claim.source_id} is not among the report's sources."
    if source.snapshot_sha256 is None:
        return f"Its source “{source.title}” was not read."
    if claim.id not in cited:
        return "Nothing in the report cites it."
    return None


def _source_findings(report: Report) -> Iterator[Finding]:
    cited = cited_source_ids(report)
    for source in report.sources:
        if source.id in cited and source.number is None:
            yield _finding(f"source {source.id}", "It is cited and has no number.")
        if source.id not in cited and source.number is not None:
            yield _finding(f"source {source.id}", "It has a number and nothing cites it.")
    numbers = sorted(source.number for source in report.sources if source.number is not None)
    if numbers != list(range(1, len(numbers) + 1)):
        yield _finding("sources", "Their numbers do not count from 1 without gap or repetition.")


def cited_claim_ids(report: Report) -> tuple[str, ...]:
    """Name the claims that the prose cites, then those that only something else rests on.

    That is a figure, a contradiction that they are a side of, or a remark in the debate.
    """
    ids = [claim_id for _, markdown in places(report) for claim_id in markers(markdown)]
    ids += [figure.claim_id for section in report.sections for figure in section.figures]
    ids += [claim_id for each in report.contradictions for claim_id in each.claims]
    ids += evidence_of(report.debate)
    return tuple(dict.fromkeys(ids))


def evidence_of(debate: Debate | None) -> list[str]:
    """Name the claims that the remarks of a debate rest on."""
    return [name for remark in debate.challenges for name in remark.evidence] if debate else []


def cited_source_ids(report: Report) -> tuple[str, ...]:
    """Name the sources of the cited claims, in order of first citation."""
    owners = {claim.id: claim.source_id for claim in report.claims}
    ids = (owners[claim_id] for claim_id in cited_claim_ids(report) if claim_id in owners)
    return tuple(dict.fromkeys(ids))


def _finding(where: str, message: str) -> Finding:
    return Finding(check=Check.CITATION, where=where, message=message)

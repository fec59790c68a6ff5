"""Claims: each stands on a quote that is in its snapshot, and has a name of its own."""

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from caveat.contracts.outcome import Findings, FoundSource
from caveat.contracts.source import CLAIM_LIMIT, Analysis, Claim, Snapshot, SourceRef
from caveat.quantities.dates import find_dates
from caveat.rules.sentences.checks import find_text_flaws, is_instruction
from caveat.rules.sentences.grounds import COLUMNS, Grounds
from caveat.rules.sentences.hints import takes_back
from caveat.rules.sources.credibility import NEAREST, RELEVANT
from caveat.rules.text.sentences import find_sentences, find_window, split_sentences
from caveat.rules.text.words import detect_language


def verify_quotes(claims: Sequence[Claim], snapshot: Snapshot) -> tuple[tuple[Claim, ...], int]:
    """Keep claims whose quote stands in a snapshot, with corrected offsets and context.

    A wrong offset moves to the nearest occurrence.
    """
    text = snapshot.text
    quoted = [mended for claim in claims if (mended := _correct_offsets(claim, text)) is not None]
    standing = [claim for claim in quoted if not _is_ordered(claim, snapshot)]
    widened: dict[tuple[str, int, int], Claim] = {}
    for claim in (_widen_quote(claim, snapshot) for claim in standing):
        place = (claim.assignment_id, claim.start, claim.end)
        widened[place] = _merge_claims(widened[place], claim) if place in widened else claim
    verified = tuple(_add_context(claim, snapshot) for claim in widened.values())
    return verified, len(claims) - len(standing)


def _merge_claims(one: Claim, other: Claim) -> Claim:
    """Merge two claims that came to have the same quote."""
    is_new = other.text.rstrip(".") not in one.text
    joined = f"{one.text.rstrip('.')}. {other.text}" if is_new else one.text
    return one.model_copy(
        update={
            "text": joined if len(joined) <= CLAIM_LIMIT else one.text,
            "relevance": max(one.relevance, other.relevance),
        }
    )


def widen_quotes(claims: Iterable[Claim], source: SourceRef) -> tuple[Claim, ...]:
    """Begin a source's quotes a sentence earlier where that gives a number that a text lacks.

    What else a text has beyond its quote is a hint to the verifier, who judges it. Only where it
    speaks to a writer, the quote stands for it.
    """
    grounds = Grounds.build((), [source])

    def lacks(claim: Claim) -> bool:
        return any(find_text_flaws(claim.text, [claim], grounds))

    def mend(claim: Claim) -> Claim:
        if is_instruction(claim.text):
            return claim.model_copy(update={"text": claim.quote})
        if claim.text == claim.quote or not lacks(claim):
            return claim
        wider = _add_sentence_before(claim)
        # What stands farther off is no reason to take in the sentence between.
        return claim if lacks(wider.model_copy(update={"before": ""})) else wider

    return tuple(map(mend, claims))


_JOINED = 600  # characters of a quote at most to which a sentence is added: two long sentences


def _add_sentence_before(claim: Claim) -> Claim:
    """Extend a quote by the sentence before it if the text takes something from there."""
    spans = split_sentences(claim.before)
    if not spans or len(claim.before) - spans[-1].start + len(claim.quote) > _JOINED:
        return claim
    before, joined = claim.before[: spans[-1].start], claim.before[spans[-1].start :]
    return claim.model_copy(
        update={"start": claim.start - len(joined), "quote": joined + claim.quote, "before": before}
    )


def _is_ordered(claim: Claim, snapshot: Snapshot) -> bool:
    """Whether the quote is an instruction to writers, which nobody asserts."""
    whole = find_sentences(snapshot, claim.start, claim.end)
    return is_instruction(snapshot.text[whole.start : claim.end])


def _widen_quote(claim: Claim, snapshot: Snapshot) -> Claim:
    """Widen a quote to its sentence if it cuts off a denial or doubt."""
    # In languages whose denials nobody knows here, always; but over no order to writers. Otherwise
    # a sentence that says two things would be one claim, and both overruled with either.
    whole, text = find_sentences(snapshot, claim.start, claim.end), snapshot.text
    before, behind = text[whole.start : claim.start], text[claim.end : whole.end]
    is_known = detect_language(text[whole.start : whole.end]) == "en"
    if is_instruction(behind) or (is_known and not takes_back(before, behind)):
        return claim
    place = {"start": whole.start, "end": whole.end, "quote": text[whole.start : whole.end]}
    return claim.model_copy(update=place)


def _add_context(claim: Claim, snapshot: Snapshot) -> Claim:
    whole, text = find_window(snapshot, claim.start, claim.end), snapshot.text
    before, after = text[whole.start : claim.start], text[claim.end : whole.end]
    return claim.model_copy(update={"before": before, "after": after})


def _correct_offsets(claim: Claim, text: str) -> Claim | None:
    if stands(claim, text):
        return claim
    start = min(
        _find_occurrences(claim.quote, text), key=lambda at: abs(at - claim.start), default=None
    )
    if start is None:
        return None
    return claim.model_copy(update={"start": start, "end": start + len(claim.quote)})


def stands(claim: Claim, text: str) -> bool:
    """Whether the quote is at its offsets in the snapshot."""
    # A slice that ends behind the text is cut silently, so the length is compared as well.
    long_enough = claim.end - claim.start == len(claim.quote)
    return long_enough and text[claim.start : claim.end] == claim.quote


def stands_in_context(claim: Claim, text: str) -> bool:
    """Whether the context shown around a quote is that of the snapshot."""
    begin = claim.start - len(claim.before)
    shown = claim.before + claim.quote + claim.after
    return begin >= 0 and text[begin : begin + len(shown)] == shown


def _find_occurrences(quote: str, text: str) -> Iterator[int]:
    at = text.find(quote)
    while at != -1:
        yield at
        at = text.find(quote, at + 1)


def merge_analyses(part: Analysis, rest: Analysis) -> Analysis:
    best = sorted((*part.claims, *rest.claims), key=lambda claim: -claim.relevance)
    return Analysis(
        claims=tuple(best),
        document=part.document or rest.document,
        rejected_quotes=part.rejected_quotes + rest.rejected_quotes,
        read_to=max(part.read_to, rest.read_to),
    )


def number_claims(findings: Sequence[Findings]) -> tuple[Findings, ...]:
    """Number all claims in plan order, best first."""
    # A quote that several angles found is one claim with one name, which says what each of them
    # found in it, belongs to the first and stands in the claims of each.
    names: dict[tuple[str, int, int], Claim] = {}
    for claim in (claim for finding in findings for claim in finding.claims):
        named = names.get(claim.place)
        if named is None:
            names[claim.place] = claim.model_copy(update={"id": f"c{len(names) + 1}"})
        elif claim.text != named.text:
            names[claim.place] = _merge_claims(named, claim)

    def name_claim(claim: Claim) -> Claim:
        named = names[claim.place]
        if named.relevance == claim.relevance:  # most often: thousands of copies are not made
            return named
        return named.model_copy(update={"relevance": claim.relevance})

    return change_claims(findings, name_claim)


def change_claims(
    findings: Iterable[Findings], change: Callable[[Claim], Claim]
) -> tuple[Findings, ...]:
    return tuple(
        finding.model_copy(update={"claims": tuple(map(change, finding.claims))})
        for finding in findings
    )


def describe_place(snapshot: Snapshot, start: int, end: int, speaker: str = "") -> str | None:
    """Describe where a quote stands: the heading, and the head of each cell or the speaker."""
    cells = snapshot.text[start:end].partition("\n\n")[0].split("\t")
    # A row is named by its first cell, and a number there by its column too: "paid 2023, to".
    head, first = snapshot.place(start) or "", next(filter(None, cells), "")
    above, _, row = head.rpartition(" › ") if head.endswith(first) else (head, "", first)
    named = {mark.offset: mark.label for mark in snapshot.landmarks if start < mark.offset < end}
    starts = itertools.accumulate(cells[:-1], lambda at, cell: at + len(cell) + 1, initial=start)
    labels = (named.get(at, "").rpartition(" › ")[2] for at in starts)
    columns = [each.removeprefix(f"{row}, ") for each in labels]
    if any(columns):
        heads = _complete_heads(columns, snapshot.text[max(0, start - _TABLE) : start])
        heads = heads[heads[0] in {"", *above.split(" › ")} :]  # the corner may hold the unit
        around = row.removesuffix(first).rpartition(", ")[0]  # what the row is a part of
        joint = COLUMNS if any(", " in each for each in heads) else ", "
        return " › ".join(filter(None, (above, around, joint.join(heads))))
    name = " ".join(speaker.split())[:_SPEAKER]
    is_told = bool(name) and name in snapshot.text and name not in snapshot.text[start:end]
    dated = _date_message(snapshot.text[:start], name) if is_told else ""
    return " › ".join(filter(None, (head, dated or (name if is_told else "")))) or None


def _date_message(before: str, sender: str) -> str:
    """Name a sender with the day of the message in a thread; empty where nothing gives both."""
    header = next((b for b in reversed(before.split("\n\n")) if sender in b), "")
    days = list(find_dates(header))
    if len(days) != 1:
        return ""
    day = header[days[0].start : days[0].end]
    is_field = re.search(rf"^\W*\w+:\W*{re.escape(sender)}", header, re.MULTILINE)
    words = header.replace(sender, "").replace(day, "").split()
    return f"{sender}, {day}" if is_field or len(words) <= _BYLINE else ""


_BYLINE = 4  # words beside a name and a day: "Ada · on 2 May 2026 at 14:03"
_SPEAKER = 100  # characters of a speaker's name
_TABLE = 20_000  # characters above a row in which its table begins


def _complete_heads(heads: Sequence[str], before: str) -> Sequence[str]:
    """Add the heads of the first column and of empty cells, which have no landmark."""
    *rows, own = before.split("\n\n")
    for row in reversed(rows):
        told = [*row.split("\t")[own.count("\t") :], *[""] * len(heads)][: len(heads)]
        pairs = [(head, cell) for head, cell in zip(heads, told, strict=True) if head and cell]
        if pairs and all(f"{head}, ".startswith(f"{cell}, ") for head, cell in pairs):
            return [head or cell for head, cell in zip(heads, told, strict=True)]
    return heads


def quote_span(
    snapshot: Snapshot,
    span: tuple[int, int],
    source_id: str,
    relevance: float,
    assignment_id: str = "",
) -> Claim:
    """Make a claim of the words of a text as they stand there."""
    start, end = span
    quote, place = snapshot.text[start:end], snapshot.find_location(start)
    return Claim(
        id=f"{assignment_id}-{source_id}-{start}",
        text=quote,
        quote=quote,
        source_id=source_id,
        assignment_id=assignment_id,
        start=start,
        end=end,
        location=describe_place(snapshot, start, end) if "\t" in quote else place,
        relevance=relevance,
    )


def add_claims(
    findings: Sequence[Findings], assignment_id: str, more: Iterable[Claim]
) -> tuple[Findings, ...]:
    """Add claims to an assignment, numbered behind the existing ones."""
    taken = max((int(claim.id[1:]) for claim in list_claims(findings)), default=0)
    named = tuple(
        claim.model_copy(update={"id": f"c{number}", "assignment_id": assignment_id})
        for number, claim in enumerate(more, start=taken + 1)
    )
    return tuple(
        finding.model_copy(update={"claims": (*finding.claims, *named)})
        if finding.assignment.id == assignment_id
        else finding
        for finding in findings
    )


def filter_unclaimed(passages: Iterable[Claim], claims: Iterable[Claim]) -> list[Claim]:
    """Drop passages that a claim, or a passage before them, already quotes in part."""
    quoted: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        quoted[claim.source_id].append(claim)
    new = []
    for each in passages:
        known = quoted[each.source_id]
        if not any(each.start < claim.end and claim.start < each.end for claim in known):
            new.append(each)
            known.append(each)
    return new


def replace_texts_by_quotes(
    findings: Sequence[Findings], names: Collection[str]
) -> tuple[Findings, ...]:
    def quote(claim: Claim) -> Claim:
        return claim.model_copy(update={"text": claim.quote}) if claim.id in names else claim

    return change_claims(findings, quote)


def list_claims(findings: Iterable[Findings]) -> tuple[Claim, ...]:
    """Return each claim of numbered findings once, as the first angle found it, in order."""
    # What another angle takes its relevance for says nothing of how well it answers the question.
    named: dict[str, Claim] = {}
    for claim in (claim for finding in findings for claim in finding.claims):
        named.setdefault(claim.id, claim)
    return tuple(named.values())


def select_cited_sources(
    claims: Iterable[Claim], shelf: Iterable[FoundSource]
) -> dict[str, SourceRef]:
    owners = {claim.source_id for claim in claims}
    return {
        entry.source.id: entry.reading.source if entry.reading else entry.source
        for entry in shelf
        if entry.source.id in owners
    }


def build_sort_key(name: str) -> tuple[int, str]:
    """Sort key for numbered names: `c2` before `c10`."""
    return len(name), name


@dataclass
class Claims:
    """What an angle has found, in documents that any angle asked for."""

    shelf: Mapping[str, FoundSource]  # which knows how credible their documents are
    at_most: int
    rejected: int = 0
    beside: int = 0
    heard: set[str] = field(default_factory=set)
    _kept: dict[tuple[str, int, int], Claim] = field(default_factory=dict)
    _touching: dict[tuple[str, int, int], Claim] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, claims: Iterable[Claim]) -> None:
        """Keep the best of what one document says."""
        new = [claim for claim in claims if claim.place not in self._kept]
        answers = [claim for claim in new if claim.relevance >= RELEVANT]
        best = sorted(answers, key=lambda claim: -claim.relevance)[: self.at_most]
        self._kept.update((claim.place, claim) for claim in best)
        self.heard.update(claim.source_id for claim in best)
        self.beside += len(new) - len(answers)
        touching = (claim for claim in new if NEAREST <= claim.relevance < RELEVANT)
        self._touching.update((claim.place, claim) for claim in touching)

    def restore(self, findings: Findings) -> None:
        """Begin with what an earlier run found, which a model is not asked for again."""
        self._kept = {claim.place: claim for claim in findings.claims}
        self.heard = {claim.source_id for claim in findings.claims}
        self.beside, self.rejected = findings.beside, findings.rejected_quotes

    def sort_claims(self) -> tuple[Claim, ...]:
        return tuple(sorted(self._apply_trust(self._kept), key=_rank))

    def select_nearest(self) -> tuple[Claim, ...]:
        """The best of what only touches on the question."""
        return tuple(sorted(self._apply_trust(self._touching), key=_rank)[: self.at_most])

    def _apply_trust(self, claims: dict[tuple[str, int, int], Claim]) -> Collection[Claim]:
        """Give claims the credibility of their documents, all at once: a run has thousands."""
        for place, claim in claims.items():
            trust = self.shelf[claim.source_id].credibility.score
            if trust != claim.credibility:
                claims[place] = claim.model_copy(update={"credibility": trust})
        return claims.values()


def _rank(claim: Claim) -> tuple[float, tuple[int, str]]:
    return -claim.relevance * claim.credibility, build_sort_key(claim.id)

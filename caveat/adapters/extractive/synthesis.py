"""Synthesis without inference: the best quotes, ordered, corroborated, never reworded."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from caveat.adapters.text.question import list_wanted_stems, parse_question
from caveat.adapters.text.vocabulary import Similarity
from caveat.contracts.source import Claim
from caveat.contracts.synthesis import AngleEvidence, SectionDraft, Synthesis, SynthesisInput
from caveat.rules.contradictions.contest import select_quotable_claims
from caveat.rules.report.answering import DIRECT, SHOWN
from caveat.rules.report.closest import AS_GOOD, cut_window, find_place
from caveat.rules.text.prose import escape_text
from caveat.rules.text.questions import split_question
from caveat.rules.text.wording import normalise_typography, normalise_wording
from caveat.rules.text.words import detect_language, find_stems

SUMMARY = 6  # statements in the executive summary, the best of each section first

COMPARED = 24
"""Passages on the question that a model of meanings compares with it, in a second of one core; with
20 to 48 as many questions have their answer among three."""

_WORDS = 0.5  # what relevance by words counts beside a similarity; 0.3 to 0.5 answer as many

_LISTED = 40  # passages of a section, each beyond the first of another document


_VOICES = 3  # other sources that a statement names: more markers hinder reading

_TRUST = 0.05
"""What full credibility adds to how well a statement answers: it decides between equal ones."""


class Statement(NamedTuple):
    """A claim, and those of a few other sources that say the same."""

    claim: Claim
    corroboration: tuple[Claim, ...]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claim and those that corroborate it."""
        return (self.claim, *self.corroboration)

    @property
    def place(self) -> tuple[str, int]:
        """Where it stands: two angles make two claims of one sentence."""
        return self.claim.source_id, self.claim.start


def score_claim(claim: Claim) -> float:
    """How well a claim answers; of equal ones the more credible comes first."""
    return claim.relevance * (1 + _TRUST * claim.credibility)


def merge(claims: Sequence[Claim]) -> list[Statement]:
    """Merge the claims that say the same, the best first.

    A source that repeats another one word for word is no second voice, but comes behind all others
    by itself: a book beside its chapters does not corroborate them, and how many documents say so
    is seen.
    """
    by_wording: dict[tuple[str, ...], list[Claim]] = defaultdict(list)
    first: dict[str, Claim] = {}
    repeats: dict[tuple[str, str], Statement] = {}
    for claim in sorted(claims, key=lambda claim: (-score_claim(claim), claim.id)):
        written = normalise_typography(claim.quote)
        earlier = first.setdefault(written, claim)
        if earlier is claim:
            by_wording[normalise_wording(claim.quote)].append(claim)
        elif earlier.source_id != claim.source_id:
            repeats.setdefault((written, claim.source_id), Statement(claim, ()))
    return [*map(_build_statement, by_wording.values()), *repeats.values()]


def _build_statement(alike: Sequence[Claim]) -> Statement:
    by_source: dict[str, Claim] = {}
    for claim in alike:
        by_source.setdefault(claim.source_id, claim)
    return Statement(alike[0], tuple(by_source.values())[1 : 1 + _VOICES])


def synthesise(evidence: SynthesisInput, similarity: Similarity | None = None) -> Synthesis:
    """Write sections and summary of quotes alone.

    Args:
        evidence: claims by angle; page text plays no part.
        similarity: who compares passages with the question by what they mean, if anybody does.

    Returns:
        A section for each angle in plan order, empty where the angle has no claims.
    """
    chosen: list[list[Statement]] = []
    for angle in evidence.angles:
        statements = merge(select_quotable_claims(angle.claims, evidence.contradictions))
        near: dict[str, float] = {}
        is_direct = angle.assignment.title == DIRECT
        if is_direct and similarity is not None:
            near = _compare_passages(evidence.topic, statements, similarity)
        earlier = {each.place for section in chosen for each in section}
        fresh = [each for each in statements if each.place not in earlier]
        chosen.append(_select_best(evidence.topic, fresh or statements, near))
    return Synthesis(
        # The first statement of each section, then the second of each, and so on.
        summary=_format_bullets(list(filter(None, chain(*zip_longest(*chosen))))[:SUMMARY]),
        sections=tuple(map(_build_section, evidence.angles, chosen)),
        ranked_by=similarity.name if similarity is not None else "",
    )


def _compare_passages(
    question: str, statements: Sequence[Statement], similarity: Similarity
) -> dict[str, float]:
    """Compare the passages that fit best by their words, as they are shown."""
    claims = [statement.claim for statement in statements[:COMPARED]]
    shown = [f"{each.location or ''}: {each.before}{each.quote}{each.after}" for each in claims]
    nearness = similarity.measure_nearness(question, shown)
    return {claim.id: near for claim, near in zip(claims, nearness, strict=True)}


def _select_best(
    question: str, statements: Sequence[Statement], near: Mapping[str, float]
) -> list[Statement]:
    """The statements that answer best, whoever makes them."""

    def score_statement(statement: Statement) -> float:
        # What was not compared came behind by its words already.
        return near.get(statement.claim.id, -1.0) + _WORDS * score_claim(statement.claim)

    ordered = sorted(statements, key=score_statement, reverse=True) if near else list(statements)
    ordered = [*_choose_for_parts(question, ordered), *ordered]
    chosen: list[Statement] = []
    for statement in ordered:
        # Beyond those that are read, other documents that are as close: how many there are counts.
        is_room = len(chosen) < SHOWN or (
            len(chosen) < _LISTED
            and statement.claim.relevance >= AS_GOOD * ordered[0].claim.relevance
            and all(each.claim.source_id != statement.claim.source_id for each in chosen)
        )
        if is_room and statement not in chosen:
            chosen.append(statement)
    return chosen


def _choose_for_parts(question: str, ordered: Sequence[Statement]) -> Iterator[Statement]:
    """Choose for each part of a question, if it has several, the passage that says most of it."""
    texts = {each: f"{find_place(each.claim)}\n{cut_window(each.claim).text}" for each in ordered}
    parts = split_question(question)
    for part in parts if len(parts) > 1 else ():
        language = detect_language(part)
        wanted = list_wanted_stems(part, language)
        stems = {each: find_stems(text, wanted, language) for each, text in texts.items()}
        asked = parse_question(part, Counter(chain(*stems.values())), len(ordered), language)
        if texts:
            best = max(texts, key=lambda each: asked.weigh(stems[each]))
            del texts[best]
            yield best


def _build_section(angle: AngleEvidence, statements: Sequence[Statement]) -> SectionDraft:
    return SectionDraft(
        assignment_id=angle.assignment.id,
        title=angle.assignment.title,
        summary=_format_bullets(statements),
        claim_ids=tuple(claim.id for statement in statements for claim in statement.claims),
    )


def _format_bullets(statements: Sequence[Statement]) -> str:
    return "\n".join(
        f"- “{escape_text(statement.claim.quote)}” "
        + "".join(f"[{claim.id}]" for claim in statement.claims)
        for statement in statements
    )

"""Synthesis without inference: the best quotes, ordered, corroborated, never reworded."""

from collections.abc import Callable, Mapping, Sequence

from caveat.adapters.extractive.statements import ALIKE, ComparedClaim, merge
from caveat.adapters.text.question import find_answer_forms, score_forms
from caveat.adapters.text.similarity import Similarity
from caveat.contracts.claim import Claim
from caveat.contracts.synthesis import (
    AngleEvidence,
    SectionDraft,
    Synthesis,
    SynthesisInput,
)
from caveat.rules.report import AS_GOOD, DIRECT, SHOWN, cut_window, fit
from caveat.rules.sources import disambiguate_titles
from caveat.rules.text.prose import escape_text
from caveat.rules.text.questions import split_question

STATEMENTS = 7  # in a section: what a reader takes in at once; the rest stays in the report's JSON
SUMMARY = 6  # statements in the executive summary, the best of each section first
PER_SOURCE = 2  # statements of one source in a section while others have something to say

_TRUST = 0.05
"""What full credibility adds to how well a statement answers: it decides between equal ones."""

COMPARED = 24
"""Passages on the question that a model of meanings compares with it, in a second of one core; with
20 to 48 as many questions have their answer among three."""

_WORDS = 0.5  # what relevance by words counts beside a similarity; 0.3 to 0.5 answer as many
_FORM = 0.08  # what the form of an answer counts beside it: of 157 questions six more among three


def synthesise(evidence: SynthesisInput, similarity: Similarity | None = None) -> Synthesis:
    """Write sections and summary of quotes alone.

    Args:
        evidence: claims by angle; page text plays no part.
        similarity: who compares passages with the question by what they mean, if anybody does.

    Returns:
        A section for each angle in plan order, empty where the angle has no claims.
    """
    titles = disambiguate_titles(evidence.sources)
    chosen: list[list[ComparedClaim]] = []
    near: dict[str, float] = {}
    for angle in evidence.angles:
        if angle.assignment.title == DIRECT:
            statements = merge(angle.claims)
            if similarity is not None:
                near |= _compare_passages(evidence.topic, statements, similarity)
            chosen.append(_select_best(evidence.topic, statements, near))
            continue
        said = [statement for section in chosen for statement in section]
        chosen.append(_choose(_select_fresh(merge(angle.claims), said)))
    sections = tuple(
        _build_section(angle, statements, titles)
        for angle, statements in zip(evidence.angles, chosen, strict=True)
    )
    asked = [
        statements
        for angle, statements in zip(evidence.angles, chosen, strict=True)
        if angle.assignment.title == DIRECT
    ]
    return Synthesis(
        summary=_format_bullets(_select_most_important(asked or chosen)),
        sections=sections,
        ranked_by=similarity.name if similarity is not None else "",
    )


def _compare_passages(
    question: str, statements: Sequence[ComparedClaim], similarity: Similarity
) -> dict[str, float]:
    """Compare the passages that fit best by their words, as they are shown."""
    claims = [statement.claim for statement in _sort_statements(statements, _score_fit)[:COMPARED]]
    shown = similarity.measure_nearness(question, list(map(_format_claim, claims)))
    answers = find_answer_forms(question)
    return {
        claim.id: near + _FORM * score_forms(answers, claim.quote)
        for claim, near in zip(claims, shown, strict=True)
    }


def _format_claim(claim: Claim) -> str:
    """What a reader is shown of a claim."""
    return f"{claim.location or ''}: {claim.before}{claim.quote}{claim.after}"


def _sort_statements(
    statements: Sequence[ComparedClaim], worth: Callable[[ComparedClaim], float]
) -> list[ComparedClaim]:
    return sorted(statements, key=lambda each: (-worth(each), each.claim.id))


def _select_best(
    question: str, statements: Sequence[ComparedClaim], near: Mapping[str, float]
) -> list[ComparedClaim]:
    """The statements that answer best, whoever makes them; none that is shown beside another."""

    def score_statement(statement: ComparedClaim) -> float:
        if not near:
            return _score_fit(statement)
        # What was not compared came behind by its words already.
        return near.get(statement.claim.id, -1.0) + _WORDS * _score_fit(statement)

    chosen: list[ComparedClaim] = []
    ordered = _sort_statements(statements, score_statement)
    firsts = [_choose_passage(part, ordered) for part in split_question(question)[1:] if ordered]
    ordered = [*ordered[:1], *firsts, *ordered[1:]]
    for statement in ordered:
        # Beyond those that are read, other documents that are as close: how many there are counts.
        is_room = len(chosen) < SHOWN or (
            len(chosen) < _LISTED
            and statement.claim.relevance >= AS_GOOD * ordered[0].claim.relevance
            and all(each.claim.source_id != statement.claim.source_id for each in chosen)
        )
        if is_room and not any(_is_shown(statement, other) for other in chosen):
            chosen.append(statement)
    return chosen


def _choose_passage(part: str, ordered: Sequence[ComparedClaim]) -> ComparedClaim:
    """Choose what has most words of a part of a question: no other part takes its place."""
    return max(ordered, key=lambda each: fit(part, cut_window(each.claim).text).share)


_LISTED = 40  # passages of a section on the question, each beyond the first of another document


def _score_fit(statement: ComparedClaim) -> float:
    """How well a statement answers; of equal ones the more credible comes first."""
    return statement.claim.relevance * (1 + _TRUST * statement.claim.credibility)


def _is_shown(statement: ComparedClaim, other: ComparedClaim) -> bool:
    """Whether most of a quote stands in the words that are shown around another one."""
    one, shown = statement.claim, other.claim
    if one.source_id != shown.source_id:
        return False
    low, high = shown.start - len(shown.before), shown.end + len(shown.after)
    return min(one.end, high) - max(one.start, low) > (one.end - one.start) / 2


def _select_fresh(
    statements: list[ComparedClaim], said: Sequence[ComparedClaim]
) -> list[ComparedClaim]:
    """Leave out what earlier sections say; an angle that has nothing else repeats it."""
    fresh = [
        statement
        for statement in statements
        if not any(statement.is_same_as(other) for other in said) and not _overlaps(statement, said)
    ]
    return fresh or statements


def _overlaps(statement: ComparedClaim, said: Sequence[ComparedClaim]) -> bool:
    place = statement.claim
    return any(
        claim.source_id == place.source_id and claim.start < place.end and place.start < claim.end
        for other in said
        for claim in other.claims
    )


def _choose(statements: Sequence[ComparedClaim]) -> list[ComparedClaim]:
    """Choose the weightiest that say something new, two of a source while there are others."""
    rest = sorted(statements, key=lambda one: (-one.weight, one.claim.id))
    chosen: list[ComparedClaim] = []
    while rest and len(chosen) < STATEMENTS:
        allowed = [one for one in rest if _count_from_source(chosen, one) < PER_SOURCE] or rest
        chosen.append(next((one for one in allowed if _is_new(one, chosen)), allowed[0]))
        rest.remove(chosen[-1])
    return chosen


def _count_from_source(chosen: Sequence[ComparedClaim], statement: ComparedClaim) -> int:
    return sum(one.claim.source_id == statement.claim.source_id for one in chosen)


def _select_most_important(sections: Sequence[Sequence[ComparedClaim]]) -> list[ComparedClaim]:
    """The first statement of each section, then the weightiest of the others."""
    firsts = [section[0] for section in sections if section]
    others = [statement for section in sections for statement in section[1:]]
    chosen: list[ComparedClaim] = []
    for statement in (*firsts, *sorted(others, key=lambda each: -each.weight)):
        if len(chosen) < SUMMARY and _is_new(statement, chosen):
            chosen.append(statement)
    return chosen


def _is_new(statement: ComparedClaim, chosen: Sequence[ComparedClaim]) -> bool:
    return all(statement.measure_likeness(one) < ALIKE for one in chosen)


def _build_section(
    angle: AngleEvidence, statements: Sequence[ComparedClaim], titles: Mapping[str, str]
) -> SectionDraft:
    used = [claim for statement in statements for claim in statement.claims]
    return SectionDraft(
        assignment_id=angle.assignment.id,
        title=angle.assignment.title,
        summary=_format_bullets(statements),
        claim_ids=tuple(claim.id for claim in used),
    )


def _format_bullets(statements: Sequence[ComparedClaim]) -> str:
    return "\n".join(
        f"- “{escape_text(statement.claim.quote)}” "
        + "".join(f"[{claim.id}]" for claim in statement.claims)
        for statement in statements
    )

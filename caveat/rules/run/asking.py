"""Asking on: one more question to what a run has kept."""

from collections.abc import Iterable, Iterator

from caveat.contracts.claim import Claim
from caveat.contracts.investigation import FoundSource
from caveat.contracts.outcome import Evidence
from caveat.contracts.plan import Assignment, Plan
from caveat.rules.lines import shorten
from caveat.rules.sources import SMALL
from caveat.rules.text.words import list_content_stems

MOST_READ = SMALL
"""Kept texts that are read again for one question: those nearest to it, of a small folder all."""

MOST_LOOKED_UP = 200
"""Kept texts that code looks through for one question: a second, and 20 MB of them in memory."""

PASSAGES = 20  # their sentences that the answer is written from, beside kept claims

QUESTION = "a1"  # the one angle
_TITLE = 80  # characters of a question in a title


def plan_question(plan: Plan, question: str, topic: str, title: str) -> Plan:
    """Plan one angle for a follow-on question; the earlier topic is its context."""
    asked = question
    if plan.reasoner.uses_language_model:
        asked = f"{question} (asked about: {topic})"
        title = shorten(question, _TITLE)
    angle = Assignment(id=QUESTION, title=title, question=asked, queries=(question,))
    return plan.model_copy(update={"assignments": (angle,), "questions": (), "debate": False})


MOST_CLAIMS = 60  # kept claims that a question is answered from: some 8,000 tokens

_COVERED = 0.8
"""Share of a question's words from which kept claims are taken to speak of it; below that a kept
text is read again. Of "What did the sluice gate cost" two thirds stand in claims on the gate."""


def select_kept_claims(evidence: Evidence, question: str) -> tuple[Claim, ...]:
    """Choose the kept claims that share words with a question, and all sides of their disputes."""
    asked = list_content_stems(question)
    every = {claim.id: claim for found in evidence.findings for claim in found.claims}
    near = {
        name: len(asked & _list_stems(claim)) / (len(asked) or 1) for name, claim in every.items()
    }
    best = sorted((name for name in every if near[name]), key=lambda name: -near[name])
    # With half of the best one's words at least: each claim brings the disputes that it is part of.
    chosen = dict.fromkeys(name for name in best[:MOST_CLAIMS] if 2 * near[name] >= near[best[0]])
    for dispute in evidence.contradictions:
        if not chosen.keys().isdisjoint(dispute.concerned):
            chosen |= dict.fromkeys(name for name in dispute.concerned if name in every)
    return tuple(
        every[name].model_copy(update={"relevance": near[name], "assignment_id": QUESTION})
        for name in chosen
    )


def covers_question(claims: Iterable[Claim], question: str) -> bool:
    """Whether claims have enough of a question's words to speak of it."""
    asked = list_content_stems(question)
    said = set[str]().union(*map(_list_stems, claims))
    return len(asked & said) >= _COVERED * len(asked)


def _list_stems(claim: Claim) -> frozenset[str]:
    return frozenset(list_content_stems(f"{claim.text} {claim.quote} {claim.location or ''}"))


def select_nearest_texts(
    evidence: Evidence, question: str, most: int = MOST_READ
) -> tuple[FoundSource, ...]:
    """Choose the kept texts whose claims share most words with a question, best first."""
    asked = list_content_stems(question)
    said = {kept.source.id: set(list_content_stems(kept.source.title)) for kept in evidence.shelf}
    for claim in _list_claim_texts(evidence):
        said.get(claim[0], set()).update(list_content_stems(claim[1]))
    read = [kept for kept in evidence.shelf if kept.admitted and kept.reading is not None]
    ranked = sorted(
        read, key=lambda kept: (-len(asked & said[kept.source.id]), -kept.credibility.score)
    )
    return tuple(ranked[:most])


def _list_claim_texts(evidence: Evidence) -> Iterator[tuple[str, str]]:
    for found in evidence.findings:
        for claim in found.claims:
            yield claim.source_id, f"{claim.text} {claim.quote}"

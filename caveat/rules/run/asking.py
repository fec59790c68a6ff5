"""Asking on: one more question to what a run has kept."""

from collections.abc import Iterator

from caveat.contracts.investigation import FoundSource
from caveat.contracts.outcome import Evidence
from caveat.contracts.plan import Assignment, Plan
from caveat.rules.lines import shorten
from caveat.rules.sources import SMALL
from caveat.rules.text.words import list_content_stems

MOST_READ = SMALL
"""Kept texts that are read again for one question: those nearest to it, of a small folder all."""

_TITLE = 80  # characters of a question in a title


def plan_question(plan: Plan, question: str, topic: str, title: str) -> Plan:
    """Plan one angle for a follow-on question; the earlier topic is its context."""
    asked = question
    if plan.reasoner.uses_language_model:
        asked = f"{question} (asked about: {topic})"
        title = shorten(question, _TITLE)
    angle = Assignment(id="a1", title=title, question=asked, queries=(question,))
    return plan.model_copy(update={"assignments": (angle,), "questions": (), "debate": False})


def select_nearest_texts(evidence: Evidence, question: str) -> tuple[FoundSource, ...]:
    """Choose the kept texts whose claims share most words with a question, best first."""
    asked = list_content_stems(question)
    said = {kept.source.id: set(list_content_stems(kept.source.title)) for kept in evidence.shelf}
    for claim in _list_claim_texts(evidence):
        said.get(claim[0], set()).update(list_content_stems(claim[1]))
    read = [kept for kept in evidence.shelf if kept.admitted and kept.reading is not None]
    ranked = sorted(
        read, key=lambda kept: (-len(asked & said[kept.source.id]), -kept.credibility.score)
    )
    return tuple(ranked[:MOST_READ])


def _list_claim_texts(evidence: Evidence) -> Iterator[tuple[str, str]]:
    for found in evidence.findings:
        for claim in found.claims:
            yield claim.source_id, f"{claim.text} {claim.quote}"

"""Asking on: one more question to what a run has kept."""

from collections import defaultdict
from collections.abc import Iterable

from caveat.contracts.outcome import Evidence, FoundSource
from caveat.contracts.plan import Assignment, Plan
from caveat.contracts.source import Claim
from caveat.rules.evidence.claims import list_claims
from caveat.rules.lines import shorten
from caveat.rules.sources.credibility import SMALL
from caveat.rules.text.words import detect_language, detect_sure_language, list_content_stems

MOST_READ = SMALL
"""Kept texts that are read again for one question: those nearest to it, of a small folder all."""

MOST_LOOKED_UP = 200
"""Kept texts that code looks through for one question: a second, and 20 MB of them in memory."""

PASSAGES = 20  # their sentences that the answer is written from, beside kept claims

QUESTION = "a1"  # the one angle
_TITLE = 80  # characters of a question in a title


def plan_question(plan: Plan, question: str, topic: str, title: str) -> Plan:
    """Plan one angle for a follow-on question; the earlier topic is its context."""
    wanted = question
    if plan.reasoner.uses_language_model:
        wanted = f"{question} (asked about: {topic})"
        title = shorten(question, _TITLE)
    angle = Assignment(id=QUESTION, title=title, question=wanted, queries=(question,))
    return plan.model_copy(update={"assignments": (angle,), "questions": (), "debate": False})


MOST_CLAIMS = 60  # kept claims that a question is answered from: some 8,000 tokens

_COVERED = 0.8
"""Share of a question's words from which kept claims are taken to speak of it; below that the
question is put anew. Of "What did the sluice gate cost" two thirds stand in claims on the gate."""


def select_kept_claims(evidence: Evidence, questions: Iterable[str]) -> tuple[Claim, ...]:
    """Choose the kept claims that share words with a question in some wording.

    All sides of their disputes come with them.
    """
    every = {claim.id: claim for claim in list_claims(evidence.findings)}
    near = dict.fromkeys(every, 0.0)
    for question in questions:
        language, stems = _read_question(question)
        for name, claim in every.items():
            shared = len(stems & _list_stems(claim, language)) / (len(stems) or 1)
            near[name] = max(near[name], shared)
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
    language, stems = _read_question(question)
    known = set[str]().union(*(_list_stems(claim, language) for claim in claims))
    return len(stems & known) >= _COVERED * len(stems)


def list_other_languages(evidence: Evidence, question: str) -> tuple[str, ...]:
    """List the languages of kept claims that share no words with a question because of it."""
    quotes: defaultdict[str, list[str]] = defaultdict(list)
    for claim in list_claims(evidence.findings):
        quotes[claim.source_id].append(claim.quote)
    spoken = {detect_sure_language("\n".join(each)) for each in quotes.values()}
    spoken.discard(detect_language(question))
    return tuple(sorted(language for language in spoken if language is not None))


def _read_question(question: str) -> tuple[str, frozenset[str]]:
    """Detect a question's language, and list its words that carry meaning there."""
    language = detect_language(question)
    return language, list_content_stems(question, language)


def _list_stems(claim: Claim, language: str) -> frozenset[str]:
    return list_content_stems(f"{claim.text} {claim.quote} {claim.location or ''}", language)


def select_nearest_texts(
    evidence: Evidence, question: str, most: int = MOST_READ
) -> tuple[FoundSource, ...]:
    """Choose the kept texts whose claims share most words with a question, best first."""
    language, stems = _read_question(question)
    known = {
        entry.source.id: set(list_content_stems(entry.source.title, language))
        for entry in evidence.shelf
    }
    for claim in list_claims(evidence.findings):
        known.get(claim.source_id, set()).update(_list_stems(claim, language))
    read = [entry for entry in evidence.shelf if entry.admitted and entry.reading is not None]
    ranked = sorted(
        read, key=lambda kept: (-len(stems & known[kept.source.id]), -kept.credibility.score)
    )
    return tuple(ranked[:most])

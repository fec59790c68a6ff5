"""Backing: what stands behind an answer that a model wrote, and in what words that is said."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from math import fsum
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.report import Report
from caveat.rules.contradictions.contest import is_usable
from caveat.rules.report.confidence import Ledger
from caveat.rules.report.publication import build_stated_grounds, measure_support
from caveat.rules.report.unanswered import explain_unanswered
from caveat.rules.sentences import Grounds, find_text_flaws
from caveat.rules.text import SUMMARY, CitedSentence, Piece

SURE_OF = (0.0, 0.60, 0.75, 0.85)
"""How sure a sentence is that so many independent sources carry; more add nothing. One source may
be wrong alone; of two that agree, hardly both are."""

UNVERIFIED = 0.49  # most that a report may have whose sentences nobody verified: low


class AnswerBacking(NamedTuple):
    """What stands behind an answer."""

    voices: tuple[int, ...]  # of each sentence of it, how many documents say what it says together
    # share of the report's sentences that the verifier found carried; None where nobody verified
    # them
    supported: float | None
    missing: int  # parts of the question that are not answered
    disputed: int  # contradictions that it touches and that are not settled
    unsettled: int  # all that are not settled
    settled: int  # all that are
    sources: int
    dated: int  # how many of those say when they are from
    # why it does not answer the question; empty where it does, at least in part
    unanswered: str = ""

    @property
    def answered(self) -> bool:
        """Whether it answers the question, at least in part."""
        return not self.unanswered


def assess_backing(report: Report, works: Mapping[str, str]) -> AnswerBacking | None:
    """Say what stands behind the answer of a report; None where no model gave a verdict.

    Args:
        works: of each source the work that it is a form of: one voice.
    """
    if report.verdict is None:
        return None
    claims = {claim.id: claim for claim in report.claims}
    sentences = Piece(report.summary, claims, SUMMARY).sentences
    cited = dict.fromkeys(
        name
        for each in sentences
        for name in each.cited
        if name in claims and is_usable(claims[name])
    )
    settled = sum(each.ruling is not None for each in report.contradictions)
    used = {claims[name].source_id for name in cited}
    # Documents of one author are one voice, whatever they are called.
    owners = {
        each.id: "; ".join(each.authors).casefold() or works[each.id] for each in report.sources
    }
    lost = report.verification.lost if report.verification else 0
    grounds = build_stated_grounds(report)
    agreeing = (_count_agreeing(report, each, owners, grounds) for each in sentences)
    voices = (*agreeing, *(0,) * lost)
    return AnswerBacking(
        voices=voices,
        supported=measure_support(report),
        missing=len(report.missing),
        disputed=len(report.disputed),
        unsettled=len(report.contradictions) - settled,
        settled=settled,
        sources=len({works[name] for name in used}),
        dated=sum(each.published is not None for each in report.sources if each.id in used),
        unanswered=explain_unanswered(report),
    )


def _count_agreeing(
    report: Report, sentence: CitedSentence, owners: Mapping[str, str], grounds: Grounds
) -> int:
    """Count the documents that agree on what a sentence says, in its weakest place."""
    # Those agree that are cited together, with those that back them; two sides never do, nor do
    # those of which none has all numbers that stand before the place: each carries a part.
    claims = {each.id: each for each in report.claims if is_usable(each)}
    places: dict[str, set[str]] = {}  # by what is told before each
    for mark in sentence.marks:
        if mark.claim_id in claims:
            told = " ".join(re.findall(r"\S*\w\S*", sentence.text[: mark.offset - sentence.start]))
            places.setdefault(told, set()).add(mark.claim_id)
    cited = set().union(*places.values())
    for each in report.contradictions:
        sides = [set(side.claims) for side in each.sides if not cited.isdisjoint(side.claims)]
        if len(sides) > 1:
            return 1
        for names in places.values():
            names.update(*(side for side in sides if not names.isdisjoint(side)))
    counts = []
    for before, (told, names) in zip(("", *places), places.items(), strict=False):
        voices: dict[str, list[Claim]] = {}
        for name in names & claims.keys():
            voices.setdefault(owners[claims[name].source_id], []).append(claims[name])
        part = told.removeprefix(before)
        whole = [own for own in voices.values() if not any(find_text_flaws(part, own, grounds))]
        counts.append(len(whole) or min(1, len(voices)))
    return min(counts, default=0)


def start_with(ledger: Ledger, backing: AnswerBacking, penalty: float) -> None:
    """Begin a ledger with what stands behind an answer.

    Args:
        ledger: not yet begun.
        penalty: for each part of the question that is missing, as for an angle.
    """
    sure = [SURE_OF[min(each, len(SURE_OF) - 1)] for each in backing.voices]
    carried = ", ".join(
        f"{count} carried by {voices} {'document' if voices == 1 else 'documents'}"
        for voices, count in sorted(Counter(backing.voices).items())
    )
    ledger.start(
        f"the answer has {len(sure)} sentences{carried and f': {carried}'}",
        fsum(sure) / len(sure) if sure else 0.0,
    )
    for _ in range(backing.missing):
        ledger.subtract("a part of the question is not answered", penalty)
    if backing.supported is None:
        if backing.answered:  # else there is no sentence to verify
            ledger.limit("nobody verified the sentences", UNVERIFIED)
    elif backing.supported < 1:
        ledger.multiply("share of the sentences that were verified", backing.supported)


def list_reasons(backing: AnswerBacking) -> tuple[str, ...]:
    """Say in words why a report is as sure as it is, a clause each."""
    if backing.unanswered:
        return (backing.unanswered,)
    return (
        _describe_agreement(backing),
        *_describe_counts(backing),
        _describe_verification(backing),
        *_describe_dates(backing),
    )


def _describe_agreement(backing: AnswerBacking) -> str:
    most, least = max(backing.voices), min(backing.voices)
    if backing.sources == 1:
        return "one source alone says it"
    if least > 1:
        return f"every sentence of the answer has {_spell_number(least)} documents or more"
    if most > 1:
        return f"up to {_spell_number(most)} documents say the same"
    return f"{_spell_number(backing.sources)} sources speak, and no sentence has two that agree"


def _describe_counts(backing: AnswerBacking) -> Iterator[str]:
    for count, noun, end in (
        (backing.unsettled, "contradiction", "not settled"),
        (backing.settled, "contradiction", "settled"),
        (backing.missing, "part", "missing"),
    ):
        of = " of the question" if noun == "part" else ""
        if count:
            these = (
                f"one {noun}{of} is" if count == 1 else f"{_spell_number(count)} {noun}s{of} are"
            )
            others = 0 < backing.disputed < count and end == "not settled"
            yield f"{these} {end}" + (f", {_spell_number(backing.disputed)} in the answer" * others)


def _describe_verification(backing: AnswerBacking) -> str:
    if backing.supported is None:
        return "nobody verified the sentences"
    return (
        "every sentence was verified"
        if backing.supported == 1
        else f"{backing.supported:.0%} of the sentences were verified"
    )


def _describe_dates(backing: AnswerBacking) -> Iterator[str]:
    if backing.dated == 0:
        yield "no source of the answer is dated"


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _spell_number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)

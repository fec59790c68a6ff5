"""Backing: what stands behind an answer that a model wrote, and what its verdict is worth."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.report import Report
from caveat.contracts.synthesis import Verdict, Verification
from caveat.rules.contradictions.contest import is_usable
from caveat.rules.lines import pluralise
from caveat.rules.report.answering import Opening
from caveat.rules.report.confidence import Ledger
from caveat.rules.report.publication import build_stated_grounds, measure_support
from caveat.rules.sentences import Grounds, find_text_flaws
from caveat.rules.text import SUMMARY, CitedSentence, Piece, list_marked_ids, prose, questions

SURE_OF = (0.0, 0.60, 0.75, 0.85)
"""How sure a sentence is that so many independent sources carry; more add nothing. One source may
be wrong alone; of two that agree, hardly both are."""

UNVERIFIED = 0.49  # most that a report may have whose sentences nobody verified: low


class AnswerBacking(NamedTuple):
    # of each sentence of it, how many independent sources say the part that fewest say
    voices: tuple[int, ...]
    # share of the report's sentences that the verifier found carried; None where nobody verified
    # them
    supported: float | None
    missing: int  # parts of the question that are not answered
    disputed: int  # contradictions that it touches and that are not settled
    # why it does not answer the question; empty where it does, at least in part
    unanswered: str = ""
    lost: int = 0  # sentences of it that are not published


def assess_backing(report: Report, owners: Mapping[str, str]) -> AnswerBacking | None:
    """Say what stands behind an answer, by the voice of each source; None without a verdict."""
    if report.verdict is None:
        return None
    claims = {claim.id: claim for claim in report.claims}
    sentences = Piece(report.summary, claims, SUMMARY).sentences
    grounds = build_stated_grounds(report)
    return AnswerBacking(
        voices=tuple(_count_voices(report, each, owners, grounds) for each in sentences),
        supported=measure_support(report),
        missing=len(report.missing),
        disputed=len(report.disputed),
        unanswered=explain_unanswered(report),
        lost=(report.verification or Verification()).lost,
    )


def _count_voices(
    report: Report, sentence: CitedSentence, owners: Mapping[str, str], grounds: Grounds
) -> int:
    """Count the independent sources of a sentence in its weakest place."""
    # Those agree that are cited together, with those that back them; two sides never do, nor do
    # those of which none has all numbers that stand before the place: each carries a part.
    claims = {each.id: each for each in report.claims if is_usable(each)}
    places: dict[str, set[str]] = {}  # by what is told before each
    for mark in sentence.marks:
        if mark.claim_id in claims:
            told = " ".join(re.findall(r"\S*\w\S*", sentence.text[: mark.offset - sentence.start]))
            places.setdefault(told, set()).add(mark.claim_id)
    cited = set().union(*places.values())
    are_opposed = False
    for each in report.contradictions:
        sides = [set(side.claims) for side in each.sides if not cited.isdisjoint(side.claims)]
        are_opposed |= len(sides) > 1
        for names in places.values():
            names.update(*(side for side in sides if not names.isdisjoint(side)))
    counts = []
    for before, (told, names) in zip(("", *places), places.items(), strict=False):
        voices: dict[str, list[Claim]] = {}
        for name in names & claims.keys():
            voices.setdefault(owners[claims[name].source_id], []).append(claims[name])
        part = told.removeprefix(before)
        whole = [own for own in voices.values() if not any(find_text_flaws(part, own, grounds))]
        counts.append(min(1, len(voices)) if are_opposed or not whole else len(whole))
    return min(counts, default=0)


def start_with(ledger: Ledger, backing: AnswerBacking, penalty: float) -> None:
    """Begin a ledger with what stands behind an answer; a missing part costs the penalty."""
    sure = [SURE_OF[min(each, len(SURE_OF) - 1)] for each in backing.voices]
    written = len(sure) + backing.lost
    carried = ", ".join(
        f"{count} with {voices} independent {pluralise('source', voices)}"
        for voices, count in sorted(Counter(backing.voices).items())
    )
    carried += f", {backing.lost} left out" if backing.lost else ""
    ledger.start(
        f"sentences or quotes of the answer, each by its weakest part: {carried or 'none'}",
        fsum(sure) / written if written else 0.0,
    )
    for _ in range(backing.missing):
        ledger.subtract("a part of the question is not answered", penalty)
    if backing.supported is None:
        if not backing.unanswered:  # else there is no sentence to verify
            ledger.limit("nobody verified the sentences", UNVERIFIED)
    elif backing.supported < 1:
        ledger.multiply("share of the sentences that were verified", backing.supported)


_FLAWED = "what was written of it did not pass the checks of its form, and quotes stand instead"


def explain_unanswered(report: Report) -> str:
    """Say in a clause why a report does not answer; empty where it does, at least in part."""
    claims = {claim.id: claim for claim in report.claims}
    cited = [claims[name] for name in list_marked_ids(report.summary) if name in claims]
    if any(map(is_usable, cited)):
        if report.verdict is not Verdict.NOT_ANSWERED:
            return ""
        is_flawed = report.verification is not None and report.verification.is_answer_flawed
        return _FLAWED if is_flawed else "nothing that was found says what was asked"
    if any(each.is_unsettled for each in report.contradictions):
        return "the sources disagree on what was asked, and which of them holds is not settled"
    if not any(each.effort.found for each in report.sections):
        return "nothing was found on what was asked"
    if report.verdict is Verdict.NOT_ANSWERED:
        return "nothing that was found says what was asked"
    return "no quote carries what was written as the answer"


# The verdict: the synthesiser's word on whether the question is answered, granted by code.

_VERIFIED = (
    "Every part of the question has an answer, and a second reader found each sentence of it "
    "carried by the quotes that it cites."
)
_PARTLY = "The writer found a part of the question unanswered, and does not say which."


def grant_verdict(report: Report) -> Opening:
    """Grant a verdict as far as the report bears it out."""
    # "Answered" needs claims that may be used behind the answer, that each of its sentences was
    # verified, and that nothing of it is missing or a side of an undecided dispute; nor left out,
    # unless the verifier found every part answered by what it let pass.
    why = explain_unanswered(report)
    disputed = tuple(_list_disputes(report, is_answered=not why))
    if why:
        because = " ".join([f"{why[0].upper()}{why[1:]}.", *_describe_missing(report)])
        # What the writer says instead stands, with the nearest passages.
        is_said = any(list_marked_ids(report.summary))
        text = report.summary if is_said else ""
        return Opening(answered=False, answer=text, answered_because=because, disputed=disputed)
    short = [*_describe_missing(report), *_describe_shortfalls(report, disputed)]
    if report.verdict is Verdict.ANSWERED and not short:
        text, because = report.summary, _VERIFIED
        return Opening(answered=True, answer=text, answered_because=because, disputed=())
    return Opening("partly", report.summary, " ".join(short or [_PARTLY]), disputed)


def _list_disputes(report: Report, *, is_answered: bool) -> Iterator[str]:
    # What an answer tells is marked in it while people think; what nobody settled is cited nowhere.
    told = {each.contradiction_id for each in prose.find_markers(report.summary)}
    for each in report.contradictions:
        if each.is_unsettled and (each.requires_human_review or not is_answered or each.id in told):
            yield each.id


def _describe_missing(report: Report) -> Iterator[str]:
    parts = [each.part.rstrip(".?") for each in report.missing]
    if parts:
        yield f"Missing: {'; '.join(parts)}."


def _describe_shortfalls(report: Report, disputed: Sequence[str]) -> Iterator[str]:
    if disputed:
        points = "a point" if len(disputed) == 1 else f"{len(disputed)} points"
        yield f"The sources disagree on {points} of the question."
    checks = report.verification or Verification()
    is_whole = {*questions.split_question(report.topic)} <= {*checks.answered}
    if (lost := checks.lost) and not is_whole:
        one = "One sentence of it did not pass its checks, and was left out."
        many = f"{lost} of its sentences did not pass their checks, and were left out."
        yield one if lost == 1 else many

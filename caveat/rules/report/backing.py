"""Backing: what stands behind an answer that a model wrote."""

import re
from collections import Counter
from collections.abc import Mapping
from math import fsum
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.report import Report
from caveat.contracts.synthesis import Verdict, Verification
from caveat.rules.contradictions.contest import is_usable
from caveat.rules.lines import pluralise
from caveat.rules.report.confidence import Ledger
from caveat.rules.report.publication import build_stated_grounds, measure_support
from caveat.rules.sentences import Grounds, find_text_flaws
from caveat.rules.text import SUMMARY, CitedSentence, Piece, list_marked_ids

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

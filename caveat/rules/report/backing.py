"""Backing: what stands behind an answer that a model wrote, and in what words that is said."""

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from caveat.contracts.report import Report
from caveat.rules.contradictions.contest import usable
from caveat.rules.report.confidence import Ledger
from caveat.rules.report.publication import citations_supported
from caveat.rules.report.unanswered import why_unanswered
from caveat.rules.text import SUMMARY, Piece

SURE_OF = (0.0, 0.60, 0.75, 0.85)
"""How sure a sentence is that so many independent sources carry; more add nothing. One source may
be wrong alone; of two that agree, hardly both are."""

UNVERIFIED = 0.49
"""Most that a report may have whose sentences nobody verified: low."""


class AnswerBacking(NamedTuple):
    """What stands behind an answer.

    Attributes:
        voices: of each sentence of it, how many independent sources carry it.
        supported: share of the report's sentences that the verifier found carried; None where
            nobody verified them.
        missing: parts of the question that are not answered.
        settled: disputes that it touches and that are settled.
        dated: how many of those say when they are from.
        unanswered: why it does not answer the question; empty where it does, at least in part.
    """

    voices: tuple[int, ...]
    supported: float | None
    missing: int
    disputed: int
    settled: int
    sources: int
    dated: int
    unanswered: str = ""

    @property
    def answered(self) -> bool:
        """Whether it answers the question, at least in part."""
        return not self.unanswered


def backing_of(report: Report, works: Mapping[str, str]) -> AnswerBacking | None:
    """Say what stands behind the answer of a report; None where no model gave a verdict.

    Args:
        works: of each source the work that it is a form of: one voice.
    """
    if report.verdict is None:
        return None
    claims = {claim.id: claim for claim in report.claims}
    sentences = Piece(report.summary, claims, SUMMARY).sentences
    cited = dict.fromkeys(
        name for each in sentences for name in each.cited if name in claims and usable(claims[name])
    )
    touched = [each for each in report.contradictions if not each.concerned.isdisjoint(cited)]
    used = {claims[name].source_id for name in cited}
    voices = tuple(_voices(report, each.cited, works) for each in sentences)
    return AnswerBacking(
        voices=voices,
        supported=citations_supported(report),
        missing=len(report.missing),
        disputed=len(report.disputed),
        settled=sum(each.ruling is not None for each in touched),
        sources=len({works[name] for name in used}),
        dated=sum(each.published is not None for each in report.sources if each.id in used),
        unanswered=why_unanswered(report),
    )


def _voices(report: Report, cited: Sequence[str], works: Mapping[str, str]) -> int:
    """Count the independent sources of a sentence; of a dispute those of one side."""
    owners = {each.id: works[each.source_id] for each in report.claims if usable(each)}
    agreeing = {
        name: side.claims
        for each in report.contradictions
        for side in each.sides
        for name in side.claims
    }
    sides = [
        {owners[each] for each in agreeing[name] if each in owners}
        for name in cited
        if name in agreeing and name in owners
    ]
    plain = {owners[name] for name in cited if name in owners and name not in agreeing}
    return max(len(plain), *(len(plain | side) for side in sides)) if sides else len(plain)


def start_with(ledger: Ledger, backing: AnswerBacking, penalty: float) -> None:
    """Begin a ledger with what stands behind an answer.

    Args:
        ledger: not yet begun.
        penalty: for each part of the question that is missing, as for an angle.
    """
    sure = [SURE_OF[min(each, len(SURE_OF) - 1)] for each in backing.voices]
    ledger.start(
        f"the answer has {len(sure)} sentences, carried by "
        f"{', '.join(map(str, backing.voices)) or 'no'} independent sources",
        fsum(sure) / len(sure) if sure else 0.0,
    )
    for _ in range(backing.missing):
        ledger.subtract("a part of the question is not answered", penalty)
    if backing.supported is None:
        ledger.limit("nobody verified the sentences", UNVERIFIED)
    elif backing.supported < 1:
        ledger.multiply("share of the sentences that were verified", backing.supported)


def reasons(backing: AnswerBacking) -> tuple[str, ...]:
    """Say in words why a report is as sure as it is, a clause each."""
    if backing.unanswered:
        return (backing.unanswered,)
    return (_agreement(backing), *_undecided(backing), _reading(backing), *_dates(backing))


def _agreement(backing: AnswerBacking) -> str:
    most, least = max(backing.voices), min(backing.voices)
    if backing.sources == 1:
        return "one source alone says it"
    if least > 1:
        return f"every sentence of the answer has {_spelled(least)} sources or more"
    if most > 1:
        return f"up to {_spelled(most)} independent sources agree"
    return f"{_spelled(backing.sources)} sources speak, and on no point do two agree"


def _undecided(backing: AnswerBacking) -> Iterator[str]:
    for count, noun, end in (
        (backing.disputed, "dispute", "open"),
        (backing.settled, "dispute", "settled"),
        (backing.missing, "part of the question", "missing"),
    ):
        if count:
            plural = noun.replace("dispute", "disputes").replace("part ", "parts ")
            yield f"one {noun} is {end}" if count == 1 else f"{_spelled(count)} {plural} are {end}"


def _reading(backing: AnswerBacking) -> str:
    if backing.supported is None:
        return "nobody verified the sentences"
    return (
        "every sentence was verified"
        if backing.supported == 1
        else f"{backing.supported:.0%} of the sentences were verified"
    )


def _dates(backing: AnswerBacking) -> Iterator[str]:
    if backing.dated == 0:
        yield "no source is dated"


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _spelled(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)

"""Quorum: whether enough assignments could be carried out, and how a run ends for want of them."""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from caveat.contracts.base import Contract
from caveat.contracts.outcome import Ending, Findings
from caveat.contracts.plan import QuorumPolicy
from caveat.contracts.synthesis import Challenge, Debate, Participant
from caveat.contracts.tasks import NoticeKind
from caveat.rules.evidence.claims import build_sort_key

SUFFICIENT = 0.70  # completeness above which a partial result counts as a success

NOTHING_FOUND = (
    "No passage on the topic was found: ask in the words that the documents use, or give a corpus "
    "that covers it."
)


DEGRADED = 0.50
"""Confidence below which people are told: a report then says more of what is missing than of its
topic."""


class Contribution(StrEnum):
    """How an assignment counts."""

    WHOLE = "whole"  # everything that it set out to do was done
    WEAKENED = "weakened"  # partial, above 0.70: counts, with its confidence times 0.90
    MISSING = "missing"
    """Failed, partial at or below 0.70, or without any claim: finding nothing does not count."""


class QuorumMember(Contract):
    """How one assignment counts, and whether it is critical."""

    assignment_id: str
    title: str
    contribution: Contribution
    critical: bool  # whether the run fails without it
    # whether it is missing because it did its work and found nothing; any other that is missing
    # could not do its work
    found_nothing: bool = False


class Verdict(Contract):
    """A phase, checked against its policy."""

    needed: int  # how many assignments must count
    counted: int
    missing: tuple[QuorumMember, ...] = ()  # those that do not count, in plan order

    @property
    def is_met(self) -> bool:
        """Whether enough assignments count, critical or not."""
        return self.counted >= self.needed

    @property
    def suffices(self) -> bool:
        """Whether the run can continue as it is."""
        return self.is_met and not self.critical_missing

    @property
    def critical_missing(self) -> tuple[QuorumMember, ...]:
        return tuple(member for member in self.missing if member.critical)


def rate_completeness(completeness: float) -> Contribution:
    """Rate an assignment by the share of its tasks that were done, 0 to 1."""
    if completeness >= 1.0:
        return Contribution.WHOLE
    return Contribution.WEAKENED if completeness > SUFFICIENT else Contribution.MISSING


def assess_assignment(finding: Findings) -> QuorumMember:
    """Rate an assignment by its result: claims, from work that was done."""
    work = rate_completeness(finding.completeness)
    looked = not finding.failed or work is not Contribution.MISSING
    fills = bool(finding.claims)
    return QuorumMember(
        assignment_id=finding.assignment.id,
        title=finding.assignment.title,
        contribution=work if fills else Contribution.MISSING,
        critical=finding.assignment.critical,
        found_nothing=looked and not fills,
    )


def check_quorum(policy: QuorumPolicy, members: Sequence[QuorumMember]) -> Verdict:
    missing = tuple(member for member in members if member.contribution is Contribution.MISSING)
    return Verdict(
        needed=max(1, math.ceil(policy.minimum_share * len(members))),
        counted=len(members) - len(missing),
        missing=missing,
    )


def select_retries(held: Verdict) -> tuple[QuorumMember, ...]:
    """Choose what to retry before the verdict; nothing if the run can continue."""
    # What looked and found nothing has nothing to retry, though the run may end for it. Below the
    # quorum everything else that is missing, critical ones first, because each may fill it; above
    # it only the critical ones, because the others have their price in confidence already.
    wanted = held.critical_missing if held.is_met else held.missing
    failed = (member for member in wanted if not member.found_nothing)
    return tuple(sorted(failed, key=lambda member: not member.critical))


def build_notice(held: Verdict) -> tuple[NoticeKind, str]:
    """Say what is missing before it is retried."""
    failed = tuple(member for member in held.critical_missing if not member.found_nothing)
    if failed:
        return (
            NoticeKind.CRITICAL_AGENT_FAILED,
            f"{_quote_titles(failed)} failed and the run cannot do without; trying again.",
        )
    return NoticeKind.QUORUM_LOST, f"{_describe_counts(held)}; trying the missing ones again."


class Shortfall(NamedTuple):
    """How a run ends for lack of assignments: the name, a sentence, and what failed."""

    # It is a silence where all did their work and too few sources say anything: a model that has
    # read them can report that.

    ending: Ending
    message: str
    subject: str | None = None
    is_silence: bool = False


def find_shortfall(held: Verdict, bounds: Sequence[str] = ()) -> Shortfall | None:
    """Name the end of a run that lacks its quorum or a critical assignment; None if it goes on."""
    critical = held.critical_missing
    lacking = critical or (() if held.is_met else held.missing)
    if not lacking:
        return None
    nothing = all(member.found_nothing for member in lacking) and not bounds
    ending = Ending.CRITICAL_AGENT_FAILED if critical else Ending.INSUFFICIENT_AGENTS
    ending = Ending.INSUFFICIENT_EVIDENCE if nothing else ending
    if not critical and nothing and not held.counted:
        return Shortfall(ending, NOTHING_FOUND, is_silence=True)
    told, subject = _describe_counts(held), None
    if critical:
        empty = tuple(member for member in critical if member.found_nothing)
        failed = tuple(member for member in critical if not member.found_nothing)
        causes = [f"{_quote_titles(failed)} failed"] if failed else []
        causes += [f"{_quote_titles(empty)} searched and found nothing"] if empty else []
        told = f"{', '.join(causes)} and the run cannot do without"
        subject = ", ".join(member.title for member in critical)
    message = f"{told}: {_suggest_remedy(lacking, bounds)}"
    return Shortfall(ending, message, subject, is_silence=nothing and not critical)


def _suggest_remedy(missing: Sequence[QuorumMember], bounds: Sequence[str]) -> str:
    if bounds:
        return f"the budget of {', '.join(bounds)} left tasks out, so raise it and start again."
    if all(member.found_nothing for member in missing):
        return "ask in the words that the documents use, or give sources that cover it."
    return "see the failures and start the run again."


def _describe_counts(held: Verdict) -> str:
    total = held.counted + len(held.missing)
    empty = sum(member.found_nothing for member in held.missing)
    failed = len(held.missing) - empty
    causes = [f"{failed} could not be carried out"] if failed else []
    causes += [f"{empty} searched and found nothing"] if empty else []
    return (
        f"Only {held.counted} of {total} assignments brought anything and {held.needed} are "
        f"needed ({', '.join(causes)})"
    )


def _quote_titles(members: Sequence[QuorumMember]) -> str:
    return ", ".join(f"“{member.title}”" for member in members)


# The debate: who has to take part, and which remarks stand.

DEBATE = QuorumPolicy(minimum_share=2 / 3, penalty=0.20)
"""Two of the three participants: with one alone there is a view and no debate. A missing one costs
twice what a missing angle does, because each lens is looked through only once."""

Contributions = Mapping[Participant, tuple[Challenge, ...] | None]
"""What each participant said; None of one who could not take part."""


def build_debate(contributions: Contributions) -> Debate:
    """Build a debate; who said nothing took part, and remarks are in order of the claims."""
    present = [each for each in Participant if contributions.get(each) is not None]
    remarks = [remark for each in present for remark in contributions[each] or ()]
    return Debate(
        present=tuple(present),
        missing=tuple(each for each in Participant if each not in present),
        challenges=tuple(sorted(remarks, key=lambda said: build_sort_key(said.claim_id))),
    )


def has_quorum(contributions: Contributions) -> bool:
    """Whether enough participants took part for it to be a debate."""
    present = sum(remarks is not None for remarks in contributions.values())
    return present >= math.ceil(DEBATE.minimum_share * len(Participant))

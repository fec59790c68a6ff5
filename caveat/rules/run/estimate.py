"""Estimates: what a run will ask of models before it starts, and how much of it a bound allows.

Two runs of the same size are imagined: a lean one, whose searches fill half of its places with
short pages, and an ample one, whose every place is filled with a long text and whose answers are
now and then returned. What a run really costs lies between them as a rule; what holds it is its
budget (`caveat.rules.run.budget`), not its estimate.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from typing import Protocol

from caveat.contracts.debate import Participant
from caveat.rules.run.budget import RESERVE
from caveat.rules.run.extent import Extent, find_smallest_extent, list_smaller_extents

INSTRUCTIONS = 800
"""Tokens of every call beside its material: the role's instructions (139 to 521 tokens) and the
answer's schema (73 to 256), both measured at four characters a token, and the topic. They count in
full: prefixes this short are seldom cached."""

SOURCE = 45  # tokens of a source where claims are shown: title, kind and date as JSON


class RoleName(StrEnum):
    """What models are asked to do; each may have a model of its own."""

    PLANNING = "planning"
    SEARCH = "search"
    REFORMULATION = "reformulation"
    ANALYSIS = "analysis"
    DETECTION = "detection"
    DEBATE = "debate"
    SYNTHESIS = "synthesis"
    VERIFICATION = "verification"


class CallCost(Protocol):
    """What calls cost."""

    def price_call(self, role: RoleName, sent: int, received: int) -> float | None:
        """Price one call of a role, US dollars; None where its model's price is not known."""


@dataclass(frozen=True)
class Range:
    """What is expected: at least `low` in the lean run, at most `high` in the ample one."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Halfway: a bound below it cuts a run short more likely than not."""
        return (self.low + self.high) / 2


@dataclass(frozen=True)
class Estimate:
    """What a run is expected to ask of models."""

    calls: Range
    tokens: Range
    cost_usd: Range | None  # US dollars; None where the price of a model is not known
    gathering_usd: Range | None  # of that, what is spent before the synthesis


@dataclass(frozen=True)
class Expected:
    """What a run meets."""

    filled: float  # share of the places for sources that searches fill
    page: int
    found: float  # share of the claims wanted that a source has
    claim: int  # tokens of a claim where it is shown to a model
    queries: int
    results: int  # tokens that a search puts into its model's prompt
    reworded: float  # share of the angles that search again in other words
    returned: float  # share of the answers that are returned once to be mended
    disagreeing: float  # share of the claims that contradict one another
    remarked: float  # share of the claims that a participant of the debate remarks on
    mended: float  # share of the sentences that no quote carries: said anew, and verified again
    section: int
    reports: int


LEAN = Expected(
    filled=0.5,  # the other half of what is found is a copy, not credible or not to be had
    page=1_500,  # a news article or a short page: 1,100 words
    found=0.5,  # half of the claims wanted: short pages have no more to say on an angle
    claim=85,  # a sentence of 25 words that is its own quote, with its names
    queries=1,
    results=5_000,  # five results of a long passage each
    reworded=0.0,
    returned=0.0,
    disagreeing=0.0,
    remarked=0.1,
    mended=0.0,
    section=250,  # a paragraph
    reports=1,
)
AMPLE = Expected(
    filled=1.0,
    page=12_000,  # a paper of 9,000 words: the mean, single sources are cut at five times that
    found=1.0,
    claim=125,  # said in other words than the quote, which stands beside it
    queries=4,  # as many as an assignment may have
    results=20_000,  # ten results of a long passage each
    reworded=1.0,
    returned=0.25,  # an assumption: nobody has measured it; each is returned at most once
    disagreeing=0.2,
    remarked=0.5,
    mended=0.2,
    section=900,  # 650 words
    reports=2,  # a provisional one while people think, and the final one
)

_ANGLE = 120  # tokens of an angle as it is planned: title, question and queries
_QUERY = 40  # tokens of a query as an answer
_CLAIM_SAID = 110  # tokens of a claim as an analyst answers it: statement, quote and names
_REMARK = 90  # tokens of a remark: one or two sentences and the claims that it rests on
_PAIR = 120  # tokens of a contradiction: a sentence, its values and the claims that state them
_SIDES = 2  # claims of a contradiction that a second look is asked of: one a value
_MANY = 60  # remarks or contradictions that one answer holds at most: models say what matters most
_COMPLAINT = 200  # tokens of what is wrong with an answer that is returned

_REPORTING = frozenset({RoleName.SYNTHESIS, RoleName.VERIFICATION})
"""What the reserve of a budget is kept for."""


@dataclass(frozen=True)
class _Work:
    """Calls that are alike: so many, each with so many tokens sent and received."""

    role: RoleName
    calls: int
    sent: int
    received: int


def estimate(scope: Extent, prices: CallCost | None) -> Estimate:
    """Say what a run is expected to ask of models.

    Args:
        prices: what calls cost; None where no model is called, and then everything is nothing.
    """
    if prices is None:
        nothing = Range(0, 0)
        return Estimate(nothing, nothing, nothing, nothing)
    lean, ample = _sum_work(scope, LEAN, prices), _sum_work(scope, AMPLE, prices)
    return Estimate(
        calls=Range(lean.calls, ample.calls),
        tokens=Range(lean.tokens, ample.tokens),
        cost_usd=_build_range(lean.cost, ample.cost),
        gathering_usd=_build_range(lean.gathering, ample.gathering),
    )


def fits(expected: Estimate, bound: float) -> bool:
    """Whether a run is likely to stay within a bound, US dollars, with nothing left out for it."""
    # Judged by the middle of what is expected, because a run that costs more is not lost: its
    # budget stops it from gathering, and its report says so.
    cost, gathering = expected.cost_usd, expected.gathering_usd
    if cost is None or gathering is None:
        return False
    return cost.middle <= bound and gathering.middle <= bound * (1 - RESERVE)


def narrow_extent(scope: Extent, prices: CallCost | None, bound: float) -> Extent | None:
    """Find the most that fits a bound: less depth first, then fewer sources.

    Returns:
        The scope itself where it fits, else the largest smaller one that does, else the smallest
        one where its lean run stays within the bound; None where not even that does, or where
        nobody knows what it costs.
    """
    for less in list_smaller_extents(scope):
        if fits(estimate(less, prices), bound):
            return less
    least = find_smallest_extent(scope)
    cost = estimate(least, prices).cost_usd
    return least if cost is not None and cost.low <= bound else None


@dataclass(frozen=True)
class _Sum:
    calls: int
    tokens: int
    cost: float | None
    gathering: float | None


def _sum_work(scope: Extent, expected: Expected, prices: CallCost) -> _Sum:
    works = [each for work in _list_work(scope, expected) for each in _add_returns(work, expected)]
    gathering = [work for work in works if work.role not in _REPORTING]
    return _Sum(
        calls=sum(work.calls for work in works),
        tokens=sum(work.calls * (work.sent + work.received) for work in works),
        cost=_sum_cost(works, prices),
        gathering=_sum_cost(gathering, prices),
    )


def _sum_cost(works: list[_Work], prices: CallCost) -> float | None:
    total = 0.0
    for work in works:
        one = prices.price_call(work.role, work.sent, work.received)
        if one is None:
            return None
        total += work.calls * one
    return total


def _build_range(low: float | None, high: float | None) -> Range | None:
    return None if low is None or high is None else Range(low, high)


def _add_returns(work: _Work, expected: Expected) -> Iterator[_Work]:
    """The work, and the second turns that some of it needs: the first one stands before them."""
    yield work
    again = ceil(work.calls * expected.returned) if work.role is not RoleName.SEARCH else 0
    if again:
        yield _Work(work.role, again, work.sent + work.received + _COMPLAINT, work.received)


def _list_work(scope: Extent, expected: Expected) -> Iterator[_Work]:
    """Everything that models are asked; what is asked nobody is left out."""
    for work in (*_list_source_work(scope, expected), *_list_claim_work(scope, expected)):
        if work.calls:
            yield work


def _list_source_work(scope: Extent, expected: Expected) -> Iterator[_Work]:
    """Planning, searching, reading: by angle and by source."""
    angles, sources = scope.assignments, _count_analysed(scope, expected)
    planned = 0 if scope.specialists else 1
    yield _Work(RoleName.PLANNING, planned, INSTRUCTIONS, angles * _ANGLE)
    reworded = ceil(angles * expected.reworded)
    yield _Work(RoleName.REFORMULATION, reworded, INSTRUCTIONS, _QUERY)
    searches = angles * expected.queries + reworded if scope.searches else 0
    yield _Work(RoleName.SEARCH, searches, INSTRUCTIONS + expected.results, _QUERY)
    yield _Work(
        RoleName.ANALYSIS,
        sources,
        INSTRUCTIONS + expected.page,
        ceil(_count_claims(scope, expected) * _CLAIM_SAID / sources),
    )


def _list_claim_work(scope: Extent, expected: Expected) -> Iterator[_Work]:
    """Comparing, debating, writing: over all claims at once."""
    claims, sources = _count_claims(scope, expected), _count_analysed(scope, expected)
    shown = INSTRUCTIONS + claims * expected.claim + sources * SOURCE
    pairs = min(_MANY, ceil(claims * expected.disagreeing))
    remarks = min(_MANY, ceil(claims * expected.remarked))
    prose = (scope.assignments + 1) * expected.section  # the summary is one more
    yield _Work(RoleName.DETECTION, 1, shown, pairs * _PAIR)
    looked = INSTRUCTIONS + _SIDES * pairs * expected.claim  # at the claims that lead the sides
    yield _Work(RoleName.DETECTION, min(pairs, 1), looked, _SIDES * pairs * _QUERY)
    if scope.debates:
        yield _Work(RoleName.DEBATE, len(Participant), shown, remarks * _REMARK)
    yield _Work(RoleName.SYNTHESIS, expected.reports, shown, prose)
    yield _Work(
        RoleName.VERIFICATION, expected.reports, shown + prose, prose
    )  # at most all claims are cited
    mended = ceil(prose * expected.mended)
    again = INSTRUCTIONS + mended + ceil(claims * expected.mended) * expected.claim
    for role in (RoleName.SYNTHESIS, RoleName.VERIFICATION):
        yield _Work(role, expected.reports if mended else 0, again, mended)


def _count_analysed(scope: Extent, expected: Expected) -> int:
    """Sources, each analysed once for all angles."""
    return ceil(scope.sources * expected.filled)


def _count_claims(scope: Extent, expected: Expected) -> int:
    """Of each source for its angle alone where places stay empty, else for all that may want it."""
    if expected.filled < 1:
        wanted = _count_analysed(scope, expected)
    else:
        wanted = scope.assignments * min(scope.size.sources, scope.sources)
    return wanted * ceil(scope.size.claims * expected.found)

"""Extent and estimates: how much a run does by its depth, and what it will ask of models for that.

Two runs of the same size are imagined: a lean one, whose searches fill half of its places with
short pages, and an ample one, whose every place is filled with a long text and whose answers are
now and then returned. What a run really costs lies between them as a rule; what holds it is its
budget (`caveat.rules.run.budget`), not its estimate.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

from caveat.contracts.plan import Depth
from caveat.contracts.synthesis import Participant


@dataclass(frozen=True)
class Size:
    assignments: int  # angles, at most
    sources: int  # sources an angle, at most
    claims: int  # claims a source and angle, at most


SIZES: dict[Depth, Size] = {
    Depth.OVERVIEW: Size(assignments=4, sources=5, claims=3),  # a first look
    Depth.DEEP: Size(assignments=5, sources=8, claims=4),  # twice the follow-up threshold of 4
    Depth.EXHAUSTIVE: Size(assignments=6, sources=15, claims=6),  # 90 readings: within 200 pending
}


def compute_size(depth: Depth, assignments: int, max_sources: int | None) -> Size:
    """Return the size of a run; an exhaustive one reads all it may, with any number of angles."""
    usual = SIZES[depth]
    if depth is not Depth.EXHAUSTIVE:
        return usual
    places = max_sources or usual.assignments * usual.sources
    return replace(usual, sources=max(usual.sources, ceil(places / assignments)))


@dataclass(frozen=True)
class Extent:
    depth: Depth
    max_sources: int | None = None  # sources that it reads at most; None leaves it to the depth
    # assignments that its team brings; None where the planner finds them
    specialists: int | None = None
    searches: bool = False  # whether a model runs its searches
    debates: bool = False  # whether its team has what was found debated

    @property
    def assignments(self) -> int:
        return self.specialists or SIZES[self.depth].assignments

    @property
    def size(self) -> Size:
        return compute_size(self.depth, self.assignments, self.max_sources)

    @property
    def sources(self) -> int:
        places = self.assignments * self.size.sources
        return places if self.max_sources is None else min(places, self.max_sources)


INSTRUCTIONS = 800
"""Tokens of every call on top of its material: the role's instructions (139 to 521 tokens) and the
answer's schema (73 to 256), both measured at four characters a token, and the topic. They count in
full: prefixes this short are seldom cached."""


Price = Callable[[str, int, int], float | None]
"""Prices one call in US dollars by its role and its tokens sent and received; None if unknown."""


class Range(NamedTuple):
    """What is expected: at least `low` in the lean run, at most `high` in the ample one."""

    low: float
    high: float


class Estimate(NamedTuple):
    """The model calls that a run is expected to make."""

    calls: Range
    tokens: Range
    cost_usd: Range | None  # US dollars; None where the price of a model is not known


class Expected(NamedTuple):
    """What a run meets."""

    filled: float  # share of the places for sources that searches fill
    page: int  # tokens of a source
    found: float  # share of the claims wanted that a source has
    claim: int  # tokens of a claim where it is shown to a model, with its source's share
    queries: int  # of an angle
    results: int  # tokens that a search puts into its model's prompt
    section: int  # tokens of a section of the report
    reports: int
    again: float  # share of the calls that are made once more, to mend what was answered


LEAN = Expected(
    filled=0.5,  # the other half of what is found is a copy, not credible or not to be had
    page=1_500,  # a news article or a short page: 1,100 words
    found=0.5,  # half of the claims wanted: short pages have no more to say on an angle
    claim=110,  # a sentence of 25 words that is its own quote
    queries=1,
    results=5_000,  # five results of a long passage each
    section=250,  # a paragraph
    reports=1,
    again=0.0,
)
AMPLE = Expected(
    filled=1.0,
    page=12_000,  # a paper of 9,000 words: the mean, single sources are cut at five times that
    found=1.0,
    claim=135,  # said in other words than its quote
    queries=5,  # as many as an assignment may have, and one in other words
    results=20_000,  # ten results of a long passage each
    section=900,  # 650 words
    reports=2,  # a provisional one while people think, and the final one
    again=0.25,  # an assumption: nobody has measured it
)

_ANGLE = 120  # tokens of an angle as it is planned: title, question and queries
_QUERY = 40  # tokens of a query as an answer
_CLAIM_SAID = 110  # tokens of a claim as an analyst answers it: statement, quote and names
_REMARKS = 5_000  # tokens that a detector or debater says at most: sixty remarks of two sentences


class Work(NamedTuple):
    """Calls that are alike: so many, each with so many tokens sent and received."""

    role: str  # by the name that people choose its model by
    calls: int
    sent: int
    received: int


def estimate(scope: Extent, price: Price | None) -> Estimate:
    """Estimate the model calls of a run; none without a price, because there is no model."""
    if price is None:
        return Estimate(Range(0, 0), Range(0, 0), Range(0, 0))
    both = [list_work(scope, each) for each in (LEAN, AMPLE)]
    low, high = (_sum_cost(works, price) for works in both)
    return Estimate(
        calls=Range(*(sum(each.calls for each in works) for works in both)),
        tokens=Range(*(sum(w.calls * (w.sent + w.received) for w in works) for works in both)),
        cost_usd=None if low is None or high is None else Range(low, high),
    )


def list_work(scope: Extent, expected: Expected = AMPLE) -> tuple[Work, ...]:
    """Everything that models are asked."""
    angles, sources = scope.assignments, ceil(scope.sources * expected.filled)
    # Of each source for its angle alone where places stay empty, else for all that may want it.
    wanted = sources if expected.filled < 1 else angles * min(scope.size.sources, scope.sources)
    claims = wanted * ceil(scope.size.claims * expected.found)
    shown = INSTRUCTIONS + claims * expected.claim
    answers, apart = expected.reports, expected.reports * angles
    own = INSTRUCTIONS + ceil(claims * expected.claim / angles)
    remarks = min(_REMARKS, claims * _QUERY)
    searches, debaters = angles * expected.queries * scope.searches, len(Participant)
    answer = ceil(claims * _CLAIM_SAID / sources)
    table = (
        ("planning", 0 if scope.specialists else 1, INSTRUCTIONS, angles * _ANGLE),
        ("reformulation", angles if expected.again else 0, INSTRUCTIONS, _QUERY),
        ("search", searches, INSTRUCTIONS + expected.results, _QUERY),
        ("analysis", sources, INSTRUCTIONS + expected.page, answer),
        ("detection", 1, shown, remarks),
        ("debate", debaters if scope.debates else 0, shown, remarks),
        ("synthesis", answers, shown, expected.section),
        ("synthesis", apart, own, expected.section),
        ("verification", answers + apart, own + expected.section, expected.section),
    )
    return tuple(
        Work(role, ceil(calls * (1 + expected.again)), sent, received)
        for role, calls, sent, received in table
        if calls
    )


def _sum_cost(works: Iterable[Work], price: Price) -> float | None:
    total = 0.0
    for work in works:
        one = price(work.role, work.sent, work.received)
        if one is None:
            return None
        total += work.calls * one
    return total

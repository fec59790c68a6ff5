"""A mix of failures, read from a file and dealt into runs."""

import math
import random
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from caveat.contracts.base import Contract
from caveat.contracts.envelope import CATEGORIES, FailureCategory, FailureType
from caveat.contracts.outcome import Work

SHARE_OF_QUERY = 4
"""Sources that each of two queries gives at depth `deep`: eight for an assignment."""

SAME_PUBLISHER = 3
"""Readings in a run that one publisher's key opens: more would make it the run's only source."""


Sort = Literal["page", "article", "paper"]
"""An address that says nothing of what is there, one that holds a DOI, and one of arXiv's."""


class Row(Contract):
    """One kind of failure; docs/recovery.md explains the fields."""

    name: str  # what happens, for people
    why: str  # what it stands for in life
    failure_type: FailureType  # what a subagent that reports fully calls it
    # of those that the type allows; only `permanent` allows several
    category: FailureCategory | None = None
    share: float = Field(ge=0, le=1)  # of all failures, 0 to 1
    steps: dict[Work, float] = Field(min_length=1)  # what sort of work it befalls, with weights
    # attempts that fail before the same input works, from and to
    clears_after: tuple[int, int] | None = None
    # seconds after the first refusal before which no attempt works, from and to
    retry_after_s: tuple[float, float] | None = None
    # share of the text that one attempt gets through, from and to
    reaches: tuple[float, float] | None = None
    # what becomes of another input, where the adapters can name one
    alternative: Literal["works", "useless"] | None = None
    key: Literal["expired", "revoked"] | None = None  # whether the credentials can be refreshed
    # whom the key concerns: all searches of a run, or one of several publishers
    scope: Literal["run", "provider"] | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.reaches is not None and set(self.steps) != {Work.ANALYSE}:
            raise ValueError(f"“{self.name}”: only an analysis can be partly done")
        if self.alternative is not None and Work.ANALYSE in self.steps:
            raise ValueError(f"“{self.name}”: an analysis has no alternative input")
        steps = {"run": {Work.SEARCH}, "provider": {Work.READ}, None: set(self.steps)}
        if (self.key is None) != (self.scope is None) or set(self.steps) != steps[self.scope]:
            raise ValueError(
                f"“{self.name}”: a key concerns all searches of a run (scope run) or the readings "
                "of one publisher (scope provider)"
            )
        if self.category not in {None, *CATEGORIES[self.failure_type]}:
            raise ValueError(f"“{self.name}”: {self.failure_type} cannot be {self.category}")
        return self


class Runs(Contract):
    """What the runs are like: failures in each, its size, and sources to spare, from and to."""

    failures: int = Field(ge=1)
    assignments: int = Field(ge=1, le=6)
    queries: Literal[2]
    spares: tuple[int, int]
    # sorts of addresses of sources, with weights; what an adapter can offer instead of one that
    # fails depends on it
    addresses: dict[Sort, float] = Field(default={"page": 1.0}, min_length=1)
    # share of sources of which another address was stated by an engine or met in the run
    known: float = Field(default=0.0, ge=0, le=1)


class Mix(Contract):
    """Kinds of failures and the runs that they befall."""

    runs: Runs
    failure: tuple[Row, ...]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        total = math.fsum(row.share for row in self.failure)
        if not math.isclose(total, 1.0, abs_tol=1e-6):
            raise ValueError(f"the shares add up to {total:.4f} and not to 1")
        return self


def read_mix(path: Path) -> Mix:
    return Mix.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))


@dataclass(frozen=True)
class Place:
    """One piece of work of a run: an assignment, one of its queries, one of that one's sources."""

    work: Work
    assignment: int
    query: int
    source: int = 0


@dataclass(frozen=True)
class Whereabouts:
    """What there is to know of where a source may be had: its address, and another one."""

    sort: Sort = "page"
    known: bool = False


@dataclass(frozen=True)
class Fate:
    """The hidden truth about one piece of work that fails."""

    row: Row
    place: Place
    clears_after: int | None
    retry_after_s: float | None
    reaches: float | None
    provider: str | None
    whereabouts: Whereabouts = field(default_factory=Whereabouts)


@dataclass(frozen=True)
class Script:
    """One run: what fails in it, and the sources to spare of each assignment."""

    fates: tuple[Fate, ...]
    spares: tuple[int, ...]


def deal(mix: Mix, failures: int, seed: int) -> list[Script]:
    """Deal so many failures into runs; the same seed deals the same.

    No failure hides another: what fails is read behind a search that does not fail, and analysed
    behind a reading that does not.
    """
    # Not a secret, but a shuffle that can be repeated.
    chance = random.Random(seed)
    groups = list(_groups(mix, failures))
    # A key that all searches of a run need leaves nothing else in it that could fail.
    scripts = [
        _script(group, _places(mix, [Work.SEARCH] * len(group), chance), mix, chance)
        for group in groups
        if group[0].scope == "run"
    ]
    rest = [group for group in groups if group[0].scope != "run"]
    chance.shuffle(rest)
    while rest:
        rows = _next_run(rest, mix.runs.failures)
        works = [_work(row, chance) for row in rows]
        places = _places(mix, works, chance)
        placed = [row for row, place in zip(rows, places, strict=True) if place is not None]
        rest = [[row] for row, place in zip(rows, places, strict=True) if place is None] + rest
        scripts.append(_script(placed, [place for place in places if place], mix, chance))
    return scripts


def _groups(mix: Mix, failures: int) -> Iterator[list[Row]]:
    """Put together what falls together: pieces of work that need the same key."""
    sizes = {"run": mix.runs.assignments * mix.runs.queries, "provider": SAME_PUBLISHER, None: 1}
    for row, count in zip(mix.failure, _counts(mix, failures), strict=True):
        size = sizes[row.scope]
        for begun in range(0, count, size):
            yield [row] * min(size, count - begun)


def _counts(mix: Mix, failures: int) -> list[int]:
    """Share whole failures out by largest remainder, so that they add up."""
    exact = [row.share * failures for row in mix.failure]
    counts = [math.floor(each) for each in exact]
    by_rest = sorted(range(len(exact)), key=lambda each: counts[each] - exact[each])
    for each in by_rest[: failures - sum(counts)]:
        counts[each] += 1
    return counts


def _next_run(rest: list[list[Row]], size: int) -> list[Row]:
    rows: list[Row] = []
    while rest and len(rows) < size:
        rows += rest.pop(0)
    return rows


def _work(row: Row, chance: random.Random) -> Work:
    return chance.choices(list(row.steps), list(row.steps.values()))[0]


def _places(mix: Mix, works: Sequence[Work], chance: random.Random) -> list[Place | None]:
    """Find a place for each piece of work; None where the run has no room for it."""
    queries = [
        (assignment, query)
        for assignment in range(mix.runs.assignments)
        for query in range(mix.runs.queries)
    ]
    chance.shuffle(queries)
    searches = min(works.count(Work.SEARCH), len(queries))
    sources = [
        (assignment, query, source)
        for assignment, query in queries[searches:]
        for source in range(SHARE_OF_QUERY)
    ]
    chance.shuffle(sources)
    failing = iter(queries[:searches])
    places: list[Place | None] = []
    for work in works:
        if work is Work.SEARCH:
            at = next(failing, None)
            places.append(Place(work, *at) if at else None)
        else:
            places.append(Place(work, *sources.pop()) if sources else None)
    return places


def _script(
    rows: Sequence[Row], places: Sequence[Place | None], mix: Mix, chance: random.Random
) -> Script:
    fates = tuple(
        Fate(
            row=row,
            place=place,
            clears_after=chance.randint(*row.clears_after) if row.clears_after else None,
            retry_after_s=round(chance.uniform(*row.retry_after_s)) if row.retry_after_s else None,
            reaches=round(chance.uniform(*row.reaches), 2) if row.reaches else None,
            provider=_provider(row),
            whereabouts=_whereabouts(mix.runs, chance),
        )
        for row, place in zip(rows, places, strict=True)
        if place is not None
    )
    spares = tuple(chance.randint(*mix.runs.spares) for _ in range(mix.runs.assignments))
    return Script(fates, spares)


def _provider(row: Row) -> str | None:
    match row.scope:
        case "run":
            return "engine"
        case "provider":
            return f"publisher, {row.name}"
        case None:
            return None


def _whereabouts(runs: Runs, chance: random.Random) -> Whereabouts:
    return Whereabouts(
        sort=chance.choices(list(runs.addresses), list(runs.addresses.values()))[0],
        known=chance.random() < runs.known,
    )

"""What only the benchmark knows: why a piece of work fails, and what would make it work."""

import datetime as dt
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from benchmarks.mix import Fate
from caveat.contracts.envelope import CATEGORIES, Failure, FailureCategory, FailureType

TRANSIENT = frozenset({FailureType.TIMEOUT, FailureType.RATE_LIMITED, FailureType.UNAVAILABLE})
"""What an adapter recommends to try again; it cannot know better (as caveat.failures does)."""


class Means(StrEnum):
    """How a failing piece of work was done in the end."""

    RETRY = "retry"  # the same input worked at a later attempt
    REFRESH = "refresh"  # the same input worked with new credentials
    REST = "rest"  # the work that a partial result had left was done
    ALTERNATIVE = "alternative"  # another input worked
    SPARE = "spare"  # another source was read and analysed in its place


class Detail(StrEnum):
    """A piece of what a subagent can report of a failure."""

    TYPE = "failure type"  # type and category; without them everything is unknown and permanent
    PARTIAL = "partial results"  # what was done before it broke off
    ALTERNATIVES = "alternatives"  # other inputs that may work
    ADVICE = "retry advice"  # whether a retry is recommended, and after how many seconds
    PROVIDER = "provider"  # whose service it was


@dataclass(frozen=True)
class Configuration:
    """What subagents report of a failure; the coordinator is the same in every configuration."""

    name: str
    details: frozenset[Detail]

    def told(self, failure: Failure) -> Failure:
        """Leave out of a failure what this configuration does not report."""
        if Detail.TYPE not in self.details:
            return Failure(
                category=FailureCategory.UNKNOWN,
                failure_type=FailureType.PERMANENT,
                message="The subagent failed.",
            )
        left_out: dict[str, object] = {}
        if Detail.ALTERNATIVES not in self.details:
            left_out |= {"alternatives": ()}
        if Detail.ADVICE not in self.details:
            left_out |= {"retry_recommended": False, "retry_after_s": None}
        if Detail.PROVIDER not in self.details:
            left_out |= {"provider": None}
        return failure.model_copy(update=left_out)


def ladder() -> tuple[Configuration, ...]:
    """Begin with a generic failure and add one detail at a time."""
    details = tuple(Detail)
    steps = [
        Configuration(f"+ {detail}", frozenset(details[:number]))
        for number, detail in enumerate(details, start=1)
    ]
    everything = Configuration(f"everything (+ {details[-1]})", frozenset(details))
    return (Configuration("generic “failed”", frozenset()), *steps[:-1], everything)


class Attempt(NamedTuple):
    """One attempt at a piece of work: the other input, if one was given, where it begins, when."""

    elsewhere: str
    start: float
    at: dt.datetime


@dataclass
class Keys:
    """The credentials of one run: which are known to be refused, and which are new."""

    refused: set[str] = field(default_factory=set)
    refreshed: set[str] = field(default_factory=set)


@dataclass
class Piece:
    """A failing piece of work and what happened to it."""

    fate: Fate  # the hidden truth
    alternatives: tuple[str, ...]  # the inputs that the adapters can suggest instead
    description: str  # of its task, by which the report names it
    keys: Keys  # of the run
    attempts: int = 0  # how often it was tried, with whatever input
    wasted: int = 0  # of those, how many could not have worked and told nobody anything new
    means: Means | None = None  # how it was done in the end; None while it is not
    _first: dt.datetime | None = None

    def attempted(self, attempt: Attempt) -> Failure | None:
        """Try it.

        Returns:
            None when it worked, or the whole truth that a subagent can know.
        """
        self.attempts += 1
        self._first = self._first or attempt.at
        if self._works(attempt):
            self.means = self.means or self._means(attempt)
            return None
        self.wasted += self._is_known() and not self._may_work(attempt)
        if self.fate.provider is not None:
            self.keys.refused.add(self.fate.provider)
        return self._failure()

    def reached(self, attempt: Attempt) -> float | None:
        """Share of the text that an attempt got through before it broke off."""
        if self.fate.reaches is None:
            return None
        return min(1.0, attempt.start + self.fate.reaches)

    def _may_work(self, attempt: Attempt) -> bool:
        """Whether anything short of other input or other credentials can make an attempt work."""
        fate = self.fate
        if attempt.elsewhere:
            return self._works_elsewhere()
        if fate.provider is not None:
            return fate.provider in self.keys.refreshed
        if fate.reaches is not None:
            return 1 - attempt.start <= fate.reaches
        return fate.clears_after is not None or fate.retry_after_s is not None

    def _works(self, attempt: Attempt) -> bool:
        if not self._may_work(attempt):
            return False
        if attempt.elsewhere:
            return True
        if self.fate.clears_after is not None:
            return self.attempts > self.fate.clears_after
        if self.fate.retry_after_s is not None and self._first is not None:
            waited = (attempt.at - self._first).total_seconds()
            return self.attempts > 1 and waited >= self.fate.retry_after_s
        return True

    def _works_elsewhere(self) -> bool:
        """Whether another input works; a place that needs no key does."""
        row = self.fate.row
        return row.alternative == "works" or row.key is not None

    def _is_known(self) -> bool:
        """Whether the cause was met before: the first to meet it has to find out."""
        if self.fate.provider is not None:
            return self.fate.provider in self.keys.refused
        return self.attempts > 1

    def _means(self, attempt: Attempt) -> Means:
        if attempt.elsewhere:
            return Means.ALTERNATIVE
        if self.fate.provider is not None:
            return Means.REFRESH
        return Means.REST if attempt.start > 0 else Means.RETRY

    def _failure(self) -> Failure:
        row = self.fate.row
        return Failure(
            category=row.category or min(CATEGORIES[row.failure_type]),
            failure_type=row.failure_type,
            message=f"It failed: {row.name}.",
            retry_recommended=row.failure_type in TRANSIENT,
            retry_after_s=self.fate.retry_after_s,
            alternatives=self.alternatives,
            resource=self.description,
            provider=self.fate.provider,
        )

"""Recovery: what the coordinator does about a failure, and when it stops trying.

Temporal has retried the same input already where that could help; what is left needs another input,
another time, or nothing at all. Where the first of a fan-out all fail alike, the breaker opens and
the rest is not started. A follow-up of an ended run chooses among its failures alike.
"""

from collections.abc import Iterable, Sequence

from caveat.contracts.base import Contract
from caveat.contracts.envelope import AgentType, Failure, FailureCategory, FailureType
from caveat.contracts.outcome import Ending
from caveat.contracts.report import Remedy, ReportedFailure


class Recovery(Contract):
    """A remedy, with the changed input if the failure suggests one."""

    remedy: Remedy
    alternative: str | None = None
    wait_s: float = 0.0  # seconds to wait first, as the provider asked


def select_recovery(failure: Failure, completeness: float) -> Recovery | None:
    """Choose what to do about a failure that Temporal's retries left; None turns it into a gap."""
    match failure.failure_type:
        case FailureType.TIMEOUT if completeness > 0:
            return Recovery(remedy=Remedy.REMAINING_WORK)
        case FailureType.RATE_LIMITED:
            return Recovery(remedy=Remedy.NARROWED, wait_s=failure.retry_after_s or 0.0)
        # An address that is open needs no key, and few hosts give us any.
        case FailureType.AUTH_ERROR if failure.provider is not None and not failure.alternatives:
            return Recovery(remedy=Remedy.REFRESHED_CREDENTIALS)
    if failure.alternatives:
        return Recovery(remedy=Remedy.ALTERNATIVE, alternative=failure.alternatives[0])
    # An answer that was wrong twice is a follow-up's to ask for again.
    is_wrong = failure.category is FailureCategory.VALIDATION
    return Recovery(remedy=Remedy.LATER) if failure.retry_recommended and not is_wrong else None


PROBES = 3
"""Tasks that go first. One failure is an accident and two a coincidence; waiting for more would
cost a fan-out of eight most of what the breaker saves."""

NOT_STARTED = "Not started, because others failed alike: "
"""Prefix of the message of a task that was not tried; the reason of the others follows."""

SYSTEMIC = frozenset({FailureType.RATE_LIMITED, FailureType.TIMEOUT, FailureType.UNAVAILABLE})
"""Failures that say something of the service, as all do that name a provider. A missing page says
nothing of the next one, and neither does a file that may not be read."""


def is_systemic(failure: Failure) -> bool:
    """Whether the next task of the same kind is likely to fail alike."""
    return (
        failure.failure_type in SYSTEMIC
        or failure.category is FailureCategory.UNKNOWN
        or failure.provider is not None
    )


def opens(last: Sequence[Failure], limit: int = PROBES, *, is_known: bool = False) -> bool:
    """Whether the last failures, with no success between them, stop tasks like them.

    Args:
        is_known: whether all were at one provider, whose refused key refuses every task.
    """
    if not last or not is_systemic(last[-1]):
        return False
    is_refused = last[-1].failure_type is FailureType.AUTH_ERROR
    limit = 1 if is_known and is_refused else min(limit, PROBES)
    alike = {(each.category, each.failure_type, each.provider) for each in last[-limit:]}
    return len(last) >= limit and len(alike) == 1


FIELDWORKERS = frozenset(
    {AgentType.PLANNER, AgentType.SEARCHER, AgentType.READER, AgentType.ANALYST, AgentType.OUTSIDE}
)
"""Whose failed work a follow-up takes over, piece by piece; a run that has no plan is done anew."""

COMPARERS = frozenset({AgentType.DETECTOR, AgentType.DEBATER})
"""Whose work a follow-up does anew, and whose failure a report therefore need not keep."""

REDONE = COMPARERS | {AgentType.SYNTHESISER, AgentType.VERIFIER}
"""Whose work a follow-up does anew where the earlier run has failed at it."""

GATHERED = frozenset(
    {
        *(Ending.SYNTHESIS_FAILED, Ending.AUDIT_FAILED),
        *(Ending.PUBLICATION_FAILED, Ending.CANCELLED),
    }
)
"""Ends of runs that had what they needed, or were not let: a follow-up writes the report."""


class Scope(Contract):
    """The work of a follow-up."""

    retried: tuple[ReportedFailure, ...] = ()
    left: int = 0  # failures that it tries only where everything is tried
    writes: bool = False  # whether it writes the report that the earlier run lacks

    @property
    def is_empty(self) -> bool:
        return not self.retried and not self.writes


def build_scope(
    ending: Ending | None, failures: Iterable[ReportedFailure], *, everything: bool = False
) -> Scope:
    """Build the scope of a follow-up: of what was lost everything, or what may work now."""
    redone = FIELDWORKERS | REDONE
    lost = [each for each in failures if not each.recovered and each.agent_type in redone]
    again = tuple(each for each in lost if everything or may_work_now(each.failure))
    return Scope(retried=again, left=len(lost) - len(again), writes=ending in GATHERED)


def may_work_now(failure: Failure) -> bool:
    """Whether the same may work in a later run, after some time or a person's action.

    A provider that refused a key or wanted money may serve once that is settled; what was not there
    is not expected back.
    """
    return failure.retry_recommended or is_mendable(failure)


def is_mendable(failure: Failure) -> bool:
    """Whether a provider refused for what people can settle with it: a key, a bill, a limit."""
    return (
        failure.provider is not None
        and failure.category in {FailureCategory.PERMISSION, FailureCategory.BUSINESS}
        and failure.failure_type is not FailureType.NOT_FOUND
    )


def count_recovered(followed: Scope, now: Sequence[ReportedFailure]) -> int:
    states = {each.task_id: each.recovered for each in now if each.agent_type in FIELDWORKERS}
    fieldwork = [each for each in followed.retried if each.agent_type in FIELDWORKERS]
    good = sum(states.get(each.task_id, False) for each in fieldwork)
    for agent in sorted(REDONE):
        before = sum(each.agent_type == agent for each in followed.retried)
        left = sum(each.agent_type == agent and not each.recovered for each in now)
        good += max(0, before - left)
    return good

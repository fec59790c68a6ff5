"""Every timeout and retry policy, each number with its reason."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Generic, TypeVar

from temporalio.common import RetryPolicy

from caveat.activities.notify import NoticeActivities, OutsideActivities
from caveat.activities.reasoning import ReasoningActivities
from caveat.activities.report import MemoryActivities, ReportActivities
from caveat.activities.sources import CredentialActivities, SourceActivities
from caveat.activities.subagent import Declared, find_declaration
from caveat.contracts.envelope import FailureType, R, SubagentResult
from caveat.contracts.phase import Step
from caveat.contracts.tasks import Task
from caveat.rules.evidence.claims import merge_analyses
from caveat.rules.run.recovery import PROBES
from caveat.workflows.names import QueueKind

A = TypeVar("A", bound=Task)

SILENCE = "TemporalTimeout:Heartbeat"
"""The type by which a policy says that an attempt which shows no sign of life is the last one."""

OVERTIME = "TemporalTimeout:StartToClose"
"""The same of an attempt that takes all the time that it has: it would take as much again, and the
coordinator tries once more."""

RETRY = RetryPolicy(
    initial_interval=timedelta(seconds=1),
    backoff_coefficient=2.0,
    maximum_interval=timedelta(seconds=4),
    maximum_attempts=4,
    non_retryable_error_types=[
        FailureType.AUTH_ERROR,
        FailureType.NOT_FOUND,
        FailureType.PERMANENT,
        OVERTIME,
    ],
)
"""Three retries after 1, 2 and 4 s: a transient fault that outlives 7 s needs a changed input,
which is the coordinator's to choose. The types listed can never work with the same input."""


@dataclass(frozen=True)
class Policy(Generic[A, R]):
    activity: Callable[[Any, A], Awaitable[SubagentResult[R]]]
    queue: QueueKind
    start_to_close: timedelta
    heartbeat: timedelta = timedelta(seconds=5)  # silence after which the attempt counts as lost
    # bound of all attempts and of the time in the queue. A week, because the embedded server's
    # clock goes on while a laptop is closed, and a task that waited over a holiday has not failed;
    # the number of attempts bounds the retries.
    schedule_to_close: timedelta = timedelta(days=7)
    retry: RetryPolicy = field(default_factory=lambda: RETRY)
    step: Step | None = None  # None of an activity that calls no model
    fetches: bool = False  # whether it gathers without a model
    probes: int = PROBES  # tasks of its kind that go ahead, until one has worked
    # How a task that failed is changed to recover it; None where it cannot be changed that way.
    alternative: Callable[[A, str], A] | None = None  # as its failure suggests
    remaining: Callable[[A, R], A] | None = None  # for what is left
    merged: Callable[[R, R], R] | None = None  # both parts as one

    @property
    def retry_never(self) -> Sequence[str]:
        return self.retry.non_retryable_error_types or ()

    @property
    def declared(self) -> Declared[R]:
        return find_declaration(self.activity)

    @property
    def agent(self) -> str:
        return self.declared.agent


MOMENT = timedelta(seconds=30)  # one transaction, query or file; a delivery is cut before it
MINUTE = timedelta(minutes=1)  # code alone, or one page: 20 s, up to 30 s for a PDF of 20 MB
LONG = timedelta(minutes=10)
"""Documents one after the other; quotes and numbers of a thousand sources, or their PDF."""

BUSY = timedelta(seconds=20)  # silence of what a thousand sources keep busy for seconds

TAKE_STOCK = Policy(  # a first index of about 1 GB
    SourceActivities.take_stock, QueueKind.FETCH, timedelta(minutes=20)
)
RATE_CARD = Policy(ReasoningActivities.rate_card, QueueKind.REASON, MOMENT)
PLAN = Policy(
    ReasoningActivities.plan,
    QueueKind.REASON,
    timedelta(minutes=3),  # one long model call, cut at 165 s by its client
    step=Step.PLAN,
)
REFORMULATE = Policy(ReasoningActivities.reformulate, QueueKind.REASON, MINUTE, step=Step.SEARCH)
ANALYSE = Policy(
    ReasoningActivities.analyse,
    QueueKind.REASON,
    timedelta(minutes=3),  # as for a plan
    step=Step.ANALYSE,
    remaining=lambda task, part: task.model_copy(update={"start_at": part.read_to}),
    merged=merge_analyses,
)
DETECT = Policy(
    ReasoningActivities.detect,
    QueueKind.REASON,
    timedelta(minutes=7),  # a call that thinks, and a short second look
    step=Step.DETECT,
)
DEBATE = Policy(
    ReasoningActivities.debate, QueueKind.REASON, timedelta(minutes=3), step=Step.DEBATE
)
SYNTHESISE = Policy(
    ReasoningActivities.synthesise,
    QueueKind.REASON,
    timedelta(minutes=10),  # the longest answer of a run, and thought before
    step=Step.SYNTHESISE,
)
VERIFY = Policy(
    ReasoningActivities.verify,
    QueueKind.REASON,
    timedelta(minutes=9),  # a judgement on each sentence, and a second on some
    step=Step.VERIFY,
)
REVISE = Policy(
    ReasoningActivities.revise,
    QueueKind.REASON,
    timedelta(minutes=6),  # as for a synthesis: at most all of its sentences
    step=Step.VERIFY,
)
LOOK_UP = Policy(ReasoningActivities.look_up, QueueKind.REASON, MINUTE)
SEARCH = Policy(
    SourceActivities.search,
    QueueKind.FETCH,
    MINUTE,  # engines answer in 10 s, a model that searches in 45
    step=Step.SEARCH,
    probes=8,  # one an angle: nothing goes on before it, and to wait would take a search's time
    alternative=lambda task, query: task.model_copy(update={"query": query}),
)
SCAN = Policy(SourceActivities.scan, QueueKind.FETCH, LONG)
READ = Policy(
    SourceActivities.read,
    QueueKind.FETCH,
    MINUTE,
    fetches=True,
    alternative=lambda task, address: task.model_copy(update={"at": address}),
)
READ_FOLDER = Policy(SourceActivities.read_folder, QueueKind.FETCH, MINUTE, fetches=True)
ASK = Policy(
    OutsideActivities.ask,
    QueueKind.KEEP,
    timedelta(hours=24),  # however long it works, while it shows that it does
    heartbeat=timedelta(hours=1),  # a message is of use for so long; a specialist may say otherwise
    # The message is sent again where it was not accepted; an agent that falls silent has its word
    # kept, and is asked again by the coordinator for the rest alone.
    retry=replace(
        RETRY, non_retryable_error_types=[*(RETRY.non_retryable_error_types or ()), SILENCE]
    ),
    remaining=lambda task, part: task.model_copy(update={"done": part.done}),
    merged=lambda part, rest: part + rest,
)
# A run waits for these at its end, and not for an outage.
POST = Policy(
    OutsideActivities.post, QueueKind.KEEP, MOMENT, schedule_to_close=timedelta(minutes=2)
)
NOTIFY = Policy(
    NoticeActivities.notify, QueueKind.KEEP, MOMENT, schedule_to_close=timedelta(minutes=2)
)
EXCERPTS = Policy(ReasoningActivities.synthesise, QueueKind.REASON, MINUTE)
COMPARE_BY_RULES = Policy(ReasoningActivities.detect, QueueKind.REASON, MINUTE)
AUDIT = Policy(ReportActivities.audit, QueueKind.KEEP, LONG, BUSY)
PUBLISH = Policy(ReportActivities.publish, QueueKind.KEEP, LONG, BUSY)
KEEP_EVIDENCE = Policy(ReportActivities.keep_evidence, QueueKind.KEEP, LONG, BUSY)
REMEMBER = Policy(MemoryActivities.remember, QueueKind.KEEP, MOMENT)
RULINGS = Policy(MemoryActivities.recall_rulings, QueueKind.KEEP, MOMENT)
RECORD_RULING = Policy(MemoryActivities.record_ruling, QueueKind.KEEP, MOMENT)
RECALL = Policy(ReportActivities.recall_evidence, QueueKind.KEEP, MOMENT)
REFRESH = Policy(CredentialActivities.refresh, QueueKind.FETCH, MOMENT)

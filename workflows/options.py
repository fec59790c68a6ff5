"""Every timeout and retry policy, each number with its reason."""

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from temporalio import workflow
from temporalio.common import RetryPolicy

with workflow.unsafe.imports_passed_through():
    from activities.failures import ANOTHER_TURN, MORE
    from caveat.contracts.envelope import AgentType
    from caveat.contracts.failure import FailureType
    from caveat.contracts.spending import Step

QUEUE = "caveat"
"""Where runs are started: workflow tasks only, they must never wait behind an activity."""


class Lane(StrEnum):
    """The activity queues; `workflows.routing` makes their whole names.

    A lane's name is added to the name of the queue on which the run was started.
    """

    REASON = "-reason"
    """Model calls: one queue for a backend, so that one queue-wide rate limit guards it."""
    FETCH = "-fetch"
    """Searching and reading: bound by I/O, and different with each backend's engines."""
    KEEP = "-keep"
    """Checking, writing, remembering and telling: what every worker of a server does alike."""
    TELL = "-tell"
    """Telling people by whoever has a receiver configured."""


RETRY = RetryPolicy(
    initial_interval=timedelta(seconds=1),
    backoff_coefficient=2.0,
    maximum_interval=timedelta(seconds=4),
    maximum_attempts=4,
    non_retryable_error_types=[
        FailureType.AUTH_ERROR,
        FailureType.NOT_FOUND,
        FailureType.PERMANENT,
        ANOTHER_TURN,
        MORE,
    ],
)
"""Three retries after 1, 2 and 4 s: a transient fault that outlives 7 s needs a changed input,
which is the coordinator's to choose. The types listed can never work with the same input, and the
last two of them ask for another one."""


@dataclass(frozen=True)
class Policy:
    """How one kind of activity is run.

    Attributes:
        agent: the role that does it.
        lane: the queue that its workers listen on.
        start_to_close: bound of one attempt.
        heartbeat: silence after which the attempt counts as lost.
        schedule_to_close: bound of all attempts and of the time in the queue. A week, because the
            embedded server's clock goes on while a laptop is closed, and a task that waited over a
            holiday has not failed; the number of attempts bounds the retries.
        retry: which failures are tried again, and when.
        step: what its model calls are made for; None of an activity that calls no model.
        fetches: whether it fetches what a run gathers.
    """

    agent: AgentType
    lane: Lane
    start_to_close: timedelta
    heartbeat: timedelta = timedelta(seconds=5)
    schedule_to_close: timedelta = timedelta(days=7)
    retry: RetryPolicy = field(default_factory=lambda: RETRY)
    step: Step | None = None
    fetches: bool = False


TAKE_STOCK = Policy(
    AgentType.LIBRARIAN,
    Lane.FETCH,
    start_to_close=timedelta(minutes=20),  # a first index of about 1 GB
)
PLAN = Policy(
    AgentType.PLANNER,
    Lane.REASON,
    start_to_close=timedelta(minutes=3),  # one long model call, cut at 2 minutes by its client
    step=Step.PLAN,
)
TARIFF = Policy(
    AgentType.PLANNER,
    Lane.REASON,
    start_to_close=timedelta(seconds=30),  # a table is read
)
SEARCH = Policy(
    AgentType.SEARCHER,
    Lane.FETCH,
    start_to_close=timedelta(seconds=60),  # engines answer in 10 s, a model that searches in 45
    step=Step.SEARCH,
    fetches=True,
)
REFORMULATE = Policy(
    AgentType.PLANNER,
    Lane.REASON,
    start_to_close=timedelta(minutes=1),  # one short model call
    step=Step.SEARCH,
)
READ = Policy(
    AgentType.READER,
    Lane.FETCH,
    start_to_close=timedelta(seconds=60),  # 20 s for a page, up to 30 s for a 20 MB PDF
    fetches=True,
)
ANALYSE = Policy(
    AgentType.ANALYST,
    Lane.REASON,
    start_to_close=timedelta(minutes=3),  # as for a plan: one model call
    step=Step.ANALYSE,
)
DETECT = Policy(
    AgentType.DETECTOR,
    Lane.REASON,
    start_to_close=timedelta(minutes=3),  # as for a plan: one model call
    step=Step.DETECT,
)
DEBATE = Policy(
    AgentType.DEBATER,
    Lane.REASON,
    start_to_close=timedelta(minutes=3),  # as for a plan: one model call
    step=Step.DEBATE,
)
SYNTHESISE = Policy(
    AgentType.SYNTHESISER,
    Lane.REASON,
    start_to_close=timedelta(minutes=6),  # the longest answer of a run
    step=Step.SYNTHESISE,
)
WRITE = Policy(
    AgentType.WRITER,
    Lane.REASON,
    start_to_close=timedelta(minutes=6),  # as for a synthesis: the same prose once more
    step=Step.WRITE,
)
EXCERPTS = Policy(
    AgentType.SYNTHESISER,
    Lane.REASON,
    start_to_close=timedelta(minutes=1),  # code alone
)
COMPARE_BY_RULES = Policy(
    AgentType.DETECTOR,
    Lane.REASON,
    start_to_close=timedelta(minutes=1),  # code alone
)
DEBATE_BY_RULES = Policy(
    AgentType.DEBATER,
    Lane.REASON,
    start_to_close=timedelta(minutes=1),  # code alone
)
AUDIT = Policy(
    AgentType.AUDITOR,
    Lane.KEEP,
    start_to_close=timedelta(minutes=2),  # opens every cited snapshot, at most 500
)
PUBLISH = Policy(
    AgentType.PUBLISHER,
    Lane.KEEP,
    start_to_close=timedelta(minutes=2),  # a long PDF is typeset in seconds
)
REMEMBER = Policy(
    AgentType.ARCHIVIST,
    Lane.KEEP,
    start_to_close=timedelta(seconds=30),  # one transaction
)
RULINGS = Policy(
    AgentType.CLERK,
    Lane.KEEP,
    start_to_close=timedelta(seconds=30),  # one query
)
RECORD_RULING = Policy(
    AgentType.CLERK,
    Lane.KEEP,
    start_to_close=timedelta(seconds=30),  # one transaction
)
NOTIFY = Policy(
    AgentType.HERALD,
    Lane.KEEP,
    start_to_close=timedelta(seconds=30),  # a delivery is cut at 10 s by its client
    schedule_to_close=timedelta(minutes=2),  # a run waits for it at its end, and not for an outage
)
NOTIFY_ELSEWHERE = Policy(
    AgentType.HERALD,
    Lane.TELL,
    start_to_close=timedelta(seconds=30),  # as of NOTIFY
    # A worker that has just stopped is still listed: nobody waits long for it.
    schedule_to_close=timedelta(seconds=30),
)
REFRESH = Policy(
    AgentType.GATEKEEPER,
    Lane.FETCH,
    start_to_close=timedelta(seconds=30),  # a file is read, or one request is made
)
RECALL = Policy(
    AgentType.ARCHIVIST,
    Lane.KEEP,
    start_to_close=timedelta(seconds=30),  # one file is read
)

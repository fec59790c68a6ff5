"""What every subagent returns, success or failure, and what went wrong."""

from enum import StrEnum
from typing import Generic, Self, TypeVar

from pydantic import Field, model_validator

from caveat.contracts.base import Amount, Contract, Count, Share


class FailureCategory(StrEnum):
    """Who can do something about a failure."""

    TRANSIENT = "transient"  # time: the same input may work later
    VALIDATION = "validation"  # the input: it will never work as it is
    PERMISSION = "permission"  # credentials
    BUSINESS = "business"  # the world: the thing is not there or not to be had
    UNKNOWN = "unknown"  # nobody foresaw it; never retried blindly


class FailureType(StrEnum):
    """What happened, for retry policies and recovery rules."""

    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    AUTH_ERROR = "auth_error"
    NOT_FOUND = "not_found"
    PERMANENT = "permanent"


CATEGORIES: dict[FailureType, tuple[FailureCategory, ...]] = {
    FailureType.TIMEOUT: (FailureCategory.TRANSIENT,),
    FailureType.RATE_LIMITED: (FailureCategory.TRANSIENT,),
    FailureType.UNAVAILABLE: (FailureCategory.TRANSIENT,),
    FailureType.AUTH_ERROR: (FailureCategory.PERMISSION,),
    FailureType.NOT_FOUND: (FailureCategory.BUSINESS,),
    FailureType.PERMANENT: (
        *(FailureCategory.VALIDATION, FailureCategory.BUSINESS, FailureCategory.UNKNOWN),
    ),
}
"""The categories that a failure type may have, the usual one first."""


class Failure(Contract):
    """One failure, as it travels from an adapter to the report."""

    category: FailureCategory  # who can do something about it
    failure_type: FailureType
    message: str = Field(min_length=1, max_length=500)  # for people: no raw provider text or secret
    attempted: tuple[str, ...] = ()  # what was tried, oldest first
    retry_recommended: bool = False  # whether the same input may work later
    retry_after_s: Amount | None = None  # seconds that the provider asked to wait, if it did
    alternatives: tuple[str, ...] = ()  # other inputs that may work (another source, another query)
    resource: str | None = None  # what was being worked on: a path, a URL, a query
    provider: str | None = None  # who failed, if not the input did; an auth_error stops calls to it

    @model_validator(mode="after")
    def _category_fits_type(self) -> Self:
        if self.category not in CATEGORIES[self.failure_type]:
            raise ValueError(f"a {self.failure_type} failure cannot be {self.category}")
        return self


R = TypeVar("R")
"""What a subagent returns. Envelopes of any result use this variable: for every other one Pydantic
builds a class of its own."""


class AgentType(StrEnum):
    """The roles that Caveat's own subagents play in a run."""

    LIBRARIAN = "librarian"
    PLANNER = "planner"
    SEARCHER = "searcher"
    READER = "reader"
    ANALYST = "analyst"
    OUTSIDE = "specialist"
    MESSENGER = "messenger"
    DETECTOR = "detector"
    DEBATER = "debater"
    CLERK = "clerk"
    SYNTHESISER = "synthesiser"
    VERIFIER = "verifier"
    AUDITOR = "auditor"
    PUBLISHER = "publisher"
    ARCHIVIST = "archivist"
    HERALD = "herald"
    GATEKEEPER = "gatekeeper"


class Status(StrEnum):
    """How a subagent's task ended."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILED = "failed"


class Usage(Contract):
    """What an answer cost."""

    model_calls: Count = 0
    input_tokens: Count = 0  # tokens sent, cached ones included
    output_tokens: Count = 0
    cost_usd: Amount | None = 0.0  # US dollars, or None where the model's price is not known
    models: tuple[str, ...] = ()  # that answered, sorted; also those whose kept answer cost nothing

    def __add__(self, other: "Usage") -> "Usage":
        """Add two usages; an unknown cost makes the sum unknown."""
        known = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            model_calls=self.model_calls + other.model_calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=(self.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
            models=tuple(sorted({*self.models, *other.models})),
        )


PAYLOAD_LOST = "payload_lost"
"""The type of the failure of what cannot be fetched from where large payloads are kept."""

KEY_MISSING = "MissingKey"
"""The type of the failure of a worker that lacks the key of what it was given: the exception's name
(`caveat.workers.codec`)."""


class SubagentResult(Contract, Generic[R]):
    """What a subagent reports; the coordinator decides what follows from it.

    "Searched and found nothing" is a success with a gap; "could not search" is a failure.
    """

    status: Status  # success, partial or failed
    task_id: str  # the task, unique within its run
    agent_type: str  # the role that did it
    task_description: str  # the task in one line, for people
    result: R | None = None  # the whole result; only on success
    partial_result: R | None = None  # what was done before it broke off; only when partial
    completeness: Share  # share of the task that was done, 0 to 1
    gaps: tuple[str, ...] = ()  # what was looked for and not found, a sentence each
    failure: Failure | None = None  # why the task is not whole; None only on success
    attempts: Count = 1  # how often Temporal started the task; 0 when it was not started at all
    usage: Usage = Usage()  # what it cost, over the attempts that are known
    reasoner: str = ""  # the name of the reasoner that gave the result; empty where none was asked
    by_rules: bool = False  # whether rules and a language model did it, and the result is of both
    left_out: str | None = None  # the bound for which it was not given out, such as `10 tokens`

    @model_validator(mode="after")
    def _fields_fit_status(self) -> Self:
        has = (self.result is not None, self.partial_result is not None, self.failure is not None)
        whole = self.status is Status.SUCCESS
        fits = has == (whole, self.status is Status.PARTIAL, not whole)
        if not fits or (self.completeness == 1.0) is not whole:
            raise ValueError(f"the fields of a {self.status} envelope do not fit its status")
        return self

    @classmethod
    def from_problem(cls, problem: str) -> Self:
        """Return what stands for an envelope that cannot be fetched."""
        return cls(
            status=Status.FAILED,
            task_id="",
            agent_type=AgentType.CLERK,
            task_description="",
            completeness=0.0,
            failure=Failure(
                category=FailureCategory.UNKNOWN,
                failure_type=FailureType.PERMANENT,
                message=f"What the subagent returned is lost: {problem}"[:500],
            ),
        )

    @property
    def value(self) -> R | None:
        """The whole result, else the partial one, else None."""
        return self.result if self.result is not None else self.partial_result

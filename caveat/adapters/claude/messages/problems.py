"""What goes wrong with a model, in the domain's words; nothing here holds a provider's text."""

from dataclasses import dataclass

from caveat.contracts.envelope import CATEGORIES, Failure, FailureCategory, FailureType, Usage
from caveat.failures import PortFailure
from caveat.rules.lines import shorten

PROVIDER = "anthropic"  # whose service failed, as failures name it, where no cloud stands between

_RESOURCE = 200
"""Characters of what a call was about: a title whole, and of a topic enough to know it by."""


@dataclass(frozen=True)
class ProblemKind:
    type: FailureType
    phrase: str  # the rest of a sentence that begins with the server
    # who can do something about it; None for the usual one of the type
    category: FailureCategory | None = None
    of_provider: bool = True  # whether it is the provider's failure, so that other calls fail alike
    varies: bool = False  # whether another answer to the same may be better

    @property
    def is_transient(self) -> bool:
        """Whether the same call may work later."""
        return CATEGORIES[self.type][0] is FailureCategory.TRANSIENT


@dataclass(frozen=True)
class Purpose:
    """What a call is for, as its failures name it."""

    role: str
    model: str
    about: str  # what it is about: a topic, the title of a source
    provider: str = PROVIDER

    def build_failure(
        self, kind: ProblemKind, *, retry_after_s: float | None = None, usage: Usage | None = None
    ) -> PortFailure:
        """Name how it failed, and what it cost all the same."""
        failure = Failure(
            category=kind.category or CATEGORIES[kind.type][0],
            failure_type=kind.type,
            message=f"The server of {self.model} {kind.phrase}.",
            attempted=(f"{self.role} with {self.model}",),
            retry_recommended=kind.is_transient or kind.varies,
            retry_after_s=retry_after_s if kind.is_transient else None,
            resource=shorten(self.about, _RESOURCE),
            provider=self.provider if kind.of_provider else None,
        )
        return PortFailure(failure, usage)


_UNKNOWN = FailureCategory.UNKNOWN
_BUSINESS = FailureCategory.BUSINESS

INVALID_REQUEST = ProblemKind(FailureType.PERMANENT, "does not accept the request")
TOO_LARGE = ProblemKind(
    FailureType.PERMANENT, "does not accept a request of this size", of_provider=False
)
REFUSED_ENTRY = ProblemKind(FailureType.AUTH_ERROR, "does not accept the API key")
QUOTA = ProblemKind(
    FailureType.PERMANENT, "answers that the account's quota does not allow the call", _BUSINESS
)
NO_KEY = ProblemKind(FailureType.AUTH_ERROR, "was not called: there is no API key or login")
SPENT = ProblemKind(
    FailureType.PERMANENT,
    "answers that the spending limit is reached or nothing is left to pay with",
    _BUSINESS,
)
NO_MODEL = ProblemKind(FailureType.NOT_FOUND, "does not know this model")
TOOK_TOO_LONG = ProblemKind(FailureType.TIMEOUT, "did not answer in time")
TOO_MANY = ProblemKind(FailureType.RATE_LIMITED, "asks for fewer calls")
NO_BUDGET = ProblemKind(
    FailureType.PERMANENT,
    "was not called: what is left of the run's budget does not pay for the call",
    _BUSINESS,
    of_provider=False,
)
OVERLOADED = ProblemKind(FailureType.RATE_LIMITED, "is overloaded and asks for fewer calls")
OUT_OF_ORDER = ProblemKind(FailureType.UNAVAILABLE, "is out of order")
UNREACHABLE = ProblemKind(FailureType.UNAVAILABLE, "cannot be reached or dropped the connection")
ENDED_EARLY = ProblemKind(FailureType.UNAVAILABLE, "ended its answer in the middle")
NOT_THE_API = ProblemKind(FailureType.UNAVAILABLE, "answered with something that is not an answer")
WRONG_SHAPE = ProblemKind(FailureType.PERMANENT, "answers in a shape that nobody knows", _UNKNOWN)
UNFORESEEN = ProblemKind(FailureType.PERMANENT, "failed in a way that nobody foresaw", _UNKNOWN)
DECLINED_FOR_GOOD = ProblemKind(
    FailureType.PERMANENT, "failed and says that calling again is of no use", _BUSINESS
)
MAY_WORK_LATER = ProblemKind(FailureType.UNAVAILABLE, "failed and says that it may work later")

REFUSAL = ProblemKind(
    FailureType.PERMANENT, "answers that the model refuses this task", _BUSINESS, of_provider=False
)
NO_ROOM = ProblemKind(
    FailureType.PERMANENT, "had no room to finish its answer, twice", of_provider=False
)
WINDOW_EXCEEDED = ProblemKind(
    FailureType.PERMANENT,
    "answers that prompt and answer are longer than the model's context",
    of_provider=False,
)
TOO_LONG = ProblemKind(
    FailureType.PERMANENT,
    "was not called: the prompt is longer than what `caveat models check` saw it read whole",
    of_provider=False,
)
UNASKED_TOOL = ProblemKind(
    # A page can talk a model into it: that says nothing of the provider's other answers.
    FailureType.PERMANENT,
    "wants to use a tool that nobody offered",
    of_provider=False,
)


def build_schema_problem(kinds: tuple[str, ...]) -> ProblemKind:
    """Say that no answer fits its schema, and by which kinds of mistakes."""
    named = ", ".join(kinds[:3])
    phrase = f"gave no answer that fits its schema, not when asked again either ({named})"
    return ProblemKind(FailureType.PERMANENT, phrase, of_provider=False, varies=True)

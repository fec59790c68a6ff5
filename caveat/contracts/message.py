"""Messages between the coordinator and agents, wherever those live: CloudEvents 1.0 in JSON.

docs/message.schema.json is generated from here. https://github.com/cloudevents/spec
"""

import datetime as dt
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AwareDatetime, Field, JsonValue, model_validator

from caveat.contracts.base import Contract, Count, Share
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.source import Claim, Passage, Reading, SourceKind


class Quotation(Contract):
    """A statement, and the words of a document that it rests on."""

    text: Passage
    quote: Passage  # verbatim words of the document; what is not in it is thrown away and counted
    relevance: Share = 0.8  # how well it answers the assignment, 0 to 1


class OutsideDocument(Contract):
    """A text that an agent read, or as much of it as its quotations need."""

    title: str = Field(min_length=1, max_length=300)
    text: str = Field(min_length=1)  # quotes are looked for in it, and it is what an audit opens
    quotations: tuple[Quotation, ...] = Field(default=(), max_length=40)  # on the assignment
    url: str | None = Field(default=None, max_length=2_000)  # its public address, if it has one
    published: dt.date | None = None  # its day of publication, if known
    kind: SourceKind = SourceKind.UNKNOWN  # what sort of publication it is


MOST_DOCUMENTS = 50


class OutsideFindings(Contract):
    """Everything that an agent found for one assignment, or for a part of it."""

    documents: tuple[OutsideDocument, ...] = Field(default=(), max_length=MOST_DOCUMENTS)
    done: tuple[str, ...] = Field(default=(), max_length=50)  # parts of the work, in its own words


class Brought(Contract):
    """The findings after checks: texts are snapshots, quotes stand at their offsets."""

    readings: tuple[Reading, ...] = ()  # documents that are kept
    claims: tuple[Claim, ...] = ()  # what they say; `credibility` is still that of no source
    rejected_quotes: Count = 0  # quotations that are not in their document
    done: tuple[str, ...] = ()  # as of `OutsideFindings`

    def __add__(self, rest: "Brought") -> "Brought":
        """Add what was brought later; of a document that came twice, the later text counts."""
        readings = {each.source.id: each for each in (*self.readings, *rest.readings)}
        return Brought(
            readings=tuple(readings.values()),
            claims=(*self.claims, *rest.claims),
            done=tuple(dict.fromkeys((*self.done, *rest.done))),
            rejected_quotes=self.rejected_quotes + rest.rejected_quotes,
        )


TTL = dt.timedelta(hours=1)
"""How long a message waits for its recipient unless it says otherwise: what nobody has taken after
an hour concerns a run that has long decided without it."""

MOST_BYTES = 200_000
"""Bytes of a message in JSON: under the 256 KiB from which a worker keeps payloads in a folder of
its own, where an agent elsewhere could not read them."""

COORDINATOR = "coordinator"
"""Begins the name under which workers receive what agents answer; that of their key follows, so
that several users of one server have each their own."""

AgentName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
"""As it stands in the names of queues."""


class Priority(StrEnum):
    """What is taken first."""

    CRITICAL = "critical"
    HIGH = "high"
    NORMAL = "normal"
    LOW = "low"

    @property
    def rank(self) -> int:
        """1 for the first to be taken, to 4."""
        return list(Priority).index(self) + 1


class MessageKind(StrEnum):
    """What a message is, which decides the type of its body."""

    ASSIGNMENT = "assignment"
    QUESTION = "question"
    REMARK = "remark"
    FINDING = "finding"
    STEERING = "steering"
    EVENT = "event"


class AssignmentBody(Contract):
    """Work for an agent."""

    # whose answer it is; every remark and finding on it repeats it
    token: str = Field(min_length=1, max_length=2_000)
    task_id: str  # the task, unique in its run
    topic: str  # what the run was asked
    title: str  # the angle in a few words
    question: str
    queries: tuple[str, ...] = ()  # searches to begin with, best first
    instructions: str = ""  # the team's instructions for the agent, or empty
    done: tuple[str, ...] = ()  # what an earlier attempt has done already
    patience_s: float = Field(gt=0)  # seconds without a word after which the agent counts as silent


class QuestionBody(Contract):
    """Something that the sender wants to know."""

    text: str = Field(min_length=1, max_length=4_000)


class RemarkBody(Contract):
    """A word on the way: of a debate, or a sign of life with what was found so far."""

    text: str = Field(min_length=1, max_length=4_000)
    token: str | None = Field(default=None, max_length=2_000)  # of its assignment, if any
    task_id: str = ""  # the same, as the assignment named it
    completeness: float = Field(default=0.0, ge=0, lt=1)  # share of that assignment that is done
    found: OutsideFindings | None = None  # all that was found until now, which outlives the agent


class FindingBody(Contract):
    """How an assignment ended: the envelope that every subagent returns."""

    token: str = Field(min_length=1, max_length=2_000)
    envelope: SubagentResult[OutsideFindings]  # success, partial with a failure, or failed with one


class Order(StrEnum):
    """What a steering message wants."""

    CANCEL = "cancel"  # stop working on an assignment: its result is not needed any more


class SteeringBody(Contract):
    """A word of the coordinator to an agent at work."""

    order: Order
    task_id: str  # of the assignment, in the run of the message
    token: str = Field(default="", max_length=2_000)  # of the one assignment; empty for any at work
    text: str = Field(default="", max_length=4_000)  # why, for people and for models


class EventBody(Contract):
    """Something that happened in a run."""

    name: str = Field(pattern=r"^[a-z]+(\.[a-z]+)+$")  # for example `phase.entered`
    facts: dict[str, JsonValue] = Field(default_factory=dict)  # what a reader needs to act on it


Body = (
    AssignmentBody
    | FindingBody
    | SteeringBody
    | EventBody
    | RemarkBody
    | QuestionBody
)  # fmt: skip

BODIES: dict[MessageKind, type[Contract]] = {
    MessageKind(body.__name__.removesuffix("Body").lower()): body for body in get_args(Body)
}
_KINDS = {body: kind for kind, body in BODIES.items()}


class Message(Contract):
    """One message; its fields are a CloudEvent's attributes.

    A sender numbers what it sends: from 1 in each series, without a gap, a count for each pair of
    recipient and priority. Receivers hold back what comes too early by it.
    """

    specversion: Literal["1.0"] = "1.0"  # of CloudEvents
    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}$")  # unique; a second is dropped
    source: str  # `/agents/` and the sender
    type: str  # `caveat.` and the kind, of an event its name: `caveat.run.started`
    datacontenttype: Literal["application/json"] = "application/json"
    sender: AgentName
    recipient: AgentName | None = None  # the one agent that it is for; None for everybody
    kind: MessageKind
    priority: Priority = Priority.NORMAL  # what is taken first
    series: str = Field(min_length=1, max_length=200)  # begun anew by a sender that lost count
    number: int = Field(ge=1)  # place in the series, for this recipient and priority
    run: str | None = Field(default=None, max_length=300)  # workflow id of the run, if it is of one
    correlation: str | None = Field(default=None, max_length=200)  # id of the message it answers
    time: AwareDatetime  # when it was made
    expires: AwareDatetime  # when it is of no use any more
    resent: Count = 0  # how often a person has sent it again from the dead letter queue
    # HMAC-SHA256 with the key of the sender or, of the coordinator's, of the recipient; or empty
    signature: str = Field(default="", pattern=r"^([0-9a-f]{64})?$")
    data: Body  # the body, typed by the kind

    @model_validator(mode="before")
    @classmethod
    def _typed(cls, value: Any) -> Any:
        """Derive CloudEvents' redundant fields, and of kind and body what one says of the other."""
        if not isinstance(value, Mapping):
            return value
        filled = dict(value)
        filled.setdefault("source", f"/agents/{filled.get('sender')}")
        body = filled.get("data")
        if isinstance(body, Contract):
            filled.setdefault("kind", _KINDS.get(type(body)))
        elif filled.get("kind") in list(MessageKind):
            body = BODIES[MessageKind(filled["kind"])].model_validate(body)
            filled["data"] = body
        filled.setdefault("type", _name_type(str(filled.get("kind")), body))
        return filled

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.source != f"/agents/{self.sender}" or self.type != _name_type(self.kind, self.data):
            raise ValueError("source and type must be those of the sender and the kind")
        if type(self.data) is not BODIES[self.kind]:
            raise ValueError(f"the body of a {self.kind} must be a {BODIES[self.kind].__name__}")
        if self.expires <= self.time:
            raise ValueError("expires must be later than time")
        return self

    @property
    def stream(self) -> tuple[str, str, str, str]:
        """The stream of its number: sender, series, recipient and priority."""
        return (self.sender, self.series, self.recipient or "*", self.priority)

    def encode(self) -> bytes:
        """Serialise for the wire, without empty fields."""
        return self.model_dump_json(exclude_none=True).encode()


def _name_type(kind: str, body: object) -> str:
    return f"caveat.{body.name if isinstance(body, EventBody) else kind}"


def is_coordinator(name: str) -> bool:
    return name == COORDINATOR or name.startswith(f"{COORDINATOR}-")


class DeadLetter(Contract):
    """A message that could not be delivered."""

    id: str  # of the message, or the queue's own id of what cannot be read
    agent: str  # whose queue it was in
    reason: str  # why, in a sentence
    died: dt.datetime | None = None  # when, as far as it is known
    message: Message | None = None  # None if it cannot be read
    raw: str = Field(default="", max_length=2_000)  # the beginning of what is no message

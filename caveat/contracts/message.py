"""Messages between the coordinator and agents, wherever those live: CloudEvents 1.0 in JSON.

docs/message.schema.json is generated from here. https://github.com/cloudevents/spec
"""

import datetime as dt
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import AwareDatetime, Field, JsonValue, model_validator

from caveat.contracts.base import Contract
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.source import CLAIM_LIMIT, Claim, Reading, SourceKind


class Quotation(Contract):
    """A statement, and the words of a document that it rests on.

    Attributes:
        quote: verbatim words of the document; what is not in it is thrown away and counted.
        relevance: how well it answers the assignment, 0 to 1.
    """

    text: str = Field(min_length=1, max_length=CLAIM_LIMIT)
    quote: str = Field(min_length=1, max_length=CLAIM_LIMIT)
    relevance: float = Field(default=0.8, ge=0, le=1)


class OutsideDocument(Contract):
    """A text that an agent read, or as much of it as its quotations need.

    Attributes:
        text: its text; quotes are looked for in it, and it is what an audit opens.
        quotations: what it says on the assignment.
        url: its public address, if it has one.
        published: its day of publication, if known.
        kind: what sort of publication it is.
    """

    title: str = Field(min_length=1, max_length=300)
    text: str = Field(min_length=1)
    quotations: tuple[Quotation, ...] = Field(default=(), max_length=40)
    url: str | None = Field(default=None, max_length=2_000)
    published: dt.date | None = None
    kind: SourceKind = SourceKind.UNKNOWN


MOST_DOCUMENTS = 50


class OutsideFindings(Contract):
    """Everything that an agent found for one assignment, or for a part of it.

    Attributes:
        done: which parts of the work are done, in the agent's own words; an assignment that is
            given out again names them, so that only the rest is done.
    """

    documents: tuple[OutsideDocument, ...] = Field(default=(), max_length=MOST_DOCUMENTS)
    done: tuple[str, ...] = Field(default=(), max_length=50)


class Brought(Contract):
    """The findings after checks: texts are snapshots, quotes stand at their offsets."""

    readings: tuple[Reading, ...] = ()  # documents that are kept
    claims: tuple[Claim, ...] = ()  # what they say; `credibility` is still that of no source
    rejected_quotes: int = Field(default=0, ge=0)  # quotations that are not in their document
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
    """Work for an agent.

    Attributes:
        token: whose answer it is; every remark and finding on it repeats it.
        task_id: the task, unique in its run.
        topic: what the run was asked.
        title: the angle in a few words.
        queries: searches to begin with, best first.
        instructions: the team's instructions for the agent, or empty.
        done: what an earlier attempt has done already.
        patience_s: seconds without a word after which the agent counts as silent.
    """

    token: str = Field(min_length=1, max_length=2_000)
    task_id: str
    topic: str
    title: str
    question: str
    queries: tuple[str, ...] = ()
    instructions: str = ""
    done: tuple[str, ...] = ()
    patience_s: float = Field(gt=0)


class QuestionBody(Contract):
    """Something that the sender wants to know."""

    text: str = Field(min_length=1, max_length=4_000)


class RemarkBody(Contract):
    """A word on the way: of a debate, or a sign of life with what was found so far.

    Attributes:
        token: of the assignment that it is about, if any.
        task_id: the same, as the assignment named it.
        completeness: share of that assignment that is done.
        found: everything that was found for it until now, which survives when the agent does not.
    """

    text: str = Field(min_length=1, max_length=4_000)
    token: str | None = Field(default=None, max_length=2_000)
    task_id: str = ""
    completeness: float = Field(default=0.0, ge=0, lt=1)
    found: OutsideFindings | None = None


class FindingBody(Contract):
    """How an assignment ended: the envelope that every subagent returns.

    Attributes:
        envelope: success, partial with a failure, or failed with one.
    """

    token: str = Field(min_length=1, max_length=2_000)
    envelope: SubagentResult[OutsideFindings]


class Order(StrEnum):
    """What a steering message wants."""

    CANCEL = "cancel"  # stop working on an assignment: its result is not needed any more


class SteeringBody(Contract):
    """A word of the coordinator to an agent at work.

    Attributes:
        task_id: of the assignment, in the run of the message.
        token: of the one assignment that it is about, where a task was given out again since;
            empty for whichever is at work.
        text: why, for people and for models.
    """

    order: Order
    task_id: str
    token: str = Field(default="", max_length=2_000)
    text: str = Field(default="", max_length=4_000)


class EventBody(Contract):
    """Something that happened in a run.

    Attributes:
        name: for example `phase.entered`.
        facts: what a reader needs to act on it.
    """

    name: str = Field(pattern=r"^[a-z]+(\.[a-z]+)+$")
    facts: dict[str, JsonValue] = Field(default_factory=dict)


Body = (
    AssignmentBody
    | FindingBody
    | SteeringBody
    | EventBody
    | RemarkBody
    | QuestionBody
)  # fmt: skip

BODIES: dict[MessageKind, type[Contract]] = {
    MessageKind.ASSIGNMENT: AssignmentBody,
    MessageKind.QUESTION: QuestionBody,
    MessageKind.REMARK: RemarkBody,
    MessageKind.FINDING: FindingBody,
    MessageKind.STEERING: SteeringBody,
    MessageKind.EVENT: EventBody,
}
_KINDS = {body: kind for kind, body in BODIES.items()}


class Message(Contract):
    """One message; its fields are a CloudEvent's attributes.

    A sender numbers what it sends: from 1 in each series, without a gap, a count for each pair of
    recipient and priority. Receivers hold back what comes too early by it.

    Attributes:
        specversion: of CloudEvents.
        id: unique; what comes again under it is suppressed.
        source: `/agents/` and the sender.
        type: `caveat.` and the kind, of an event its name: `caveat.run.started`.
        recipient: the one agent that it is for; None for everybody.
        priority: what is taken first.
        series: what the sender's numbers belong to; a sender that lost count begins another one.
        number: place in the series, for this recipient and priority.
        run: workflow id of the run that it is about, if any.
        correlation: id of the message that it answers, if any.
        time: when it was made.
        expires: when it is of no use any more.
        resent: how often a person has sent it again from the dead letter queue.
        signature: HMAC-SHA256 with the key of the sender or, from the coordinator, of the
            recipient; hexadecimal, empty where it is not signed.
        data: the body, typed by the kind.
    """

    specversion: Literal["1.0"] = "1.0"
    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}$")
    source: str
    type: str
    datacontenttype: Literal["application/json"] = "application/json"
    sender: AgentName
    recipient: AgentName | None = None
    kind: MessageKind
    priority: Priority = Priority.NORMAL
    series: str = Field(min_length=1, max_length=200)
    number: int = Field(ge=1)
    run: str | None = Field(default=None, max_length=300)
    correlation: str | None = Field(default=None, max_length=200)
    time: AwareDatetime
    expires: AwareDatetime
    resent: int = Field(default=0, ge=0)
    signature: str = Field(default="", pattern=r"^([0-9a-f]{64})?$")
    data: Body

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

"""The contradiction detector: names of claims in, groups of names out."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from caveat.adapters.claude.messages.question import Bounds, Effort
from caveat.adapters.claude.roles.data import ADDRESS, Words, claims_block, returned, shortened
from caveat.adapters.claude.roles.role import SONNET, PlayedRole, Role
from caveat.contracts.base import Contract
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import ContradictionKind, Disagreement, Side
from caveat.contracts.spending import Step
from caveat.contracts.tasks import DetectionTask
from caveat.ports import Answer
from caveat.rules.contradictions.disagreements import sound

ROLE = Role(
    name="detection",
    agent="detector",
    model=SONNET,
    bounds=Bounds(
        deadline_s=345, room=12_000, effort=Effort.HIGH
    ),  # a line for each pair of claims
    step=Step.DETECT,
)


_ABOUT = 500
"""Characters of what a disagreement is about, by its contract."""


_VALUE = 120
"""Characters of a value and of its scope: more is no value but the sentence around it."""


class Value(Contract):
    """One of the values that exclude each other, and who states it."""

    claim: str
    backing: tuple[str, ...]
    value: str
    scope: str


class Dispute(Contract):
    """One quantity or statement, with all the values that claims give it."""

    kind: ContradictionKind
    about: Words
    values: tuple[Value, ...]


class Disputes(Contract):
    """The contradictions, what matters most first."""

    contradictions: tuple[Dispute, ...]


async def contradict(task: DetectionTask, part: PlayedRole) -> Answer[tuple[Disagreement, ...]]:
    """Return what names claims of two sources; what does not is returned once, then dropped.

    Where all claims are of one source there is nothing to find, and nobody is asked.
    """
    claims = {claim.id: claim for claim in task.claims}
    if len({claim.source_id for claim in task.claims}) < 2:
        return Answer(())
    answer = await part.ask(task, task.topic, _content(task), Disputes, _objection(claims))
    said = answer.value[-1].contradictions
    return Answer(sound(list(_disagreements(said, claims)), task.claims), answer.usage)


def _content(task: DetectionTask) -> str:
    angles = [assignment.question for assignment in task.assignments]
    shown = claims_block(task.claims, task.sources, topic=task.topic, questions=angles)
    return f"{shown}\n\nWhich of these claims contradict each other?"


def _objection(claims: Mapping[str, Claim]) -> Callable[[Disputes], str | None]:
    def objection(said: Disputes) -> str | None:
        return returned(
            "These contradictions do not hold",
            (flaw for each in said.contradictions for flaw in _flaws(each, claims)),
            "Give the whole list again, mended or without them.",
        )

    return objection


def _flaws(given: Dispute, claims: Mapping[str, Claim]) -> Iterator[str]:
    """What is wrong with a contradiction; backing that does not hold is only left out."""
    names = [value.claim for value in given.values]
    unknown = [name for name in names if name not in claims]
    for name in unknown:
        yield f"“{shortened(name, 40)}” names no claim that you were given."
    said = ", ".join(shortened(name, 40) for name in names)
    if not unknown and len({claims[name].source_id for name in names}) < 2:
        yield f"The values of {said} are of the same source, or there is one alone."
    if _has_address(given):
        yield f"`about` of {said} holds an address."


def _has_address(given: Dispute) -> bool:
    """People are sent this sentence, by programs that open links."""
    return ADDRESS.search(given.about) is not None


def _disagreements(said: Iterable[Dispute], claims: Mapping[str, Claim]) -> Iterator[Disagreement]:
    for given in said:
        values = [value for value in given.values if value.claim in claims]
        if len({claims[value.claim].source_id for value in values}) < 2 or _has_address(given):
            continue
        yield Disagreement(
            kind=given.kind,
            sides=tuple(_side(value, claims[value.claim]) for value in values),
            about=shortened(given.about, _ABOUT),
        )


def _side(value: Value, claim: Claim) -> Side:
    """Take a value's words as far as its claim holds them; else its quote says it."""
    return Side(
        claim=value.claim,
        backing=value.backing,
        value=_held(value.value, claim) or shortened(claim.quote, _VALUE),
        scope=_held(value.scope, claim),
    )


def _held(words: str, claim: Claim) -> str:
    line = " ".join(words.split())
    held = f"{claim.quote} {claim.text}".casefold()
    return line if len(line) <= _VALUE and line.casefold() in " ".join(held.split()) else ""

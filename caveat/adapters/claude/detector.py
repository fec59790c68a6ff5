"""The contradiction detector: names of claims in, pairs of names out."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from caveat.adapters.claude.claims import claims_block
from caveat.adapters.claude.dialogue import Dialogue, Question
from caveat.adapters.claude.limits import Bounds
from caveat.adapters.claude.problems import Errand
from caveat.adapters.claude.prompts import prompt
from caveat.adapters.claude.words import ADDRESS, Words, shortened
from caveat.contracts.base import Contract
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import ContradictionKind, Disagreement
from caveat.contracts.tasks import DetectionTask
from caveat.ports import Answer

_ABOUT = 500
"""Characters of what a disagreement is about, by its contract."""


class Pair(Contract):
    """Two claims that cannot both be true."""

    kind: ContradictionKind
    a: str
    b: str
    backing_a: tuple[str, ...]
    backing_b: tuple[str, ...]
    about: Words


class Pairs(Contract):
    """The contradictions, what matters most first."""

    contradictions: tuple[Pair, ...]


@dataclass(frozen=True)
class Detector:
    """Finds claims that disagree.

    Attributes:
        dialogue: with the server.
        model: who looks.
        bounds: of an answer.
    """

    dialogue: Dialogue
    model: str
    bounds: Bounds

    async def contradict(self, task: DetectionTask) -> Answer[tuple[Disagreement, ...]]:
        """Return the pairs that name claims of two sources; others are returned once, then dropped.

        Where all claims are of one source there is nothing to find, and nobody is asked.
        """
        claims = {claim.id: claim for claim in task.claims}
        if len({claim.source_id for claim in task.claims}) < 2:
            return Answer(())
        question = Question(
            errand=Errand("detector", self.model, task.topic),
            system=prompt("detector"),
            content=_content(task),
            answer=Pairs,
            bounds=self.bounds,
        )
        answer = await self.dialogue.ask(question, _objection(claims))
        pairs = answer.value[-1].contradictions
        return Answer(tuple(_disagreements(pairs, claims)), answer.usage)


def _content(task: DetectionTask) -> str:
    angles = [assignment.question for assignment in task.assignments]
    shown = claims_block(task.claims, task.sources, topic=task.topic, questions=angles)
    return f"{shown}\n\nWhich of these claims contradict each other?"


def _objection(claims: Mapping[str, Claim]) -> Callable[[Pairs], str | None]:
    def objection(said: Pairs) -> str | None:
        flaws = [flaw for pair in said.contradictions for flaw in _flaws(pair, claims)]
        if not flaws:
            return None
        return (
            "These pairs do not hold:\n"
            + "\n".join(f"- {flaw}" for flaw in dict.fromkeys(flaws))
            + "\nGive the whole list again, mended or without them."
        )

    return objection


def _flaws(pair: Pair, claims: Mapping[str, Claim]) -> Iterator[str]:
    """What is wrong with a pair itself; backing that does not hold is only left out."""
    unknown = [name for name in (pair.a, pair.b) if name not in claims]
    for name in unknown:
        yield f"“{shortened(name, 40)}” names no claim that you were given."
    if not unknown and claims[pair.a].source_id == claims[pair.b].source_id:
        yield f"{pair.a} and {pair.b} are of the same source."
    if ADDRESS.search(pair.about):  # people are sent this sentence, by programs that open links
        yield f"`about` of {shortened(pair.a, 40)} and {shortened(pair.b, 40)} holds an address."


def _disagreements(pairs: Iterable[Pair], claims: Mapping[str, Claim]) -> Iterator[Disagreement]:
    seen: set[frozenset[str]] = set()
    for pair in pairs:
        both = frozenset((pair.a, pair.b))
        if both in seen or any(_flaws(pair, claims)):
            continue
        seen.add(both)
        left = _backing(pair.backing_a, claims, excluded=both)
        right = _backing(pair.backing_b, claims, excluded=both | set(left))
        yield Disagreement(
            kind=pair.kind,
            claims=(pair.a, pair.b),
            backing=(left, right),
            about=shortened(pair.about, _ABOUT),
        )


def _backing(
    names: Iterable[str], claims: Mapping[str, Claim], excluded: frozenset[str]
) -> tuple[str, ...]:
    """Claims that there are; none may stand on both sides."""
    return tuple(name for name in dict.fromkeys(names) if name in claims and name not in excluded)

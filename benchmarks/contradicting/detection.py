"""How well disagreements are detected: one entity at a time, and many entities at once."""

import random
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import combinations, product

from benchmarks.contradicting.claims import ASSIGNMENT, Read
from benchmarks.contradicting.statements import Sort, Statement
from benchmarks.contradicting.truth import Pair, Verdict
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.plan import Assignment
from caveat.contracts.tasks import DetectionTask
from caveat.ports import Answer
from caveat.rules.report import DIRECT

AT_ONCE = 30  # entities of a task in which claims of one may be taken for claims of another

ContradictionKey = tuple[str, str, frozenset[tuple[object, ...]]]

Detect = Callable[[DetectionTask], Awaitable[Answer[tuple[Disagreement, ...]]]]
"""What asking a reasoner for `DETECT` is."""


@dataclass(frozen=True)
class Detected:
    """One disagreement that was reported, held against the truth."""

    disagreement: Disagreement  # as the reasoner reported it
    task: DetectionTask  # where it was reported
    # what its two claims are to each other; None when they state nothing comparable
    verdict: Verdict | None
    # the two statements that the verdict is about, in the order of the two claims
    pair: Pair | None
    # every contradiction that its claims and those that back them are about
    contradictions: frozenset[ContradictionKey]


@dataclass(frozen=True)
class Score:
    """Precision and recall."""

    reported: int  # disagreements, those about immaterial differences left out
    right: int  # of those, how many are between claims that contradict each other
    immaterial: int  # disagreements about immaterial differences
    contradictions: int  # pairs of contradicting values that there are
    found: int  # of those, how many were reported

    def __add__(self, other: "Score") -> "Score":
        """Count two runs together."""
        return Score(
            *(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True))
        )

    @property
    def precision(self) -> float:
        """Share of what was reported that is right."""
        return self.right / self.reported if self.reported else 1.0

    @property
    def recall(self) -> float:
        """Share of the contradictions that was found."""
        return self.found / self.contradictions if self.contradictions else 1.0


class Truth:
    """The judged pairs, by their two statements."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._pairs = {frozenset((pair.one, pair.other)): pair for pair in pairs}

    def between(self, here: Sequence[Statement], there: Sequence[Statement]) -> Iterator[Pair]:
        """Find the pairs between what two claims state, the first claim's statement first."""
        for one, other in product(here, there):
            pair = self._pairs.get(frozenset((one, other)))
            if pair is not None:
                yield replace(pair, one=one, other=other)

    def contradictions(self) -> frozenset[ContradictionKey]:
        """Pairs of contradicting values; names are left out, since only numbers are compared."""
        return frozenset(
            pair.key
            for pair in self._pairs.values()
            if pair.verdict is Verdict.CONTRADICT and pair.one.sort is not Sort.NAME
        )


def tasks(read: Sequence[Read], of_each: str, at_once: int, seed: int) -> list[DetectionTask]:
    """Deal entities into tasks of so many; the same seed deals the same.

    Args:
        read: every document.
        of_each: the topic, with a place for the entities, `{}`.
        at_once: entities a task.
        seed: of the shuffle.
    """
    by_entity: dict[str, list[Read]] = {}
    for each in read:
        by_entity.setdefault(each.entity, []).append(each)
    entities = sorted(by_entity)
    random.Random(seed).shuffle(entities)
    return [
        _task([by_entity[entity] for entity in entities[at : at + at_once]], of_each)
        for at in range(0, len(entities), at_once)
    ]


def _task(documents: Sequence[Sequence[Read]], of_each: str) -> DetectionTask:
    topic = of_each.format(", ".join(each[0].name for each in documents))
    together = [each for entity in documents for each in entity]
    return DetectionTask(
        task_id="detect",
        description="Compare the claims",
        topic=topic,
        assignments=(Assignment(id=ASSIGNMENT, title=DIRECT, question=topic, queries=(topic,)),),
        claims=tuple(sorted((c for each in together for c in each.claims), key=lambda c: c.id)),
        sources=tuple(each.source for each in together),
    )


async def detected(
    detect: Detect,
    given: Sequence[DetectionTask],
    read: Sequence[Read],
    truth: Truth,
    on_task: Callable[[int], None],
) -> list[list[Detected]]:
    """Compare task by task, and hold what is reported against the truth."""
    stated = {name: said for each in read for name, said in each.stated.items()}
    found = []
    for number, task in enumerate(given, start=1):
        reported = (await detect(task)).value
        pairs = [pair for each in reported for pair in two_by_two(each)]
        found.append([_judged(each, task, stated, truth) for each in pairs])
        on_task(number)
    return found


def two_by_two(found: Disagreement) -> Iterator[Disagreement]:
    """Take a question of many values apart, since the truth is known of each two of them."""
    for sides in combinations(found.sides, 2):
        yield found.model_copy(update={"sides": sides})


def _judged(
    disagreement: Disagreement,
    task: DetectionTask,
    stated: dict[str, tuple[Statement, ...]],
    truth: Truth,
) -> Detected:
    a, b = disagreement.claims
    between = sorted(
        truth.between(stated.get(a, ()), stated.get(b, ())),
        key=lambda pair: tuple(Verdict).index(pair.verdict),
    )
    # Two claims may agree in one thing and contradict each other in another.
    pair = between[-1] if between else None
    contradictions = frozenset(
        each.key
        for x, y in product(*(side.claims for side in disagreement.sides))
        for each in truth.between(stated.get(x, ()), stated.get(y, ()))
        if each.verdict is Verdict.CONTRADICT
    )
    return Detected(disagreement, task, pair.verdict if pair else None, pair, contradictions)


def score(found: Iterable[Detected], truth: Truth) -> Score:
    """Count: a contradiction that was reported twice is right once."""
    everything = list(found)
    wanted = truth.contradictions()
    right = {
        each.pair.key for each in everything if each.pair and each.verdict is Verdict.CONTRADICT
    }
    wrong = [each for each in everything if each.verdict in {None, Verdict.AGREE}]
    immaterial = [each for each in everything if each.verdict is Verdict.IMMATERIAL]
    contradictions = {key for each in everything for key in each.contradictions}
    return Score(
        reported=len(right) + len(wrong),
        right=len(right),
        immaterial=len(immaterial),
        contradictions=len(wanted),
        found=len(wanted & contradictions),
    )

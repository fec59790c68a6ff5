"""What becomes of a model's comparison that obeys the pages it is to compare."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from temporalio.testing import ActivityEnvironment

from caveat.activities.reasoning import ReasoningActivities
from caveat.adapters.extractive.reasoner import ExtractiveRules
from caveat.contracts.contradiction import Contradiction, ContradictionKind, Disagreement, SettledBy
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Claim, ClaimState, Snapshot, SourceRef
from caveat.contracts.tasks import DetectionTask, ScanTask
from caveat.ports import Answer
from caveat.rules.contradictions.contest import assign_claim_states
from caveat.rules.contradictions.ladder import (
    gather_evidence,
    number_contradictions,
    settle_by_evidence,
)
from caveat.workers.wiring import build_registry
from tests.fakes.claims import a_claim
from tests.fakes.disputes import backing_of, sides_of
from tests.fakes.ports import FakeReasoner, FakeSnapshots, World, ports_of

NOW = dt.datetime(2026, 3, 29, 12, tzinfo=dt.UTC)
ANGLE = Assignment(id="a1", title="Length", question="How long?", queries=("length",))
LONG = "The Aldermoor tunnel has a length of 12.4 kilometres."
LONGER = "The Aldermoor tunnel has a length of 14.1 kilometres."
OTHERS = (
    "The Aldermoor tunnel was long the pride of its valley.",
    "Trains pass the Aldermoor tunnel every hour.",
    "Miners from four valleys dug the Aldermoor tunnel.",
)


def claims(*quotes: str, credibility: float = 0.5) -> tuple[Claim, ...]:
    return tuple(
        a_claim(f"c{number}", quote, f"s{number}", relevance=0.5, credibility=credibility)
        for number, quote in enumerate(quotes, start=1)
    )


Obeying = Callable[[DetectionTask], tuple[Disagreement, ...]]


@dataclass(frozen=True)
class Obedient(FakeReasoner):
    """Reports what it is told to, while rules compare as they do in production."""

    told: Obeying = lambda task: ()

    async def detect(self, task: DetectionTask) -> Answer[tuple[Disagreement, ...]]:
        return Answer(self.told(task))


def between(
    *names: str,
    backing: tuple[tuple[str, ...], ...] = (),
    unconfirmed: tuple[tuple[str, ...], ...] = (),
    kind: ContradictionKind = ContradictionKind.NUMERIC,
) -> Obeying:
    stated = sides_of(names, backing, unconfirmed=unconfirmed)
    said = Disagreement(kind=kind, sides=stated, about="What the page wants.")
    return lambda task: (said,)


async def detected(
    told: Obeying, given: Sequence[Claim], *, uses_model: bool = True
) -> SubagentResult[tuple[Disagreement, ...]]:
    task = DetectionTask(
        task_id="detect",
        description="Find the claims that disagree",
        topic="How long is the Aldermoor tunnel?",
        assignments=(ANGLE,),
        claims=tuple(given),
        sources=tuple(SourceRef(id=each.source_id, title=each.source_id) for each in given),
    )
    world = World(pages=[], angles={}, answers={}, uses_model=uses_model)
    detector = ReasoningActivities(Obedient(world, told), FakeSnapshots(world), ExtractiveRules())
    return await ActivityEnvironment().run(detector.detect, task)


async def found(told: Obeying, given: Sequence[Claim]) -> tuple[Disagreement, ...]:
    return (await detected(told, given)).result or ()


async def test_what_a_model_is_told_to_hide_is_found() -> None:
    envelope = await detected(lambda task: (), claims(LONG, LONGER))
    (only,) = envelope.result or ()
    assert {*only.claims} == {"c1", "c2"}
    assert only.affects_answer
    assert envelope.by_rules


async def test_a_reasoner_without_a_model_compares_once() -> None:
    envelope = await detected(lambda task: (), claims(LONG, LONGER), uses_model=False)
    assert envelope.result == ()
    assert not envelope.by_rules


@pytest.mark.parametrize("names", [("c1", "c2"), ("c2", "c1"), ("c3", "c2"), ("c4", "c1")])
async def test_what_both_find_has_the_sides_of_the_model(names: tuple[str, str]) -> None:
    given = claims(LONG, LONGER, f"Surveyors agree. {LONG}", f"Trains are late. {LONGER}")
    (only,) = await found(between(*names), given)
    assert only.claims == names
    assert only.about == "What the page wants."
    assert {frozenset(side.claims) for side in only.sides} == {
        frozenset({"c1", "c3"}), frozenset({"c2", "c4"}),
    }  # fmt: skip


async def test_a_value_that_the_model_alone_sees_stays_beside_the_others() -> None:
    given = claims(LONG, LONGER, "Some call the Aldermoor tunnel endless.")
    (only,) = await found(between("c1", "c2", "c3"), given)
    assert only.claims == ("c1", "c2", "c3")


async def test_a_value_that_rules_alone_see_joins_the_question() -> None:
    given = claims(LONG, LONGER, "The Aldermoor tunnel has a length of 9.7 kilometres.")
    (only,) = await found(between("c1", "c2"), given)
    assert only.claims == ("c1", "c2", "c3")


async def test_sides_that_rules_take_for_one_value_stay_two() -> None:
    """Rules read one value in both; the model, which sees the scopes, does not."""
    given = claims(LONG, LONGER, f"At high water, {LONG}")
    (only,) = await found(between("c1", "c2", "c3"), given)
    assert only.claims == ("c1", "c2", "c3")


async def test_a_side_that_is_said_to_hold_another_value_gives_it_back() -> None:
    """An obeyed page puts the value that contradicts it on its own side."""
    given = claims(LONG, LONGER, "The Aldermoor tunnel has a length of 9.7 kilometres.")
    (only,) = await found(between("c1", "c2", backing=(("c3",), ())), given)
    assert [side.claims for side in only.sides] == [("c1",), ("c2",), ("c3",)]


@pytest.mark.parametrize("seen_by_rules", [True, False])
async def test_backing_that_nobody_confirms_settles_nothing(*, seen_by_rules: bool) -> None:
    """One obeyed page says that four others say the same as it does."""
    liar = LONGER if seen_by_rules else "The Aldermoor tunnel has collapsed."
    given = claims(LONG, liar, *OTHERS)
    (only,) = await found(between("c1", "c2", unconfirmed=((), ("c3", "c4", "c5"))), given)
    assert backing_of(only) == ((), ())
    tried = tried_by_evidence(only, given)
    assert tried.is_open
    assert "1 independent source against 1" in tried.steps[0].reason


async def test_backing_that_a_second_look_confirms_counts() -> None:
    same = "The Aldermoor tunnel opened after years of delay."
    given = claims(
        f"{same} It cost lives.", f"Experts: {same}", f"Officials: {same}", "Nobody died in it.",
    )  # fmt: skip
    told = between("c1", "c4", backing=(("c2", "c3"), ()), kind=ContradictionKind.CATEGORICAL)
    (only,) = await found(told, given)
    settled = tried_by_evidence(only, given)
    assert (settled.settled_by, settled.ruling) == (SettledBy.EVIDENCE, "a")


async def test_what_is_said_to_say_the_same_is_marked_and_never_overruled() -> None:
    other_words = "Those who walked it counted steps for half a day."
    given = claims(LONG, LONGER, other_words)
    (only,) = await found(between("c1", "c2", unconfirmed=(("c3",), ())), given)
    assert only.sides[0].unconfirmed == ("c3",)
    disputed = assign_claim_states(given, number_contradictions([only]))
    assert disputed[2].state is ClaimState.CONTESTED
    assert disputed[2].contested_by == ("c2",)
    credible = tuple(
        each.model_copy(update={"credibility": 0.9 if each.id == "c2" else 0.3}) for each in given
    )
    after = assign_claim_states(given, [tried_by_evidence(only, credible)])
    assert [claim.state for claim in after] == [
        ClaimState.OVERRULED, ClaimState.ACCEPTED, ClaimState.CONTESTED,
    ]  # fmt: skip


async def test_a_claim_that_is_said_to_back_two_sides_backs_neither() -> None:
    told = between("c1", "c2", backing=(("c3",), ("c3",)))
    given = claims("The tunnel has collapsed.", "The tunnel stands.", "Both say so.")
    (only,) = await found(told, given)
    assert backing_of(only) == ((), ())
    assert not any(side.unconfirmed for side in only.sides)


def tried_by_evidence(found: Disagreement, given: Sequence[Claim]) -> Contradiction:
    (asked,) = number_contradictions([found])
    named = {
        each.source_id: SourceRef(id=each.source_id, title="x", authors=(each.source_id,))
        for each in given
    }
    return settle_by_evidence(
        asked, gather_evidence(asked, {each.id: each for each in given}, named, ()), NOW
    )


# The texts of a run are looked through for one quantity, as they were when they were read.


def length(metres: int) -> str:
    return f"The tunnel has a length of {metres} m."


async def test_a_text_that_was_read_is_looked_through_as_it_was_then() -> None:
    ports = ports_of(World(pages=[], angles={}, answers={}))
    methods = build_registry(ports).fetching
    (scan,) = [each for each in methods if getattr(each, "__name__", "") == "scan"]
    snapshot = Snapshot(text=f"{length(3_100)} {length(3_200)}", landmarks=())
    facts = {"about": "tunnel length", "unit": "m", "relevance": 0.5, "corpus": ()}
    task = ScanTask(
        task_id="scan",
        description="Look",
        texts={"s-1": await ports.snapshots.keep(snapshot)},
        **facts,
    )
    found = (await ActivityEnvironment().run(scan, task)).result
    assert [claim.quote for claim in found.claims] == [length(3_100), length(3_200)]

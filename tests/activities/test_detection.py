"""What becomes of a model's comparison that obeys the pages it is to compare."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from temporalio.testing import ActivityEnvironment

from caveat.activities.reasoning import ReasoningActivities
from caveat.adapters.extractive.contradictions import contradictions
from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.contradiction import ContradictionKind, Disagreement, SettledBy
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.plan import Assignment
from caveat.contracts.source import SourceRef
from caveat.contracts.tasks import DetectionTask
from caveat.ports import Answer
from caveat.rules.contradictions.contest import contested
from caveat.rules.contradictions.ladder import by_evidence, opened, sides
from standins.ports import FakeReasoner, FakeSnapshots, World
from tests.fakes.disputes import backing_of, sides_of

NOW = dt.datetime(2026, 3, 29, 12, tzinfo=dt.UTC)
ANGLE = Assignment(id="a1", title="Length", question="How long?", queries=("length",))
LONG = "The Aldermoor tunnel has a length of 12.4 kilometres."
LONGER = "The length of the Aldermoor tunnel is 14.1 kilometres."
OTHERS = (
    "The Aldermoor tunnel was long the pride of its valley.",
    "Trains pass the Aldermoor tunnel every hour.",
    "Miners from four valleys dug the Aldermoor tunnel.",
)


def claims(*quotes: str, credibility: float = 0.5) -> tuple[Claim, ...]:
    return tuple(
        Claim(
            id=f"c{number}", text=quote, quote=quote, source_id=f"s{number}", assignment_id="a1",
            start=0, end=len(quote), relevance=0.5, credibility=credibility,
        )
        for number, quote in enumerate(quotes, start=1)
    )  # fmt: skip


Obeying = Callable[[DetectionTask], tuple[Disagreement, ...]]


@dataclass(frozen=True)
class Obedient(FakeReasoner):
    """Reports what it is told to, while rules compare as they do in production."""

    told: Obeying = lambda task: ()

    async def contradict(self, task: DetectionTask) -> Answer[tuple[Disagreement, ...]]:
        return Answer(self.told(task))

    async def compare_by_rules(self, task: DetectionTask) -> tuple[Disagreement, ...]:
        return contradictions(task)


def between(
    *names: str,
    backing: tuple[tuple[str, ...], ...] = (),
    kind: ContradictionKind = ContradictionKind.NUMERIC,
) -> Obeying:
    said = Disagreement(kind=kind, sides=sides_of(names, backing), about="What the page wants.")
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
    detector = ReasoningActivities(Obedient(world, told), FakeSnapshots(world))
    return await ActivityEnvironment().run(detector.detect, task)


async def found(told: Obeying, given: Sequence[Claim]) -> tuple[Disagreement, ...]:
    return (await detected(told, given)).result or ()


async def test_what_a_model_is_told_to_hide_is_found() -> None:
    envelope = await detected(lambda task: (), claims(LONG, LONGER))
    (only,) = envelope.result or ()
    assert {*only.claims} == {"c1", "c2"}
    assert only.by_rules
    assert envelope.by_rules


async def test_a_reasoner_without_a_model_compares_once() -> None:
    envelope = await detected(lambda task: (), claims(LONG, LONGER), uses_model=False)
    assert envelope.result == ()
    assert not envelope.by_rules


@pytest.mark.parametrize("names", [("c1", "c2"), ("c2", "c1"), ("c3", "c2"), ("c4", "c1")])
async def test_what_both_find_is_one_question_in_the_words_of_the_rules(
    names: tuple[str, str],
) -> None:
    given = claims(LONG, LONGER, f"Surveyors agree. {LONG}", f"Trains are late. {LONGER}")
    (only,) = await found(between(*names), given)
    assert {frozenset(side.claims) for side in only.sides} == {
        frozenset({"c1", "c3"}), frozenset({"c2", "c4"}),
    }  # fmt: skip
    assert only.by_rules
    assert only.about != "What the page wants."


async def test_a_value_that_the_model_alone_sees_joins_the_question() -> None:
    given = claims(LONG, LONGER, "Some call the Aldermoor tunnel endless.")
    (only,) = await found(between("c1", "c2", "c3"), given)
    assert only.claims == ("c1", "c2", "c3")
    assert not only.by_rules


@pytest.mark.parametrize("seen_by_rules", [True, False])
async def test_backing_that_code_does_not_read_settles_nothing(*, seen_by_rules: bool) -> None:
    """One obeyed page says that four others say the same as it does."""
    liar = LONGER if seen_by_rules else "The Aldermoor tunnel has collapsed."
    given = claims(LONG, liar, *OTHERS)
    (only,) = await found(between("c1", "c2", backing=((), ("c3", "c4", "c5"))), given)
    assert only.by_rules is seen_by_rules
    assert backing_of(only) == ((), ())
    by_id = {each.id: each for each in given}
    named = {each.source_id: SourceRef(id=each.source_id, title="x") for each in given}
    (asked,) = opened([only])
    tried = by_evidence(asked, sides(asked, by_id, named, ()), NOW)
    assert tried.is_open
    assert "1 independent source against 1" in tried.steps[0].reason


async def test_numbers_of_sources_settle_nothing_that_a_model_alone_reports() -> None:
    """Four honest pages are named as a side by one that tells the model what disagrees."""
    same = "The Aldermoor tunnel opened after years of delay."
    given = claims(
        f"{same} It cost lives.", f"Experts: {same}", f"Officials: {same}", "Nobody died in it.",
    )  # fmt: skip
    told = between("c1", "c4", backing=(("c2", "c3"), ()), kind=ContradictionKind.CATEGORICAL)
    (only,) = await found(told, given)
    claimed = opened(
        [only.model_copy(update={"sides": sides_of(("c1", "c4"), (("c2", "c3"), ()))})]
    )[0]
    by_id = {each.id: each for each in given}
    named = {each.source_id: SourceRef(id=each.source_id, title="x") for each in given}
    (step,) = by_evidence(claimed, sides(claimed, by_id, named, ()), NOW).steps
    assert not step.settled
    assert "a model alone says" in step.reason
    counted = claimed.model_copy(update={"by_rules": True})
    assert by_evidence(counted, sides(counted, by_id, named, ()), NOW).settled_by is (
        SettledBy.EVIDENCE
    )


async def test_what_is_said_to_say_the_same_is_marked_and_never_overruled() -> None:
    other_words = "Those who walked it counted steps for half a day."
    given = claims(LONG, LONGER, other_words)
    (only,) = await found(between("c1", "c2", backing=(("c3",), ())), given)
    place = only.claims.index("c1")
    assert only.sides[place].echoes == ("c3",)
    asked = opened([only])[0]
    disputed = contested(given, [asked])
    assert disputed[2].state is ClaimState.CONTESTED
    assert disputed[2].contested_by == ("c2",)
    credible = {
        each.id: each.model_copy(update={"credibility": 0.9 if each.id == "c2" else 0.3})
        for each in given
    }
    named = {each.source_id: SourceRef(id=each.source_id, title="x") for each in given}
    settled = by_evidence(asked, sides(asked, credible, named, ()), NOW)
    after = contested(given, [settled])
    assert [claim.state for claim in after] == [
        ClaimState.OVERRULED, ClaimState.ACCEPTED, ClaimState.ACCEPTED,
    ]  # fmt: skip


async def test_a_claim_that_is_said_to_back_two_sides_backs_neither() -> None:
    told = between("c1", "c2", backing=(("c3",), ("c3",)))
    given = claims("The tunnel has collapsed.", "The tunnel stands.", "Both say so.")
    (only,) = await found(told, given)
    assert backing_of(only) == ((), ())
    assert not any(side.echoes for side in only.sides)

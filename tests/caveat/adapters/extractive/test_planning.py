import pytest

from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.adapters.text.vocabulary import Passage
from caveat.contracts.plan import Assignment, Depth
from caveat.contracts.tasks import PlanningTask
from caveat.roles.planner import PLAN
from caveat.roles.role import Reasoner
from caveat.rules.report import DIRECT

TOPIC = "How far does the lighthouse beam reach at Skerry Point?"


def task(topic: str = TOPIC, wanted: int = 5, depth: Depth = Depth.EXHAUSTIVE) -> PlanningTask:
    return PlanningTask(
        task_id="plan", description="plan", topic=topic, corpus=("/c",), depth=depth,
        team="general", wanted=wanted,
    )  # fmt: skip


async def plan(reasoner: Reasoner, topic: str = TOPIC, wanted: int = 5) -> tuple[Assignment, ...]:
    return (await reasoner.ask(PLAN, task(topic, wanted))).value


async def test_the_topic_comes_first_and_the_sections_on_it_follow(
    reasoner: ExtractiveReasoner,
) -> None:
    first, *others = await plan(reasoner)
    assert (first.id, first.title, first.question) == ("a1", DIRECT, TOPIC)
    titles = {assignment.title for assignment in others}
    assert titles == {
        "Keepers of the north coast",
        "Survey of sea lights",
        "A history of signals",
        "Optics for sailors",
    }
    assert [assignment.id for assignment in others] == [f"a{n}" for n in range(2, 2 + len(others))]


async def test_angles_ask_plainly_and_search_with_the_topics_words(
    reasoner: ExtractiveReasoner,
) -> None:
    optics = next(a for a in await plan(reasoner) if a.title == "Optics for sailors")
    asked = f"What do the sources say about “Optics for sailors” with regard to: {TOPIC}"
    assert optics.question == asked
    assert optics.queries == (f"Optics for sailors {TOPIC}",)


async def test_headings_that_name_nothing_new_are_no_angles(
    reasoner: ExtractiveReasoner, monkeypatch: pytest.MonkeyPatch
) -> None:
    headings = ("Manual › Signals", "The signal", "p. 12", "How far a beam reaches", "Fuel")
    found = [Passage("s1", "t", each, "The beam reaches far.") for each in headings]

    async def passages(*_: object) -> list[Passage]:
        return found

    monkeypatch.setattr(reasoner.vocabulary, "find_passages", passages)
    _, *others = await plan(reasoner)
    assert [each.title for each in others] == ["Signals", "Fuel"]


@pytest.mark.parametrize("depth", [Depth.OVERVIEW, Depth.DEEP])
async def test_only_the_greatest_depth_has_angles_beside_the_question(
    reasoner: ExtractiveReasoner, depth: Depth
) -> None:
    (only,) = (await reasoner.ask(PLAN, task(depth=depth))).value
    assert (only.title, only.queries) == (DIRECT, (TOPIC,))


async def test_each_part_of_a_question_is_searched_for(reasoner: ExtractiveReasoner) -> None:
    topic = "When was the lighthouse built, how far does its beam reach, and who keeps it?"
    (only,) = (await reasoner.ask(PLAN, task(topic, depth=Depth.DEEP))).value
    parts = ("When was the lighthouse built", "how far does its beam reach", "who keeps it")
    assert only.queries == parts


@pytest.mark.parametrize("wanted", [1, 2, 3])
async def test_no_more_than_wanted(reasoner: ExtractiveReasoner, wanted: int) -> None:
    assert len(await plan(reasoner, wanted=wanted)) == wanted


async def test_nothing_retrieved_leaves_the_topic_alone(reasoner: ExtractiveReasoner) -> None:
    (only,) = await plan(reasoner, topic="Quantum chromodynamics lattices")
    assert only.question == "Quantum chromodynamics lattices"
    assert only.queries == ("Quantum chromodynamics lattices",)


async def test_a_topic_of_stop_words_is_searched_as_it_is(reasoner: ExtractiveReasoner) -> None:
    (only,) = await plan(reasoner, topic="to be or not to be")
    assert only.queries == ("to be or not to be",)

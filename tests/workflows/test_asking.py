"""One more question to what a run has kept: no search, the same checks, nothing lost by a kill."""

from dataclasses import replace

import pytest

from caveat.contracts.contradiction import ContradictionKind, ContradictionState, Disagreement
from caveat.contracts.envelope import FailureType
from caveat.contracts.outcome import Ending
from caveat.contracts.tasks import DetectionTask
from caveat.rules.audit.checks import audit
from tests.fakes.disputes import sides_of
from tests.fakes.ports import World
from tests.fakes.runs import Asking, Start, end_of, failing, fault, report_of, texts
from tests.fakes.worlds import disagreeing


@pytest.fixture(autouse=True)
def with_model(world: World) -> None:
    world.uses_model = True


def searched(world: World) -> int:
    """How often something was searched or read."""
    return world.calls["search"] + world.calls["fetch"]


async def test_a_question_is_answered_from_what_is_kept(start: Start, world: World) -> None:
    first = await start()
    before = await report_of(first)
    looked, planned = searched(world), world.calls["plan"]
    assert looked
    asked = await start(id="asked", topic="Alpha is how wide, and why?", asked_of=first.id)
    report = await report_of(asked)
    assert (searched(world), world.calls["plan"]) == (looked, planned), "nothing new is read"
    (section,) = report.sections
    assert "Alpha is how wide, and why?" in section.question
    assert report.claims
    kept = {each.snapshot_sha256 for each in before.sources}
    assert {each.snapshot_sha256 for each in report.sources} == kept
    assert audit(report, texts(world)).passed
    assert report.revision is None


KEEL = "The keel of alpha is painted green in spring."


def with_keels(world: World, *keels: str) -> None:
    """Let pages say in passing what no angle asks for."""
    world.relevance = lambda quote: 0.0 if quote.rstrip(".") in {k[:-1] for k in keels} else 0.9
    for number, keel in enumerate(keels):
        page = world.pages[number]
        world.pages[number] = replace(page, text=f"{page.text}. {keel}")


async def test_a_sentence_that_no_claim_has_is_quoted(start: Start, world: World) -> None:
    with_keels(world, "It is dry.", KEEL)
    first = await start()
    assert KEEL not in {each.quote for each in (await report_of(first)).claims}
    read = world.calls["analyse"]
    asked = await start(id="asked", topic="How is the keel painted?", asked_of=first.id)
    report = await report_of(asked)
    assert KEEL in {each.quote for each in report.claims}
    assert world.calls["analyse"] == read, "no model reads a text again"
    assert not report.contradictions
    assert audit(report, texts(world)).passed


async def test_a_question_in_other_words_is_put_anew(start: Start, world: World) -> None:
    with_keels(world, "It is dry.", KEEL)
    world.questions_anew = ("How is the keel painted?",)
    first = await start()
    await first.result()
    topic = "Welche Farbe hat der Kiel?"
    report = await report_of(await start(id="asked", topic=topic, asked_of=first.id))
    assert KEEL in {each.quote for each in report.claims}
    assert world.calls[f"reformulate {topic}"] == 1
    await report_of(await start(id="same", topic="How is alpha's keel?", asked_of=first.id))
    assert world.calls["reformulate"] == 1, "what the texts say in the same words is asked once"


async def test_texts_that_are_lost_are_named(start: Start, world: World) -> None:
    first = await start()
    await first.result()
    failing(world, "look_up", fault(FailureType.PERMANENT))
    topic = "How many units wide is alpha?"
    report = await report_of(await start(id="asked", topic=topic, asked_of=first.id))
    assert report.claims, "kept claims answer"
    (failed,) = report.failures
    assert "kept texts" in failed.task_description


async def test_what_is_quoted_and_disagrees_is_shown(start: Start, world: World) -> None:
    with_keels(world, KEEL, KEEL.replace("spring", "autumn"))
    first = await start()
    await first.result()

    def found(task: DetectionTask) -> tuple[Disagreement, ...]:
        keels = tuple(each.id for each in task.claims if "keel" in each.quote)
        about = "The season in which it is painted."
        sides = sides_of(keels)
        return (Disagreement(kind=ContradictionKind.CATEGORICAL, sides=sides, about=about),)

    world.disagreements = found
    topic = "In which season is the keel painted?"
    report = await report_of(await start(id="asked", topic=topic, asked_of=first.id))
    (shown,) = report.contradictions
    assert shown.is_open
    assert len(shown.sides) == 2


async def test_rulings_since_a_run_count_in_an_answer(asking: Asking, world: World) -> None:
    disagreeing(world, (1, 2), (3, 4))
    first = await asking()
    await asking.rule(first, 1, {"ruling": "a", "reason": "It was measured.", "decided_by": "Ada"})
    topic = "Alpha is how wide?"
    asked = await asking.start(id="asked", topic=topic, asked_of=first.id)
    report = await report_of(asked)
    (ruled,) = report.contradictions  # of the other one the answer says nothing
    assert (ruled.id, ruled.state) == ("contradiction-1", ContradictionState.RESOLVED)
    assert report.methods.untold == 1
    await asking.rule(first, 2, {"ruling": "a", "reason": "It was measured.", "decided_by": "Ada"})


async def test_new_sources_are_searched_only_if_asked(start: Start, world: World) -> None:
    first = await start()
    await first.result()
    looked = searched(world)
    question = "Alpha is how wide now?"
    world.answers[question] = ("page 7",)
    await report_of(await start(id="more", topic=question, asked_of=first.id, searches=True))
    assert searched(world) > looked


async def test_of_a_run_that_nobody_knows_nothing_can_be_asked(start: Start) -> None:
    end = await end_of(await start(id="asked", asked_of="research-nothing-000000"))
    assert end.ending is Ending.NOTHING_TO_FOLLOW_UP

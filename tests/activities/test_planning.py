from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from caveat.activities.reasoning import ReasoningActivities
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.plan import Depth, Plan, QuorumPolicy
from caveat.contracts.tasks import PlanningTask
from caveat.teams.team import TeamCatalogue
from tests.fakes.ports import FakeReasoner, FakeRules, FakeSnapshots, World


@pytest.fixture
def world() -> World:
    return World(pages=[], angles={"Alpha width": ("alpha",), "Beta cases": ("beta",)}, answers={})


def task(team: str, *critical: str) -> PlanningTask:
    return PlanningTask(
        task_id="plan", description="Plan", topic="Acme", corpus=(), depth=Depth.OVERVIEW,
        team=team, wanted=2, critical=critical,
    )  # fmt: skip


async def plan(world: World, asked: PlanningTask, *folders: Path) -> Plan:
    planner = ReasoningActivities(
        FakeReasoner(world), FakeSnapshots(world), FakeRules(world), TeamCatalogue(folders)
    )
    envelope: SubagentResult[Plan] = await ActivityEnvironment().run(planner.plan, asked)
    assert envelope.usage.model_calls == world.calls["plan"]
    assert envelope.result is not None
    return envelope.result


async def refused(world: World, asked: PlanningTask, *folders: Path) -> str:
    with pytest.raises(ApplicationError) as caught:
        await plan(world, asked, *folders)
    assert caught.value.type == "permanent"
    return caught.value.message


async def test_specialists_are_assigned_without_asking_the_reasoner(world: World) -> None:
    made = await plan(world, task("investment"))
    assert [each.id for each in made.assignments if each.critical] == ["a1", "a2"]
    assert len(made.assignments) == 5
    assert made.quorum == QuorumPolicy(minimum_share=0.6, penalty=0.1)
    assert made.reasoner.name == "scripted"
    assert world.calls["plan"] == 0


async def test_the_general_team_asks_the_reasoner(world: World) -> None:
    made = await plan(world, task("general", "beta CASES"))
    assert [(each.title, each.critical) for each in made.assignments] == [
        ("Alpha width", False),
        ("Beta cases", True),
    ]
    assert world.calls["plan"] == 1


async def test_a_users_team_is_used(world: World, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        '[quorum]\nminimum_share = 1\npenalty = 0.3\n[[specialists]]\nname = "law"\n'
        'title = "Law"\nbrief = "What does the law say on {topic}?"\nqueries = ["law {topic}"]\n',
        encoding="utf-8",
    )
    (law,) = (await plan(world, task("mine", "LAW"), tmp_path)).assignments
    assert (law.question, law.queries) == ("What does the law say on Acme?", ("law Acme",))
    assert law.critical


async def test_what_cannot_be_planned_is_refused_by_name(world: World) -> None:
    assert "no team “nobody”" in await refused(world, task("nobody"))
    assert "Nothing is called “x”" in await refused(world, task("investment", "x"))
    assert "Nothing is called “x”" in await refused(world, task("general", "x"))

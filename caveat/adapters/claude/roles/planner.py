"""The planner: a topic in, angles out."""

from pydantic import Field

from caveat.adapters.claude.messages.question import Bounds, Effort
from caveat.adapters.claude.roles.data import Words, json_block, shortened
from caveat.adapters.claude.roles.role import OPUS, PlayedRole, Role
from caveat.contracts.base import Contract
from caveat.contracts.plan import TOPIC_LIMIT, Assignment
from caveat.contracts.spending import Step
from caveat.contracts.tasks import PlanningTask
from caveat.ports import Answer

ROLE = Role(
    name="planning",
    agent="planner",
    model=OPUS,
    bounds=Bounds(
        deadline_s=165, room=4_000, effort=Effort.MEDIUM
    ),  # at most eight angles of a few lines
    step=Step.PLAN,
)


_TITLE = 200
"""Characters of an assignment's title by its contract."""

_QUERIES = 4
"""Queries of an assignment by its contract."""


class Angle(Contract):
    """One angle of the topic."""

    title: Words
    question: Words
    queries: tuple[Words, ...] = Field(min_length=1)


class Angles(Contract):
    """The angles, the topic itself first."""

    angles: tuple[Angle, ...] = Field(min_length=1)


async def plan(task: PlanningTask, part: PlayedRole) -> Answer[tuple[Assignment, ...]]:
    """Return at most `task.wanted` assignments, numbered in the planner's order."""
    content = f"At most {task.wanted} angles, for this topic:\n{json_block([task.topic])}"
    answer = await part.ask(task, task.topic, content, Angles)
    return Answer(_assignments(answer.value[-1], task.wanted), answer.usage)


def _assignments(given: Angles, wanted: int) -> tuple[Assignment, ...]:
    distinct = {angle.title.casefold(): angle for angle in reversed(given.angles)}
    chosen = [angle for angle in given.angles if distinct[angle.title.casefold()] is angle]
    return tuple(
        Assignment(
            id=f"a{number}",
            title=shortened(angle.title, _TITLE),
            question=shortened(angle.question, TOPIC_LIMIT),
            queries=tuple(dict.fromkeys(angle.queries))[:_QUERIES],
        )
        for number, angle in enumerate(chosen[:wanted], start=1)
    )

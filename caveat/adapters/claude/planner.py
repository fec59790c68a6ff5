"""The planner: a topic in, angles out."""

from dataclasses import dataclass

from pydantic import Field

from caveat.adapters.claude.data import json_block
from caveat.adapters.claude.dialogue import Dialogue, Question
from caveat.adapters.claude.limits import Bounds
from caveat.adapters.claude.problems import Errand
from caveat.adapters.claude.prompts import prompt
from caveat.adapters.claude.words import Words, shortened
from caveat.contracts.base import Contract
from caveat.contracts.plan import TOPIC_LIMIT, Assignment
from caveat.contracts.tasks import PlanningTask
from caveat.ports import Answer

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


@dataclass(frozen=True)
class Planner:
    """Splits topics.

    Attributes:
        dialogue: with the server.
        model: who plans.
        bounds: of an answer.
    """

    dialogue: Dialogue
    model: str
    bounds: Bounds

    async def plan(self, task: PlanningTask) -> Answer[tuple[Assignment, ...]]:
        """Return at most `task.wanted` assignments, numbered in the planner's order."""
        question = Question(
            errand=Errand("planner", self.model, task.topic),
            system=prompt("planner"),
            content=f"At most {task.wanted} angles, for this topic:\n{json_block([task.topic])}",
            answer=Angles,
            bounds=self.bounds,
        )
        answer = await self.dialogue.ask(question)
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

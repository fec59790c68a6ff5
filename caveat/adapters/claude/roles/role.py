"""A role: what one call to a model is for, and all that is decided for it in one place."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from caveat.adapters.claude.messages.problems import Purpose
from caveat.adapters.claude.messages.question import Bounds, Question
from caveat.contracts.spending import Step
from caveat.contracts.tasks import Task
from caveat.ports import Answer
from caveat.spending import Meter

if TYPE_CHECKING:  # the SDK takes longer to import than everything that a role decides
    from caveat.adapters.claude.messages.dialogue import Dialogue

M = TypeVar("M", bound=BaseModel)

OPUS = "claude-opus-5-5"
"""The most able: for what a run does once, and what decides what everything else is worth."""

SONNET = "claude-sonnet-5-5"
"""At half its price: for what is done for every source or claim, and what decides nothing."""


@dataclass(frozen=True)
class Role:
    """What a model is asked to do."""

    name: str  # of the work, as settings, prices and reports say it
    # of whoever does it, as failures say it; its instructions are the Markdown file of this name
    # beside this module
    agent: str
    model: str  # who does it unless settings name another
    bounds: Bounds
    # of a run that its calls are booked for; None where another role's stand for them
    step: Step | None
    searches: int = 0  # of the web that the server makes for one call

    @property
    def instructions(self) -> str:
        """The same for every task of the role, byte for byte, so that servers cache them."""
        return prompt(self.agent)


@dataclass(frozen=True)
class PlayedRole:
    """A role, with the model that plays it in this run, on its way to the server."""

    role: Role
    model: str
    dialogue: "Dialogue"
    agent: str = ""  # who is named where it fails, if that is not the role's own: one of several
    own: str = ""  # instructions of whoever plays it, behind those of the role; empty for none

    async def ask(
        self,
        task: Task,
        about: str,
        content: str,
        answer: type[M],
        objection: Callable[[M], str | None] = lambda _: None,
        shared: str = "",
    ) -> Answer[tuple[M, ...]]:
        """Ask one question, and return a wrong answer once; see `Dialogue.ask`.

        Args:
            objection: what code finds wrong with an answer; None for nothing.
            shared: what stands before the question, so that servers cache it.
        """
        question = Question(
            task=task,
            purpose=Purpose(
                self.agent or self.role.agent,
                self.model,
                about,
                Meter(task.allowance),
                self.dialogue.connection.provider,
            ),
            system="\n\n".join(filter(None, (self.role.instructions, self.own))),
            content=content,
            answer=answer,
            bounds=self.role.bounds,
            shared=shared,
        )
        return await self.dialogue.ask(question, objection)


@cache
def prompt(role: str) -> str:
    """Read the instructions of a role."""
    return resources.files(__package__).joinpath(f"{role}.md").read_text("utf-8")

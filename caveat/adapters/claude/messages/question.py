"""A question to a model: what is asked, for what, and within which bounds."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from caveat.adapters.claude.messages.problems import Purpose
from caveat.contracts.tasks import Task
from caveat.roles.role import Bounds

M = TypeVar("M", bound=BaseModel)

SEARCH_RESULTS = 25_000
"""Tokens that one web search puts into its model's prompt: ten results of a long passage each have
about 20,000."""


@dataclass(frozen=True)
class Question(Generic[M]):
    """One task of one role."""

    task: Task  # of the role; says how many turns may be taken
    purpose: Purpose  # what the call is for, as its failures name it
    system: str
    content: str
    answer: type[M]
    bounds: Bounds
    # what stands before the task and is asked about more than once, so that servers cache it; empty
    # for nothing
    shared: str = ""

"""The person at the terminal who approves a plan: shown it, asked, heard."""

import datetime as dt
import io
from dataclasses import dataclass, field
from typing import cast

import pytest
from rich.console import Console

from caveat.clients.cli.approving import PlanPrompt
from caveat.clients.cli.views import LineView
from caveat.clients.runs import Runs
from caveat.contracts.plan import Approval, Assignment, Plan, Proposal, QuorumPolicy
from tests.fakes.reports import a_report

PROPOSAL = Proposal(
    plan=Plan(
        assignments=(
            Assignment(id="a1", title="Bees", question="How many bees?", queries=("bees",)),
        ),
        reasoner=a_report().reasoner,
        quorum=QuorumPolicy(minimum_share=0.5, penalty=0.1),
        questions=("Which year?", "Which city?"),
    ),
    deadline=dt.datetime(2030, 1, 1, tzinfo=dt.UTC),
)


@dataclass
class Approving:
    """A server that takes a decision."""

    decided: list[Approval] = field(default_factory=list)

    async def approve(self, _: str, decision: Approval) -> str:
        self.decided.append(decision)
        return "The plan is approved."


async def test_a_question_keeps_its_number_when_another_one_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    typing = iter(["answer 1 2023", "answer 2 Bremen", "perhaps", "yes"])

    async def read_line() -> str:
        return next(typing)

    monkeypatch.setattr("caveat.clients.cli.views.read_line", read_line)
    stream, runs = io.StringIO(), Approving()
    console = Console(file=stream, width=120)
    prompt = PlanPrompt(cast("Runs", runs), console, LineView(console))
    assert await prompt.ask("research-bees-1a2b3c", PROPOSAL)
    assert "Question 1: Which year? 2023\n  Question 2: Which city?\n" in stream.getvalue()
    assert "“perhaps” is no decision" in stream.getvalue()
    (decision,) = runs.decided
    assert decision.answers == ("2023", "Bremen")

"""The person at the terminal: asked for a ruling or a plan's approval, refused, overtaken, gone."""

import asyncio
import datetime as dt
import io
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import cast

import pytest
from rich.console import Console

from caveat.clients.arbitrations import Arbitrations
from caveat.clients.cli.views import LineView, RulingPrompt, ask_to_approve
from caveat.clients.problems import BadInput, OutOfReach
from caveat.clients.runs import Runs
from caveat.contracts.contradiction import Contradiction, Hearing, Ruling
from caveat.contracts.plan import Approval, Assignment, Plan, Proposal, QuorumPolicy
from tests.fakes.arbitrations import NOON, a_case_of, a_hearing
from tests.fakes.patience import PATIENCE_S
from tests.fakes.reports import a_report

CONTRADICTION = a_hearing().contradiction.model_copy(
    update={"arbitration": "research-h0/contradiction-1"}
)
NOTHING = ""  # what a terminal whose input has ended gives


@dataclass
class Asking:
    """A server that asks one thing, and what it was answered."""

    hears: Hearing | None = field(default_factory=a_hearing)
    refusals: list[BadInput] = field(default_factory=list)
    ruled: list[Ruling] = field(default_factory=list)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    lost: OutOfReach | None = None
    found: Contradiction = CONTRADICTION

    async def query_hearing(self, _: str) -> Hearing | None:
        return self.hears

    async def rule(self, arbitration: str, ruling: Ruling) -> None:
        assert arbitration == CONTRADICTION.arbitration
        if self.refusals:
            raise self.refusals.pop(0)
        self.ruled.append(ruling)
        self.ended.set()

    async def wait_for_outcome(self, _: str) -> Contradiction | None:
        await self.ended.wait()
        if self.lost is not None:
            raise self.lost
        return self.found


Ask = Callable[..., Awaitable[str]]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask somebody who types these lines, and return what they saw."""

    async def asked(asking: Asking, *lines: str) -> str:
        typing = iter(lines)

        async def read_line() -> str:
            line = next(typing, None)
            if line is None:  # somebody who thinks, until they need not any more
                asking.ended.set()
                await asyncio.Event().wait()
            return line or NOTHING

        monkeypatch.setattr("caveat.clients.cli.views.read_line", read_line)
        stream = io.StringIO()
        console = Console(file=stream, width=120)
        prompt = RulingPrompt(cast("Arbitrations", asking), console, LineView(console))
        async with asyncio.timeout(PATIENCE_S):
            await prompt.ask(CONTRADICTION)
        return stream.getvalue()

    return asked


async def test_both_quotes_are_shown_and_the_answer_is_given(ask: Ask) -> None:
    asking = Asking()
    shown = await ask(asking, " Both\n", "They differ in date.\n")
    assert "“It is 67.4 km/s/Mpc”" in shown
    (ruling,) = asking.ruled
    assert (ruling.ruling, ruling.reason) == ("both", "They differ in date.")
    assert ruling.decided_by
    assert shown.endswith("Accepted: both hold.\n")


async def test_what_is_no_ruling_is_explained_and_asked_again(ask: Ask) -> None:
    asking = Asking()
    shown = await ask(asking, "maybe\n", "a\n", " \n", "b\n", "Newer.\n")
    assert "There is no ruling “maybe”" in shown
    assert "say why" in shown
    assert [ruling.ruling for ruling in asking.ruled] == ["b"]


@pytest.mark.parametrize(
    "lines", [["later\n"], ["LATER\n"], ["\n"], [NOTHING], ["a\n", NOTHING]], ids=repr
)
async def test_later_and_the_end_of_input_leave_it_open(ask: Ask, lines: list[str]) -> None:
    asking = Asking()
    shown = await ask(asking, *lines)
    assert asking.ruled == []
    assert "settled meanwhile" not in shown


async def test_more_than_two_values_are_named_by_letters(ask: Ask) -> None:
    case = a_case_of(7)
    asking = Asking(Hearing(case=case, contradiction=case.contradiction, deadline=NOON))
    shown = await ask(asking, "both", "G, b", "I measured it.")
    assert "(a, …, g, a,g, all, none, later)" in shown
    assert "There is no ruling “both”: choose from a, …, g" in shown
    assert [ruling.ruling for ruling in asking.ruled] == ["b,g"]


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


@pytest.mark.parametrize("typed", ["yes", "later"])
async def test_a_plan_is_approved_or_left(typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def read_line() -> str:
        return typed

    monkeypatch.setattr("caveat.clients.cli.views.read_line", read_line)
    stream, runs = io.StringIO(), Approving()
    console = Console(file=stream, width=120)
    server, view = cast("Runs", runs), LineView(console)
    is_approved = await ask_to_approve(server, console, view, "research-bees-1a2b3c", PROPOSAL)
    assert is_approved is (typed == "yes")
    assert "Question 1: Which year?\n  Question 2: Which city?\n" in stream.getvalue()
    assert len(runs.decided) == is_approved

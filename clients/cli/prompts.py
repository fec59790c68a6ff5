"""Questions to the person at the terminal: a contradiction to rule on, a plan to approve."""

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from caveat.clients.arbitrations import Arbitrations
from caveat.clients.cli.console import say
from caveat.clients.cli.tables import format_local_time
from caveat.clients.cli.views import View
from caveat.clients.parsing import name_person, parse_ruling
from caveat.clients.problems import BadInput
from caveat.clients.runs import Runs
from caveat.contracts.contradiction import Contradiction, Hearing, Ruling, SideEvidence
from caveat.contracts.plan import Approval, Plan, Proposal
from caveat.rendering.commands import format_command
from caveat.rendering.visible import sanitize_line
from caveat.rendering.words import describe_attempts, describe_side, format_datetime
from caveat.rules.contradictions.choices import describe_choice, format_options, list_letters


def build_hearing_table(hearing: Hearing) -> RenderableType:
    # What is cut is on the page whole; with quotes of three lines two sides fit into 24 rows.
    contradiction, sides = hearing.contradiction, hearing.case.sides
    table = Table.grid(padding=(0, 1))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, side in zip(list_letters(len(sides)), sides, strict=True):
        table.add_row(name, Group(*_render_side(side)))
    return Group(
        Text(f"{contradiction.id}: {sanitize_line(contradiction.about)}", style="bold"),
        table,
        *(Text(sanitize_line(line), style="dim") for line in describe_attempts(contradiction)),
        Text(f"A ruling counts until {format_local_time(hearing.deadline)}.", style="dim"),
    )


def _render_side(side: SideEvidence) -> Iterator[Text]:
    facts, quote, *others = map(sanitize_line, describe_side(side))
    yield Text(facts)
    yield Text(quote, style="bold")
    also = [f"{each.source} ({each.year})" if each.year else each.source for each in side.backing]
    if also:
        others.append(sanitize_line(f"also said by {len(also)}: {'; '.join(also)}"))
    for line in others:
        yield Text(line, style="dim", no_wrap=True, overflow="ellipsis")


_LATER = "later"

_Settled = asyncio.Task[Contradiction | None]


def can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


@dataclass(frozen=True)
class RulingPrompt:
    arbitrations: Arbitrations
    console: Console  # where it is shown
    view: View  # where the answer is typed

    async def ask(self, contradiction: Contradiction) -> bool | None:
        """Show one contradiction and take a ruling; `later` and the end of input leave it open.

        Returns:
            Whether it is settled now, here or elsewhere; None where no worker tells of it.
        """
        name = contradiction.arbitration or ""
        hearing = await self.arbitrations.query_hearing(name)
        if hearing is None:
            return None
        self.console.print(build_hearing_table(hearing))
        settled = asyncio.create_task(self.arbitrations.wait_for_outcome(name))  # by whomever
        values = len(hearing.case.sides)
        try:
            while not settled.done():
                ruling = await self._read_ruling(values, settled)
                if ruling is None:
                    break
                try:
                    await self.arbitrations.rule(name, ruling)
                except BadInput as refused:
                    say(self.console, str(refused), "yellow")
                else:
                    say(self.console, f"Accepted: {describe_choice(ruling.ruling, values)}.")
                    return True
        finally:
            settled.cancel()
        if not settled.done():
            return False
        outcome = settled.result()  # raises what kept us from hearing of it
        is_late = outcome is not None and outcome.needs_review
        ended = "needs review: its time is over" if is_late else "was settled meanwhile"
        say(self.console, f"{contradiction.id} {ended}.")
        return True

    async def _read_ruling(self, values: int, settled: _Settled) -> Ruling | None:
        offered = ", ".join((*format_options(values).split("|"), _LATER))
        while True:
            choice = await self._read_line(f"Which holds? ({offered}) ", settled)
            if choice is None or choice.strip().casefold() in {_LATER, ""}:
                return None
            try:
                parse_ruling(
                    choice, "It is a choice.", name_person(), values
                )  # before its reason is typed
                reason = await self._read_line("Why? ", settled)
                if reason is None:
                    return None
                return parse_ruling(choice, reason, name_person(), values)
            except BadInput as wrong:
                say(self.console, str(wrong), "yellow")

    async def _read_line(self, prompt: str, settled: _Settled) -> str | None:
        """Read a line; None at the end of input, and when somebody else has answered."""
        typed = asyncio.create_task(self.view.ask(prompt))
        try:
            await asyncio.wait({typed, settled}, return_when=asyncio.FIRST_COMPLETED)
            return (typed.result() or None) if typed.done() else None
        finally:
            typed.cancel()
            await asyncio.gather(typed, return_exceptions=True)  # the terminal is as it was before


def tell_plan(console: Console, run_id: str, proposal: Proposal) -> None:
    say(
        console,
        f"The plan waits for your approval until {format_datetime(proposal.deadline)}:",
        "bold",
    )
    _show_plan(console, proposal.plan)
    say(
        console,
        f"`{format_command('resume', run_id, options='--approve')}` approves it; --drop, --edit "
        "and --add change it, and --answer answers the planner.",
    )


def _show_plan(console: Console, plan: Plan) -> None:
    for angle in plan.assignments:
        say(console, f"  {angle.id} {angle.title}: {angle.question}")
    for number, question in enumerate(plan.questions, start=1):
        say(console, f"  Question {number}: {question}", "yellow")


async def ask_to_approve(
    runs: Runs, console: Console, view: View, run_id: str, proposal: Proposal
) -> bool:
    """Show a plan, and approve it as it is; False for `later`."""
    say(console, f"The plan, until {format_datetime(proposal.deadline)}:", "bold")
    _show_plan(console, proposal.plan)
    typed = await view.ask("Approve it as it is? (yes or later) ")
    if typed.strip().casefold() not in {"yes", "y"}:
        return False
    say(console, await runs.approve(run_id, Approval(by=name_person())))
    return True

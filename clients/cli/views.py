"""How a run's progress looks, and what the person at the terminal is asked meanwhile."""

import asyncio
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Column, Table
from rich.text import Text

from caveat.clients.arbitrations import Arbitrations
from caveat.clients.cli.console import is_animated, say
from caveat.clients.cli.tables import format_local_time
from caveat.clients.parsing import name_person, parse_ruling
from caveat.clients.problems import BadInput
from caveat.clients.runs import Runs
from caveat.contracts.contradiction import Contradiction, Hearing, Ruling, SideEvidence
from caveat.contracts.outcome import AssignmentProgress, AssignmentState, Progress
from caveat.contracts.phase import AWAITING, Phase
from caveat.contracts.plan import Approval, Plan, Proposal
from caveat.rendering.amounts import format_count, format_spending
from caveat.rendering.commands import format_command
from caveat.rendering.progress import ENDS, describe_assignment, describe_progress
from caveat.rendering.visible import sanitize_line
from caveat.rendering.words import describe_attempts, describe_side, format_datetime
from caveat.rules.contradictions.choices import describe_choice, format_options, list_letters

_FRAMES = 8  # drawings a second: the spinner turns smoothly, and the processor hardly notices

_SPARE_ROWS = 6
"""Rows of a terminal that the assignments leave free: a drawing that is taller cannot be erased."""

_STATE = 24  # characters such as `reading 10 of 20`, which a long title must leave room for

_STYLES = {
    AssignmentState.WAITING: "dim",
    AssignmentState.SEARCHING: "cyan",
    AssignmentState.READING: "cyan",
    AssignmentState.DONE: "green",
    AssignmentState.NOTHING_FOUND: "yellow",
    AssignmentState.FAILED: "red",
}


class View:
    def __init__(self, console: Console) -> None:
        self._console, self._began = console, time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Clear away what was drawn."""

    def show(self, progress: Progress) -> None:
        """Show where the run is."""

    def remark(self, sentence: str) -> None:
        say(self._console, sentence, "yellow")

    async def ask(self, prompt: str) -> str:
        self._console.print(prompt, end="", style="bold")
        return await read_line()

    def _measure_time(self) -> str:
        """Write since when it is shown as a clock does, for example `1:05`."""
        minutes, rest = divmod(int(time.monotonic() - self._began), 60)
        return f"{minutes}:{rest:02d}"


def create_view(console: Console) -> View:
    return LiveView(console) if is_animated(console) else LineView(console)


class LiveView(View):
    """Draws over itself: the step and the time, a bar, and a line an assignment."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._progress: Progress | None = None
        self._spinner = Spinner("dots", style="cyan")

    def __enter__(self) -> Self:
        # Each time anew: one that was stopped would draw over what was typed since.
        self._live = Live(
            console=self._console,
            get_renderable=self._draw,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()
        self._tick()
        return self

    def __exit__(self, *_: object) -> None:
        self._next.cancel()
        self._live.stop()

    def _tick(self) -> None:
        # Not by Rich's thread, which draws over what is printed while a drawing grows.
        self._live.refresh()
        self._next = asyncio.get_running_loop().call_later(1 / _FRAMES, self._tick)

    def show(self, progress: Progress) -> None:
        self._progress = progress

    async def ask(self, prompt: str) -> str:
        """Ask in the place of the drawing: the terminal itself edits a line."""
        self.__exit__()
        try:
            return await super().ask(prompt)
        finally:
            self.__enter__()

    def _draw(self) -> RenderableType:
        parts: list[RenderableType] = [self._build_head()]
        progress = self._progress
        if progress is not None and progress.phase is Phase.INVESTIGATING:
            total = sum(line.to_read for line in progress.assignments)
            read = sum(line.read for line in progress.assignments)
            table = Table.grid(
                Column(width=2), Column(width=30), Column(no_wrap=True), padding=(0, 1)
            )
            bar = ProgressBar(total=total, completed=read, width=30)
            table.add_row("", bar, f"{read} of {total} read")
            parts += [table] if total else []
        if progress is not None and progress.assignments:
            room = max(0, self._console.height - _SPARE_ROWS)
            parts.append(_build_assignments(progress.assignments, room, self._console.width))
        return Group(*parts)

    def _build_head(self) -> RenderableType:
        words, progress = "starting", self._progress
        if progress is not None:
            claims = sum(line.claims for line in progress.assignments)
            disputes = len(progress.contradictions)
            words = describe_progress(progress)
            words += f" · {format_count(claims, 'claim')} found" if claims else ""
            words += f" · {format_count(disputes, 'contradiction')}" if disputes else ""
            words += f" · {format_spending(progress)}" if progress.model_calls else ""
        text = Text(f"{words} · {self._measure_time()}", no_wrap=False)
        if progress is not None and progress.phase in ENDS:
            return text
        self._spinner.update(text=text)
        return self._spinner


def _build_assignments(lines: tuple[AssignmentProgress, ...], room: int, width: int) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    # A title gives way to the state: how far an angle is matters more than the end of its name.
    states = [sanitize_line(describe_assignment(line)) for line in lines[:room]]
    least = min(_STATE, max(map(len, states), default=0))
    ids = max((len(line.id) for line in lines[:room]), default=0)
    title = max(_STATE, min(60, width - ids - least - 6))  # less the margins of three columns
    table.add_column(no_wrap=True, style="dim")
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=title)
    table.add_column(no_wrap=True, overflow="ellipsis")
    for line, state in zip(lines, states, strict=False):
        words = Text(state, style=_STYLES[line.state])
        table.add_row(f"  {line.id}", Text(sanitize_line(line.title)), words)
    if len(lines) > room:
        table.add_row("", Text(f"and {len(lines) - room} more", style="dim"), "")
    return table


_SILENT_S = 30.0  # after which it is told that the run is still at work


class LineView(View):
    """Prints a line when something has changed, and after a silence."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._said: dict[str, str] = {}
        self._spoke = self._began

    def show(self, progress: Progress) -> None:
        words = describe_progress(progress)
        is_silent = time.monotonic() - self._spoke > _SILENT_S
        if progress.phase is Phase.TAKING_STOCK and self._said and not is_silent:
            return  # its count moves all the time
        if is_silent and not progress.phase.startswith(AWAITING):
            self._said.pop("", None)
        if self._said.get("") != words and progress.model_calls:
            # With the phase, or after a silence: each call would be a line.
            self._said[""] = words
            self._print(f"{words} · {format_spending(progress)}")
        self._say_once("", words)
        for line in progress.assignments:
            self._say_once(line.id, f"{line.id} {line.title}: {describe_assignment(line)}")

    def _say_once(self, key: str, words: str) -> None:
        if self._said.get(key) != words:
            self._said[key] = words
            self._print(words)

    def _print(self, words: str) -> None:
        self._spoke = time.monotonic()
        say(self._console, f"{self._measure_time()} {words}")


_LINE_BYTES = 4_096  # the longest line that a terminal hands over at once


async def read_line() -> str:
    """Read a line that was typed, without a thread, which nothing could interrupt."""
    loop, ready, descriptor = asyncio.get_running_loop(), asyncio.Event(), sys.stdin.fileno()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
    return os.read(descriptor, _LINE_BYTES).decode(errors="replace")


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
        """Show one contradiction and take a ruling; None where no worker tells of it."""
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
                # Before its reason is typed.
                parse_ruling(choice, "It is a choice.", name_person(), values)
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
    until = format_datetime(proposal.deadline)
    say(console, f"The plan waits for your approval until {until}:", "bold")
    _show_plan(console, proposal.plan)
    approves = f"`{format_command('resume', run_id, options='--approve')}` approves it"
    say(console, f"{approves}; --drop, --edit and --add change it, --answer answers the planner.")


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

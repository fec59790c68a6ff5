"""How a run's progress looks at a terminal."""

import asyncio
import time
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Column, Table
from rich.text import Text

from caveat.clients.cli.console import is_animated, say
from caveat.contracts.outcome import AssignmentProgress, AssignmentState, Progress
from caveat.contracts.phase import AWAITING, Phase
from caveat.contracts.plan import Proposal
from caveat.rendering.amounts import format_count, format_spending
from caveat.rendering.commands import format_command
from caveat.rendering.progress import ENDS, describe_assignment, describe_progress
from caveat.rendering.visible import sanitize_line
from caveat.rendering.words import format_datetime

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


def tell_plan(console: Console, run_id: str, proposal: Proposal) -> None:
    until = format_datetime(proposal.deadline)
    say(console, f"The plan waits for your approval until {until}:", "bold")
    for angle in proposal.plan.assignments:
        say(console, f"  {angle.id} {angle.title}: {angle.question}")
    for number, question in enumerate(proposal.plan.questions, start=1):
        say(console, f"  Question {number}: {question}", "yellow")
    approves = f"`{format_command('resume', run_id, options='--approve')}` approves it"
    say(console, f"{approves}; --drop, --edit and --add change it, --answer answers the planner.")

"""How a run's progress looks: alive on a terminal, line by line elsewhere."""

import asyncio
import os
import sys
import time
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Column, Table
from rich.text import Text

from caveat.clients.cli.console import is_animated, say
from caveat.clients.run_description import describe_assignment, describe_progress
from caveat.contracts.outcome import AssignmentProgress, AssignmentState, Progress
from caveat.contracts.phase import Phase
from caveat.rendering.amounts import format_count, format_spending
from caveat.rendering.visible import sanitize_line

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

_ENDS = frozenset({Phase.DONE, Phase.FAILED, Phase.CANCELLED})


def create_view(console: Console) -> "View":
    return LiveView(console) if is_animated(console) else LineView(console)


def format_elapsed(seconds: float) -> str:
    """Write a duration as a clock does, for example `1:05`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"


class LiveView:
    """Draws over itself: the step and the time, a bar, and a line an assignment."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = time.monotonic()
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

    def remark(self, sentence: str) -> None:
        say(self._console, sentence, "yellow")

    async def ask(self, prompt: str) -> str:
        """Ask in the place of the drawing: the terminal itself edits a line."""
        self.__exit__()
        try:
            return await _ask_line(self._console, prompt)
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
        text = Text(f"{words} · {format_elapsed(time.monotonic() - self._began)}", no_wrap=False)
        if progress is not None and progress.phase in _ENDS:
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


_SILENT_S = 30.0  # after which model calls alone are told: an answer takes a minute to write


class LineView:
    """Prints a line when something has changed, and only then."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = time.monotonic()
        self._said: dict[str, str] = {}
        self._spoke, self._calls = self._began, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to clear away."""

    def show(self, progress: Progress) -> None:
        words = describe_progress(progress)
        is_silent = time.monotonic() - self._spoke > _SILENT_S
        is_new = self._said.get("") != words or (is_silent and progress.model_calls > self._calls)
        if is_new and progress.model_calls:
            # With the phase, or after a silence: each call would be a line.
            self._said[""], self._calls = words, progress.model_calls
            self._print(f"{words} · {format_spending(progress)}")
        self._say_once("", words)
        for line in progress.assignments:
            self._say_once(line.id, f"{line.id} {line.title}: {describe_assignment(line)}")

    def remark(self, sentence: str) -> None:
        say(self._console, sentence)

    async def ask(self, prompt: str) -> str:
        return await _ask_line(self._console, prompt)

    def _say_once(self, key: str, words: str) -> None:
        if self._said.get(key) != words:
            self._said[key] = words
            self._print(words)

    def _print(self, words: str) -> None:
        self._spoke = time.monotonic()
        say(self._console, f"{format_elapsed(time.monotonic() - self._began)} {words}")


View = LiveView | LineView  # shows a run, and asks the user

_LINE_BYTES = 4_096  # the longest line that a terminal hands over at once


async def _ask_line(console: Console, prompt: str) -> str:
    console.print(prompt, end="", style="bold")
    return await read_line()


async def read_line() -> str:
    """Read a line that was typed, without a thread, which nothing could interrupt."""
    loop, ready, descriptor = asyncio.get_running_loop(), asyncio.Event(), sys.stdin.fileno()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
    return os.read(descriptor, _LINE_BYTES).decode(errors="replace")

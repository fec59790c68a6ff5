"""How a run's progress looks: alive on a terminal, line by line elsewhere."""

import time
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from caveat.clients.cli.console import is_animated, say
from caveat.clients.standings import assignment_words, headline
from caveat.contracts.progress import AssignmentProgress, AssignmentState, Phase, Progress
from caveat.rendering.amounts import spent_words
from caveat.rendering.visible import visible_line

_FRAMES = 8
"""Drawings a second: the spinner turns smoothly, and the processor hardly notices."""

_STYLES = {
    AssignmentState.WAITING: "dim",
    AssignmentState.SEARCHING: "cyan",
    AssignmentState.READING: "cyan",
    AssignmentState.DONE: "green",
    AssignmentState.NOTHING_FOUND: "yellow",
    AssignmentState.FAILED: "red",
}


def view(console: Console) -> "LiveView | LineView":
    """Choose the view that suits a console."""
    return LiveView(console) if is_animated(console) else LineView(console)


def elapsed(seconds: float) -> str:
    """Write a duration as a clock does, for example `1:05`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"


class LiveView:
    """Draws over itself: a spinner with the phase and the time, and a line an assignment."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = time.monotonic()
        self._progress: Progress | None = None
        self._spinner = Spinner("dots", style="cyan")
        self._live = Live(console=console, get_renderable=self._draw, refresh_per_second=_FRAMES)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, progress: Progress) -> None:
        """Show where the run is, from the next frame on."""
        self._progress = progress

    def remark(self, sentence: str) -> None:
        """Say something above the drawing, for good."""
        say(self._console, sentence, "yellow")

    def _draw(self) -> RenderableType:
        head = self._head()
        if self._progress is None or not self._progress.assignments:
            return head
        return Group(head, _assignments(self._progress.assignments))

    def _head(self) -> RenderableType:
        words = headline(self._progress) if self._progress else "waiting for a worker"
        if self._progress is not None and self._progress.model_calls:
            words += f" · {spent_words(self._progress)}"
        text = Text(f"{words} · {elapsed(time.monotonic() - self._began)}")
        if self._progress is not None and self._progress.phase in {
            *(Phase.DONE, Phase.FAILED, Phase.CANCELLED)
        }:
            return text
        self._spinner.update(text=text)
        return self._spinner


def _assignments(lines: tuple[AssignmentProgress, ...]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=60)
    table.add_column(no_wrap=True, overflow="ellipsis")
    for line in lines:
        words = Text(visible_line(assignment_words(line)), style=_STYLES[line.state])
        table.add_row(f"  {line.id}", Text(visible_line(line.title)), words)
    return table


class LineView:
    """Prints a line when something has changed, and only then."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = time.monotonic()
        self._said: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to clear away."""

    def show(self, progress: Progress) -> None:
        """Print what is new."""
        words = headline(progress)
        if self._said.get("") != words and progress.model_calls:
            # With the phase alone: each call would be a line.
            self._said[""] = words
            self._print(f"{words} · {spent_words(progress)}")
        self._say_once("", words)
        for line in progress.assignments:
            self._say_once(line.id, f"{line.id} {line.title}: {assignment_words(line)}")

    def remark(self, sentence: str) -> None:
        """Print a sentence."""
        say(self._console, sentence)

    def _say_once(self, key: str, words: str) -> None:
        if self._said.get(key) != words:
            self._said[key] = words
            self._print(words)

    def _print(self, words: str) -> None:
        say(self._console, f"{elapsed(time.monotonic() - self._began)} {words}")

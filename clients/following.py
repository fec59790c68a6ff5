"""Following a run from its start to its end."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from caveat.clients.run_description import Cause
from caveat.clients.runs import Closed, Runs
from caveat.contracts.outcome import Progress

_LIVELY_S = 10.0  # seconds during which a short run is followed closely
LIVELY_PAUSE_S = 0.2
"""Five looks a second: what the eye takes for movement; a look costs a millisecond."""
_CALM_PAUSE_S = 1.0  # one look a second: a long run changes no faster in a way that matters

SILENCE_S = 5.0
"""Seconds without an answer after which a person is told why; a worker that restarts needs less."""


@dataclass
class Follower:
    runs: Runs  # where it runs
    run_id: str
    show: Callable[[Progress], None]  # where it is, whenever that was asked
    remark: Callable[[str], None]  # what keeps it from going on
    # whether to stop following for now, by what the run says of itself
    pauses: Callable[[Progress], bool] = lambda _: False
    leaves: bool = False  # whether to stop following where no worker takes its tasks up
    # whether to go on following what only somebody else can set going again: a run that is wedged
    # or paused
    stays: bool = True
    # what on this machine lets no run go on, if anything
    obstacle: Callable[[], object] = lambda: None
    remarked: str | None = None  # what was said last of what keeps it from going on
    _seen: Progress | None = None
    _is_left: bool = False
    _is_stopped: bool = False

    async def follow(self) -> Closed | Progress | None:
        """Show the progress of the run until it has ended or pauses, or is left.

        Returns:
            How it ended, or where it is; None of a run that stands still and is left.
        """
        ending = asyncio.create_task(self.runs.wait_for_end(self.run_id))
        try:
            is_left = await self._watch(ending)
            if ending.done():
                return await ending
            return None if is_left else self._seen
        finally:
            ending.cancel()

    async def _watch(self, ending: asyncio.Task[Closed]) -> bool:
        """Look until it has ended or pauses; return whether it is left instead."""
        began = heard = moved = time.monotonic()
        told = False
        while not ending.done():
            before = self._seen
            if await self._look():
                heard = time.monotonic()
                if self._seen != before:
                    moved, told = heard, False
                if self._seen is not None and self.pauses(self._seen) and not ending.done():
                    return False
            now = time.monotonic()
            if not told and now - min(heard, moved) > SILENCE_S:
                obstacle = self.obstacle()
                self._is_stopped = obstacle is not None
                if obstacle is not None:
                    self._remark(str(obstacle))
                told = self._is_stopped or await self._explain_standstill()
                if (self._is_left and self.leaves) or (self._is_stopped and not self.stays):
                    return True
            lively = time.monotonic() - began < _LIVELY_S
            await asyncio.wait({ending}, timeout=LIVELY_PAUSE_S if lively else _CALM_PAUSE_S)
        await self._look()
        return False

    async def _look(self) -> bool:
        progress = await self.runs.query_progress(self.run_id)
        if progress is not None:
            self._seen = progress
            self.show(progress)
        return progress is not None

    async def _explain_standstill(self) -> bool:
        """Say why it does not move, and whether that need not be looked for again."""
        line = await self.runs.fetch_line(self.run_id)
        _, standstill = await self.runs.examine(line)
        cause = standstill and standstill.cause
        self._is_stopped, self._is_left = cause is Cause.STOPPED, cause is Cause.LEFT
        if standstill is not None and standstill.sentence != self.remarked:
            self._remark(standstill.sentence)
        return cause is not None and cause is not Cause.RETRYING

    def _remark(self, sentence: str) -> None:
        self.remarked = sentence
        self.remark(sentence)

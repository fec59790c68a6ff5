"""Following a run from its start to its end."""

import asyncio
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from caveat.clients.run_description import Cause, Closed, Standstill
from caveat.clients.runs import Runs
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
    leaves: Collection[Cause] = ()  # what to stop following for; else it is waited out
    # what on this machine lets no run go on, if anything
    obstacle: Callable[[], object] = lambda: None
    remarked: str | None = None  # what was said last of what keeps it from going on

    async def follow(self) -> Closed | Progress | None:
        """Show progress until the run ends or pauses; None where it stands still and is left."""
        ending = asyncio.create_task(self.runs.wait_for_end(self.run_id))
        began = heard = moved = time.monotonic()
        seen, told = None, False
        try:
            while not ending.done():
                progress = await self._look()
                if progress is not None:
                    heard = time.monotonic()
                    if progress != seen:
                        seen, moved, told = progress, heard, False
                    if self.pauses(progress) and not ending.done():
                        return progress
                if not told and time.monotonic() - min(heard, moved) > SILENCE_S:
                    if obstacle := self.obstacle():
                        standstill: Standstill | None = Standstill(Cause.STOPPED, str(obstacle))
                    else:
                        line = await self.runs.fetch_line(self.run_id)
                        _, standstill = await self.runs.examine(line)
                    if standstill and standstill.sentence != self.remarked:  # each once
                        self.remarked = standstill.sentence
                        self.remark(standstill.sentence)
                    cause = standstill.cause if standstill else None
                    told = cause not in {None, Cause.RETRYING}  # else it is looked for again
                    if cause in self.leaves and not ending.done():
                        return None
                lively = time.monotonic() - began < _LIVELY_S
                await asyncio.wait({ending}, timeout=LIVELY_PAUSE_S if lively else _CALM_PAUSE_S)
            await self._look()
            return await ending
        finally:
            ending.cancel()

    async def _look(self) -> Progress | None:
        progress = await self.runs.query_progress(self.run_id)
        if progress is not None:
            self.show(progress)
        return progress

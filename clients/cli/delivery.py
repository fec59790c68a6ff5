"""Bringing final reports to where their provisional ones were passed on.

Rulings are given anywhere: in another shell, by Temporal's own tools, in the Web UI. Whoever on
this machine sees that such a run has ended, `caveat up` or the next command, writes its report.
"""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from caveat.contracts.outcome import Outcome
from caveat.failures import PortFailure
from clients.cli.console import say
from clients.cli.output import Output
from clients.kept import kept_standing
from clients.problems import BadInput, NoSuchRun, OutOfReach
from clients.promises import Promise, Promises
from clients.standings import Closed, RunStatus
from workers.settings import Settings

if TYPE_CHECKING:  # what has ended is delivered from files, without anything of Temporal
    from clients.runs import Runs

LOOK_S = 5.0
"""Seconds between two looks of a process that serves: nobody waits for the file, and a look at
a run that still waits is one call of a millisecond."""


@dataclass
class Delivery:
    """The final reports that are to follow.

    Attributes:
        settings: of this process.
        console: where it is said what was written.
    """

    settings: Settings
    console: Console
    _told: set[str] = field(default_factory=set)

    @property
    def promises(self) -> Promises:
        """What is to be delivered."""
        return Promises(self.settings.promises_folder)

    def from_files(self) -> None:
        """Deliver what a worker on this machine has finished, without a server."""
        for promise in self.promises.open():
            stands = kept_standing(self.settings, promise.run_id)
            if stands is not None and stands.closed is not None:
                self._settle(promise, stands.closed)

    async def from_server(self, runs: "Runs", but: tuple[str, str] | None = None) -> None:
        """Deliver what has ended on a server; what it does not know waits for the one that does.

        Args:
            runs: of the server.
            but: run and folder of a promise that is fulfilled elsewhere.
        """
        for promise in self.promises.open():
            if (promise.run_id, promise.folder) == but:
                continue
            closed = await _ended(runs, promise.run_id)
            if closed is not None:
                await asyncio.to_thread(self._settle, promise, closed)

    async def keep_on(self, runs: "Runs") -> None:
        """Deliver for as long as this process serves."""
        while True:
            await self.from_server(runs)
            await asyncio.sleep(LOOK_S)

    def _settle(self, promise: Promise, closed: Closed) -> None:
        folder = Path(promise.folder)
        if not isinstance(closed, Outcome):
            self.promises.close(promise.run_id, folder)
            self._say(
                f"{promise.run_id} ended without a final report; {folder} keeps the provisional "
                f"one. {closed.message}"
            )
            return
        try:
            files = Output(self.settings).write(closed.report, promise.formats, folder)
        except PortFailure as failed:
            self._say(f"The final report of {promise.run_id} cannot be delivered: {failed}")
            return
        self._say(f"The final report of {promise.run_id} is in {Path(files[0].path).parent}")

    def _say(self, sentence: str) -> None:
        """Say something once: what cannot be delivered is tried again and again."""
        if sentence not in self._told:
            self._told.add(sentence)
            say(self.console, sentence)


async def _ended(runs: "Runs", run_id: str) -> Closed | None:
    try:
        line = await runs.line(run_id)
        return None if line.status is RunStatus.RUNNING else await runs.closed(run_id)
    except (NoSuchRun, OutOfReach, BadInput):
        return None

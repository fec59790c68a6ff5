"""Where a command writes reports, and how final ones come to where provisional ones went."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from caveat.adapters.files.artifacts import build_folder_name, write_artifact
from caveat.clients import publishing
from caveat.clients.cli.console import get_stderr, say
from caveat.clients.folders import require_writable
from caveat.clients.problems import BadInput, NoSuchRun, OutOfReach
from caveat.clients.run_description import Closed, read_kept_state
from caveat.contracts.outcome import Artifact, NamedEnd, Outcome
from caveat.contracts.plan import Format, ResearchRequest
from caveat.contracts.report import Report, ReportStatus
from caveat.failures import PortFailure
from caveat.problem import Problem
from caveat.workers.settings import Settings

if TYPE_CHECKING:  # what has ended is delivered from files, without anything of Temporal
    from caveat.clients.runs import Runs


@dataclass
class Output:
    settings: Settings

    def __post_init__(self) -> None:
        self._written = publishing.Written(self.settings.written_folder)

    def choose_folder(
        self, out: str | None, run_id: str, request: ResearchRequest | None = None
    ) -> Path:
        wanted = publishing.choose_report_folder(out, run_id)
        require_writable(wanted)
        revised = request.follow_up_of if request else None
        return self._choose_free_folder(wanted, revised, run_id)

    def write(
        self, report: Report, formats: tuple[Format, ...], wanted: Path
    ) -> tuple[Artifact, ...]:
        """Write a report where it replaces nothing but earlier files of its own."""
        # Where a provisional one was written, the final one follows, whoever rules
        # (`FinalReports`). A format that cannot be written costs no other: it is named, and missing
        # in the answer.
        revised = report.revision.of if report.revision else None
        with self._written.lock_run(report.run_id):
            folder = self._choose_free_folder(wanted, revised, report.run_id)
            files, problems = [], []
            for chosen in dict.fromkeys(formats):
                try:
                    content = publishing.build_file(report, chosen, self.settings)
                    file = write_artifact(folder / f"report.{chosen}", chosen, content)
                except PortFailure as failed:
                    problems.append(failed)
                    continue
                # At once: what a full disk has room for is no other run's, either.
                self._written.remember(report.run_id, (file,))
                files.append(file)
        if not files:
            raise problems[0]
        for problem in problems:
            say(get_stderr(), str(problem), "yellow")
        promises = publishing.Promises(self.settings.promises_folder)
        if report.status is ReportStatus.PROVISIONAL:
            promises.make(
                publishing.Promise(run_id=report.run_id, folder=str(folder), formats=tuple(formats))
            )
        else:
            promises.close(report.run_id, wanted)
            promises.close(report.run_id, folder)
        return tuple(files)

    def _choose_free_folder(self, wanted: Path, revised: str | None, run_id: str) -> Path:
        # Typed in the state folder, as in a container, it is where the run keeps the same.
        if wanted == self.settings.reports_folder.resolve() / build_folder_name(run_id):
            return wanted
        owners = (run_id,) if revised is None else (revised, run_id)
        folder = publishing.choose_free_folder(wanted, owners, self._written)
        if folder != wanted:
            other = "a report of another run, or one that was changed since it was written"
            goes = f"nothing in it is replaced, and this report goes to {folder}"
            say(get_stderr(), f"{wanted} holds {other}: {goes}.", "yellow")
        return folder


LOOK_S = 5.0
"""Seconds between two looks of a process that serves: nobody waits for the file, and a look at
a run that still waits is one call of a millisecond."""


@dataclass
class FinalReports:
    settings: Settings
    console: Console  # where it is said what was written
    _told: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.promises = publishing.Promises(self.settings.promises_folder)

    def deliver_from_files(self) -> None:
        """Deliver what a worker on this machine has finished, without a server."""
        for promise in self.promises.open():
            stands = read_kept_state(self.settings, promise.run_id)
            if stands is not None and isinstance(stands.closed, Outcome | NamedEnd):
                self._settle(promise, stands.closed)

    async def deliver_from_server(self, runs: "Runs") -> None:
        """Deliver what has ended on a server; what it does not know waits for the one that does."""
        for promise in self.promises.open():
            with suppress(NoSuchRun, OutOfReach, BadInput):
                if not (await runs.fetch_line(promise.run_id)).is_running:
                    closed = await runs.wait_for_end(promise.run_id)
                    await asyncio.to_thread(self._settle, promise, closed)

    async def keep_on(self, runs: "Runs") -> None:
        """Deliver for as long as this process serves; what fails is tried at the next look."""
        while True:
            try:
                await self.deliver_from_server(runs)
            except (OSError, Problem) as failed:
                self._say(f"Final reports cannot be delivered: {failed}")
            await asyncio.sleep(LOOK_S)

    def _settle(self, promise: publishing.Promise, closed: Closed) -> None:
        folder = Path(promise.folder)
        if not isinstance(closed, Outcome):
            self.promises.close(promise.run_id, folder)
            ended = f"{promise.run_id} ended without a final report"
            self._say(f"{ended}; {folder} keeps the provisional one. {closed.message}")
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

"""Where a command writes reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from caveat.adapters.files.artifacts import build_folder_name
from caveat.clients import publishing
from caveat.clients.cli.console import get_stderr, say
from caveat.clients.folders import require_writable
from caveat.contracts.outcome import Artifact
from caveat.contracts.plan import Format, ResearchRequest
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from caveat.workers.settings import Settings


@dataclass(frozen=True)
class Output:
    settings: Settings

    def choose_folder(
        self, out: str | None, run_id: str, request: ResearchRequest | None = None
    ) -> Path:
        wanted = publishing.choose_report_folder(out, run_id)
        require_writable(wanted)
        revised = request.follow_up_of if request else None
        return self._choose_free_folder(wanted, _list_owners(revised, run_id))

    def write(
        self,
        report: Report,
        formats: tuple[Format, ...],
        wanted: Path,
        kept: Sequence[Artifact] = (),
    ) -> tuple[Artifact, ...]:
        """Write a report where it replaces nothing but earlier files of its own."""
        # What the worker kept of the same report is copied; see `write_report`.
        # A format that cannot be written costs no other: it is named, and missing in the answer.
        revised = report.revision.of if report.revision else None
        folder = self._choose_free_folder(wanted, _list_owners(revised, report.run_id))
        files, problems = [], []
        for file in publishing.write_report(report, formats, folder, self.settings, kept):
            if isinstance(file, PortFailure):
                problems.append(file)
                continue
            # At once: what a full disk has room for is no other run's, either.
            self._written.remember(report.run_id, (file,))
            files.append(file)
        if not files:
            raise problems[0]
        for problem in problems:
            say(get_stderr(), str(problem), "yellow")
        return tuple(files)

    @property
    def _written(self) -> publishing.Written:
        return publishing.Written(self.settings.written_folder)

    def _choose_free_folder(self, wanted: Path, owners: Sequence[str]) -> Path:
        # Typed in the state folder, as in a container, it is where the run keeps the same.
        if wanted == self.settings.reports_folder.resolve() / build_folder_name(owners[-1]):
            return wanted
        folder = publishing.choose_free_folder(wanted, owners, self._written)
        if folder != wanted:
            say(
                get_stderr(),
                f"{wanted} holds a report of another run, or one that was changed since it was "
                f"written: nothing in it is replaced, and this report goes to {folder}.",
                "yellow",
            )
        return folder


def _list_owners(revised: str | None, run_id: str) -> tuple[str, ...]:
    return (run_id,) if revised is None else (revised, run_id)

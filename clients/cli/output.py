"""Where a command writes reports, replacing nothing of others."""

from dataclasses import dataclass
from pathlib import Path

from caveat.adapters.files.artifacts import build_folder_name, write_artifact
from caveat.clients import publishing
from caveat.clients.cli.console import get_stderr, say
from caveat.contracts.outcome import Artifact
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from caveat.workers.settings import Settings


@dataclass
class Output:
    settings: Settings

    def __post_init__(self) -> None:
        self._written = publishing.Written(self.settings.written_folder)

    def write(
        self, report: Report, formats: tuple[Format, ...], wanted: Path
    ) -> tuple[Artifact, ...]:
        """Write a report where it replaces nothing but earlier files of its own."""
        # A format that cannot be written costs no other: it is named, and missing in the answer.
        folder = self._choose_free_folder(wanted, report)
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
        return tuple(files)

    def _choose_free_folder(self, wanted: Path, report: Report) -> Path:
        # Typed in the state folder, as in a container, it is where the run keeps the same.
        if wanted == self.settings.reports_folder.resolve() / build_folder_name(report.run_id):
            return wanted
        owners = (*([report.revision.of] if report.revision else ()), report.run_id)
        folder = publishing.choose_free_folder(wanted, owners, self._written)
        if folder != wanted:
            other = "a report of another run, or one that was changed since it was written"
            goes = f"nothing in it is replaced, and this report goes to {folder}"
            say(get_stderr(), f"{wanted} holds {other}: {goes}.", "yellow")
        return folder

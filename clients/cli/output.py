"""Where a command writes a report, said where that is not what was asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from caveat.contracts.outcome import Artifact
from caveat.contracts.plan import Format, ResearchRequest
from caveat.contracts.report import Report, ReportStatus
from clients.cli.console import say, stderr
from clients.folders import require_writable
from clients.placing import Written, free_folder
from clients.promises import Promise, Promises
from clients.publishing import report_folder, write_report
from workers.settings import Settings


@dataclass(frozen=True)
class Output:
    """The place of the reports of one process.

    Attributes:
        settings: of the process.
    """

    settings: Settings

    def folder(self, out: str | None, run_id: str, request: ResearchRequest | None = None) -> Path:
        """Choose the folder for a run that is about to start.

        Raises:
            BadInput: nothing can be written there.
        """
        wanted = report_folder(out, run_id)
        require_writable(wanted)
        revised = request.follow_up_of if request else None
        return self._spared(wanted, _owners(revised, run_id))

    def write(
        self, report: Report, formats: tuple[Format, ...], wanted: Path
    ) -> tuple[Artifact, ...]:
        """Write a report where it replaces nothing but earlier files of its own.

        Where a provisional one was written, the final one follows, whoever rules: see `Delivery`.

        Raises:
            PortFailure: a file could not be written.
        """
        revised = report.revision.of if report.revision else None
        with self._written.alone(report.run_id):
            folder = self._spared(wanted, _owners(revised, report.run_id))
            files = write_report(report, formats, folder)
            self._written.remember(report.run_id, files)
        promises = Promises(self.settings.promises_folder)
        if report.status is ReportStatus.PROVISIONAL:
            promises.make(Promise(run_id=report.run_id, folder=str(folder), formats=tuple(formats)))
        else:
            promises.close(report.run_id, wanted)
            promises.close(report.run_id, folder)
        return files

    @property
    def _written(self) -> Written:
        return Written(self.settings.written_folder)

    def _spared(self, wanted: Path, owners: Sequence[str]) -> Path:
        folder = free_folder(wanted, owners, self._written)
        if folder != wanted:
            say(
                stderr(),
                f"{wanted} holds a report of another run, or one that was changed since it was "
                f"written: nothing in it is replaced, and this report goes to {folder}.",
                "yellow",
            )
        return folder


def _owners(revised: str | None, run_id: str) -> tuple[str, ...]:
    return (run_id,) if revised is None else (revised, run_id)

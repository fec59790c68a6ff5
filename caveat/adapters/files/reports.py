"""Reports and evidence as files, each run in a folder of its own."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from caveat import atomic, failures
from caveat.adapters.files.artifacts import PRIVATE, cannot_write, why, written
from caveat.adapters.files.folders import folder_name
from caveat.adapters.files.snapshots import FileSnapshots
from caveat.adapters.files.typst.compositor import compose
from caveat.contracts.outcome import Artifact, Evidence
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.contracts.seal import Seal
from caveat.failures import PortFailure
from caveat.rendering.bibliography import bibtex, csl
from caveat.rendering.brief import brief
from caveat.rendering.html import document
from caveat.rendering.markdown import render
from caveat.rules.audit import document_digest

EVIDENCE = "evidence.json"
"""Beside the reports of its run."""

SEAL = "seal.json"
"""Beside the evidence of its run."""

INDENT = 2
"""Spaces: report.json is read by people, too."""


@dataclass(frozen=True)
class FileReportStore:
    """Writes each run into its own folder, `<folder>/<run id>/`.

    Attributes:
        folder: where the runs' folders are; made when it is missing.
        texts: where the texts of sources are kept, in which quotes are shown where a format can.
    """

    folder: Path
    texts: Path | None = None

    async def publish(self, report: Report) -> tuple[Artifact, ...]:
        """Seal a report and write it in each of its formats; writing again replaces the files.

        Sealed first: a report that its run does not know must not lie about.

        Raises:
            PortFailure: a file could not be written, or the report could not be set as PDF.
        """
        return await asyncio.to_thread(self._publish, report)

    def _publish(self, report: Report) -> tuple[Artifact, ...]:
        digest = document_digest(_json(report))
        with self._sealing(report.run_id) as known:
            if digest not in known.reports:
                self._keep_seal(known.model_copy(update={"reports": (*known.reports, digest)}))
        return write(report, self._of(report.run_id), texts=self.texts)

    async def keep(self, evidence: Evidence) -> Artifact:
        """Write the evidence of a run to `evidence.json`.

        Raises:
            PortFailure: the file could not be written.
        """
        return await asyncio.to_thread(self._keep, evidence)

    def _keep(self, evidence: Evidence) -> Artifact:
        content = evidence.model_dump_json(indent=INDENT).encode() + b"\n"
        with self._sealing(evidence.run_id) as known:
            self._keep_seal(known.model_copy(update={"evidence": document_digest(content)}))
        return written(self._of(evidence.run_id) / EVIDENCE, Format.JSON, content)

    async def evidence(self, run_id: str) -> Evidence:
        """Read back the evidence that was kept of a run.

        Raises:
            PortFailure: nothing was kept of it, or it cannot be read any more.
        """
        return await asyncio.to_thread(_evidence, self._of(run_id) / EVIDENCE, run_id)

    async def seal(self, run_id: str) -> Seal | None:
        """Return what a run keeps of its reports, None where nothing is kept here.

        Raises:
            PortFailure: what is kept cannot be read.
        """
        return await asyncio.to_thread(_seal, self._of(run_id) / SEAL, run_id)

    async def evidence_digest(self, run_id: str) -> str | None:
        """Return the digest of the evidence of a run as it is now, None where none is kept here.

        Raises:
            PortFailure: it cannot be read, or is no JSON any more.
        """
        return await asyncio.to_thread(_digest, self._of(run_id) / EVIDENCE)

    @contextmanager
    def _sealing(self, run_id: str) -> Iterator[Seal]:
        """Hand out what is sealed of a run so far, to be kept anew before anybody else looks.

        A report and the evidence beside it are sealed at once, and not always by one process. What
        is damaged is begun anew.
        """
        folder = self._of(run_id)
        with ExitStack() as stack:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                stack.enter_context(atomic.alone(folder))
            except OSError as error:
                raise cannot_write(error, folder) from error
            try:
                kept = _seal(folder / SEAL, run_id)
            except PortFailure:
                kept = None
            yield kept or Seal(run_id=run_id)

    def _keep_seal(self, seal: Seal) -> None:
        content = seal.model_dump_json(indent=INDENT).encode() + b"\n"
        written(self._of(seal.run_id) / SEAL, Format.JSON, content)

    def _of(self, run_id: str) -> Path:
        return self.folder / folder_name(run_id)


def write(
    report: Report,
    folder: Path,
    mode: int = PRIVATE,
    formats: Sequence[Format] | None = None,
    *,
    texts: Path | None = None,
) -> tuple[Artifact, ...]:
    """Write a report into a folder, as `report.md`, `report.pdf`, `report.json`, `report.html`.

    Args:
        report: the report.
        folder: made when it is missing; files of the same name are replaced, each at once.
        mode: permissions of the files.
        formats: which files; those that the report names unless told.
        texts: where the texts of its sources are kept, if they are.

    Returns:
        The files, in the order of the formats.

    Raises:
        PortFailure: a file could not be written, or the report could not be set as PDF.
    """
    chosen_formats = dict.fromkeys(report.formats if formats is None else formats)
    return tuple(
        written(folder / f"report.{chosen}", chosen, content(report, chosen, texts), mode)
        for chosen in chosen_formats
    )


def content(report: Report, chosen: Format, texts: Path | None = None) -> bytes:
    """Write a report in one format.

    Args:
        report: the report.
        chosen: the format.
        texts: where the texts of its sources are kept, if they are.

    Raises:
        PortFailure: it could not be set as PDF.
    """
    if chosen is Format.HTML:
        return document(report, _texts(report, texts)).encode()
    return _CONTENT[chosen](report)


def _texts(report: Report, folder: Path | None) -> dict[str, str | None]:
    kept = FileSnapshots(folder) if folder is not None else None
    addresses = {source.snapshot_sha256 for source in report.sources} - {None}
    return {each: kept.text(each) if kept else None for each in addresses if each}


def _json(report: Report) -> bytes:
    return report.model_dump_json(indent=INDENT).encode() + b"\n"


def _markdown(report: Report) -> bytes:
    return render(report).encode()


_CONTENT: dict[Format, Callable[[Report], bytes]] = {
    Format.MARKDOWN: _markdown,
    Format.PDF: compose,
    Format.JSON: _json,
    Format.BRIEF: lambda report: brief(report).encode(),
    Format.BIB: lambda report: bibtex(report).encode(),
    Format.CSL: lambda report: csl(report).encode(),
}


def _seal(path: Path, run_id: str) -> Seal | None:
    try:
        kept = Seal.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValidationError:
        raise _damaged(path) from None
    except OSError as error:
        raise _unread(error, path) from error
    if kept.run_id != run_id:
        raise _damaged(path)
    return kept


def _damaged(path: Path) -> PortFailure:
    return failures.invalid(f"The seal in {path} is damaged or of another run.", resource=str(path))


def _digest(path: Path) -> str | None:
    try:
        return document_digest(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError:
        raise _unusable(path) from None
    except OSError as error:
        raise _unread(error, path) from error


def _evidence(path: Path, run_id: str) -> Evidence:
    try:
        kept = Evidence.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise failures.not_found(
            f"No evidence of the run {run_id} is kept in {path.parent}.", resource=run_id
        ) from None
    except ValidationError:
        raise _unusable(path) from None
    except OSError as error:
        raise _unread(error, path) from error
    # Whoever copies one run's folder over another's must not have it followed up under that name.
    if kept.run_id != run_id:
        raise _unusable(path)
    return kept


def _unusable(path: Path) -> PortFailure:
    return failures.invalid(
        f"The evidence in {path} is damaged, of another run or of another version of Caveat: "
        "research the topic anew.",
        resource=str(path),
    )


def _unread(error: OSError, path: Path) -> PortFailure:
    if isinstance(error, PermissionError):
        return failures.forbidden(f"{path} may not be read.", resource=str(path))
    if isinstance(error, IsADirectoryError):
        return _unusable(path)
    return failures.unavailable(f"{path} could not be read: {why(error)}.", resource=str(path))

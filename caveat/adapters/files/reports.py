"""Reports and evidence as blobs, each run in a folder of its own."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import ValidationError

from caveat import failures
from caveat.adapters.files.artifacts import folder_name
from caveat.adapters.files.snapshots import KeptSnapshots
from caveat.adapters.files.typst.compositor import compose
from caveat.contracts.audit import Seal
from caveat.contracts.base import Contract
from caveat.contracts.failure import FailureType
from caveat.contracts.outcome import Artifact, Evidence
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from caveat.ports import Blobs
from caveat.rendering.bibliography import bibtex, csl
from caveat.rendering.brief import brief
from caveat.rendering.markdown import render
from caveat.rules.audit import document_digest, read_stamp, report_digest, stamped

EVIDENCE = "evidence.json"  # beside the reports of its run
SEAL = "seal.json"  # beside the evidence of its run
INDENT = 2  # spaces: report.json is read by people, too


@dataclass(frozen=True)
class KeptReports:
    """Keeps each run in its own folder, `<workflow id>/`."""

    # Where a workflow id is used again, the files of the earlier run go to `<workflow id>/<run
    # id>/`.

    blobs: Blobs  # where the runs' folders are
    # where the texts of sources are kept, in which quotes are shown where a format can
    texts: KeptSnapshots | None = None

    async def publish(self, report: Report, execution: str = "") -> tuple[Artifact, ...]:
        """Seal a report and write it in each of its formats; writing again replaces the files."""
        # Sealed first: a report that its run does not know must not lie about.
        return await asyncio.to_thread(self._publish, report, execution)

    def _publish(self, report: Report, execution: str) -> tuple[Artifact, ...]:
        files = {each: content(report, each, self.texts) for each in report.formats}
        digest = report_digest(report)
        renderings = (read_stamp(each) for each in files.values())
        digests = [stamp.rendering for stamp, _ in filter(None, renderings)]

        def sealed(known: Seal) -> Seal:
            return known.model_copy(
                update={
                    "reports": tuple(dict.fromkeys((*known.reports, digest))),
                    "renderings": tuple(dict.fromkeys((*known.renderings, *digests))),
                }
            )

        self._seal(report.run_id, execution, sealed)
        return tuple(
            self._written(report.run_id, f"report.{chosen}", chosen, file)
            for chosen, file in files.items()
        )

    async def rendering(self, run_id: str, chosen: Format) -> bytes | None:
        """Return what a run published in one format, None where it is not kept here."""
        return await asyncio.to_thread(self._found, _name(run_id, f"report.{chosen}"))

    async def keep(self, evidence: Evidence, execution: str = "") -> Artifact:
        """Write the evidence of a run to `evidence.json`."""
        return await asyncio.to_thread(self._keep, evidence, execution)

    def _keep(self, evidence: Evidence, execution: str) -> Artifact:
        content = _json(evidence)
        digest = document_digest(content)
        self._seal(
            evidence.run_id,
            execution,
            lambda known: known.model_copy(update={"evidence": digest}),
        )
        return self._written(evidence.run_id, EVIDENCE, Format.JSON, content)

    async def evidence(self, run_id: str) -> Evidence:
        """Read back the evidence that was kept of a run."""
        return await asyncio.to_thread(self._evidence, run_id)

    async def seal(self, run_id: str) -> Seal | None:
        """Return what a run keeps of its reports, None where nothing is kept here."""
        return await asyncio.to_thread(self._sealed, run_id)

    async def evidence_digest(self, run_id: str) -> str | None:
        """Return the digest of the evidence of a run as it is now, None where none is kept here."""
        return await asyncio.to_thread(self._digest, run_id)

    def _seal(self, run_id: str, execution: str, change: Callable[[Seal], Seal]) -> None:
        """Change what is sealed of a run before anybody else looks."""
        # A report and the evidence beside it are sealed at once, and not always by one process.
        # What is damaged is begun anew.
        self._set_aside(run_id, execution)

        def changed(found: bytes | None) -> bytes:
            known = _read_seal(found, run_id) or Seal(run_id=run_id)
            return _json(change(known.model_copy(update={"execution": execution})))

        self.blobs.change(_name(run_id, SEAL), changed)

    def _set_aside(self, run_id: str, execution: str) -> None:
        """Keep what an earlier run of the same workflow id wrote; several may do so at once."""
        known = _read_seal(self._found(_name(run_id, SEAL)), run_id)
        if known is None or known.execution in {"", execution}:
            return
        for file in self.blobs.names(f"{folder_name(run_id)}/"):
            name = _name(run_id, file)
            found = None if file.endswith("/") else self._found(name)
            if found is None:
                continue
            aside = _name(run_id, f"{known.execution}/{file}")
            # What is there already stays: the other one may write its own files by now.
            self.blobs.keep(aside, found, lambda _: True)
            if file != SEAL and self._found(name) == self._found(aside):
                self.blobs.remove(name)

    def _sealed(self, run_id: str) -> Seal | None:
        name = _name(run_id, SEAL)
        found = self._found(name)
        if found is None:
            return None
        kept = _read_seal(found, run_id)
        if kept is None:
            where = self.blobs.where(name)
            said = f"The seal in {where} is damaged or of another run."
            raise failures.invalid(said, resource=where)
        return kept

    def _evidence(self, run_id: str) -> Evidence:
        name = _name(run_id, EVIDENCE)
        found = self._found(name)
        if found is None:
            raise failures.not_found(
                f"No evidence of the run {run_id} is kept in "
                f"{self.blobs.where(folder_name(run_id))}.",
                resource=run_id,
            )
        try:
            kept = Evidence.model_validate_json(found)
        except ValidationError:
            raise self._unusable(name) from None
        # Whoever copies one run's folder over another's must not have it followed up under that
        # name.
        if kept.run_id != run_id:
            raise self._unusable(name)
        return kept

    def _digest(self, run_id: str) -> str | None:
        name = _name(run_id, EVIDENCE)
        found = self._found(name)
        try:
            return None if found is None else document_digest(found)
        except ValueError:
            raise self._unusable(name) from None

    def _found(self, name: str) -> bytes | None:
        try:
            return self.blobs.get(name)
        except PortFailure as error:
            if error.failure.failure_type is FailureType.NOT_FOUND:
                return None
            raise

    def _unusable(self, name: str) -> PortFailure:
        where = self.blobs.where(name)
        return failures.invalid(
            f"The evidence in {where} is damaged, of another run or of another version of Caveat: "
            "research the topic anew.",
            resource=where,
        )

    def _written(self, run_id: str, name: str, chosen: Format, content: bytes) -> Artifact:
        name = _name(run_id, name)
        self.blobs.put(name, content)
        return Artifact(
            format=chosen,
            path=self.blobs.where(name),
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
        )


def _name(run_id: str, name: str) -> str:
    return f"{folder_name(run_id)}/{name}"


def content(report: Report, chosen: Format, texts: KeptSnapshots | None = None) -> bytes:
    """Write a report in one format.

    Args:
        texts: where the texts of its sources are kept, if they are.
    """
    if chosen is Format.HTML:
        from caveat.rendering.html import document  # noqa: PLC0415  # its templates load a language

        return stamped(document(report, _texts(report, texts)).encode(), chosen, report)
    if chosen is Format.WORD:
        from caveat.adapters.files.word import compose_word  # noqa: PLC0415  # rarely wanted

        return compose_word(report)
    return stamped(_CONTENT[chosen](report), chosen, report)


def _texts(report: Report, kept: KeptSnapshots | None) -> dict[str, str | None]:
    addresses = {source.snapshot_sha256 for source in report.sources} - {None}
    return {each: kept.text(each) if kept else None for each in addresses if each}


def _json(kept: Contract) -> bytes:
    return kept.model_dump_json(indent=INDENT).encode() + b"\n"


_CONTENT: dict[Format, Callable[[Report], bytes]] = {
    Format.MARKDOWN: lambda report: render(report).encode(),
    Format.PDF: compose,
    Format.JSON: _json,
    Format.BRIEF: lambda report: brief(report).encode(),
    Format.BIB: lambda report: bibtex(report).encode(),
    Format.CSL: lambda report: csl(report).encode(),
}


def _read_seal(found: bytes | None, run_id: str) -> Seal | None:
    """Read a seal; None where it is damaged, of another run, or not there."""
    try:
        kept = None if found is None else Seal.model_validate_json(found)
    except ValidationError:
        return None
    return kept if kept is not None and kept.run_id == run_id else None

"""Reports and evidence as blobs, each run in a folder of its own."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pydantic import ValidationError

from caveat import failures
from caveat.adapters.files.artifacts import build_folder_name, describe_artifact
from caveat.adapters.files.typst.compositor import compose
from caveat.contracts.audit import Seal
from caveat.contracts.base import Contract
from caveat.contracts.outcome import Artifact, Evidence
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.failures import PortFailure
from caveat.ports import Blobs
from caveat.rendering.bibliography import render_bibtex
from caveat.rendering.markdown import render, render_documents
from caveat.rendering.table import render_csv
from caveat.rules.audit.seal import add_stamp, hash_document, hash_report, read_stamp
from caveat.threads import wait_in_thread

EVIDENCE = "evidence.json"  # beside the reports of its run
SEAL = "seal.json"  # beside the evidence of its run
INDENT = 2  # spaces: report.json is read by people, too


@dataclass(frozen=True)
class KeptReports:
    """Keeps each run in its own folder, `<workflow id>/`."""

    # Where a workflow id is used again, the files of the earlier run go to `<workflow id>/<run
    # id>/`.

    blobs: Blobs  # where the runs' folders are

    @wait_in_thread
    def publish(self, report: Report, chosen: Format, execution: str = "") -> Artifact:
        """Seal a report and write it in one format; writing again replaces the file."""
        # Sealed first, as it is written, with every field: a report that its run does not know must
        # not lie about.
        report = Report.model_validate_json(report.model_dump_json())
        file = encode_report(report, chosen)
        digest, stamped = hash_report(report), read_stamp(file)
        digests = (stamped[0].rendering,) if stamped else ()

        def add_digests(known: Seal) -> Seal:
            return known.model_copy(
                update={
                    "reports": tuple(dict.fromkeys((*known.reports, digest))),
                    "renderings": tuple(dict.fromkeys((*known.renderings, *digests))),
                }
            )

        self._seal(report.run_id, execution, add_digests)
        return self._put_artifact(report.run_id, f"report.{chosen}", chosen, file)

    @wait_in_thread
    def keep(self, evidence: Evidence, execution: str = "") -> Artifact:
        """Write the evidence of a run to `evidence.json`."""
        content = _encode_json(evidence)
        digest = hash_document(content)
        self._seal(
            evidence.run_id, execution, lambda known: known.model_copy(update={"evidence": digest})
        )
        return self._put_artifact(evidence.run_id, EVIDENCE, Format.JSON, content)

    def _seal(self, run_id: str, execution: str, change: Callable[[Seal], Seal]) -> None:
        """Change what is sealed of a run before anybody else looks."""
        # A report and the evidence beside it are sealed at once, and not always by one process.
        # What is damaged is begun anew.
        self._set_aside(run_id, execution)

        def update_seal(content: bytes | None) -> bytes:
            known = _read_seal(content, run_id) or Seal(run_id=run_id)
            return _encode_json(change(known.model_copy(update={"execution": execution})))

        self.blobs.change(_name(run_id, SEAL), update_seal)

    def _set_aside(self, run_id: str, execution: str) -> None:
        """Keep what an earlier run of the same workflow id wrote; several may do so at once."""
        known = _read_seal(self.blobs.get(_name(run_id, SEAL)), run_id)
        if known is None or known.execution in {"", execution}:
            return
        for file in self.blobs.list_names(f"{build_folder_name(run_id)}/"):
            name = _name(run_id, file)
            content = None if file.endswith("/") else self.blobs.get(name)
            if content is None:
                continue
            aside = _name(run_id, f"{known.execution}/{file}")
            # What is there already stays: the other one may write its own files by now.
            self.blobs.keep(aside, content, lambda _: True)
            if file != SEAL and self.blobs.get(name) == self.blobs.get(aside):
                self.blobs.remove(name)

    @wait_in_thread
    def seal(self, run_id: str) -> Seal | None:
        """Return what a run keeps of its reports, None where nothing is kept here."""
        name = _name(run_id, SEAL)
        content = self.blobs.get(name)
        if content is None:
            return None
        seal = _read_seal(content, run_id)
        if seal is None:
            where = self.blobs.locate(name)
            problem = f"The seal in {where} is damaged or of another run."
            raise failures.invalid(problem, resource=where)
        return seal

    @wait_in_thread
    def read_evidence(self, run_id: str) -> Evidence:
        name = _name(run_id, EVIDENCE)
        content = self.blobs.get(name)
        if content is None:
            raise failures.not_found(
                f"No evidence of the run {run_id} is kept in "
                f"{self.blobs.locate(build_folder_name(run_id))}.",
                resource=run_id,
            )
        with suppress(ValidationError):
            evidence = Evidence.model_validate_json(content)
            # One run's folder may be copied over another's.
            if evidence.run_id == run_id:
                return evidence
        raise self._build_failure(name)

    @wait_in_thread
    def hash_evidence(self, run_id: str) -> str | None:
        """Return the digest of the evidence of a run as it is now, None where none is kept here."""
        name = _name(run_id, EVIDENCE)
        content = self.blobs.get(name)
        try:
            return None if content is None else hash_document(content)
        except ValueError:
            raise self._build_failure(name) from None

    def _build_failure(self, name: str) -> PortFailure:
        where = self.blobs.locate(name)
        return failures.invalid(
            f"The evidence in {where} is damaged, of another run or of another version of Caveat: "
            "research the topic again.",
            resource=where,
        )

    def _put_artifact(self, run_id: str, name: str, chosen: Format, content: bytes) -> Artifact:
        name = _name(run_id, name)
        self.blobs.put(name, content)
        return describe_artifact(self.blobs.locate(name), chosen, content)


def _name(run_id: str, name: str) -> str:
    return f"{build_folder_name(run_id)}/{name}"


def encode_report(report: Report, chosen: Format, questions: Sequence[Report] = ()) -> bytes:
    """Write a report in one format; reports of what was asked on are columns of a table."""
    if chosen is Format.HTML:
        from caveat.rendering.html.document import render_document  # noqa: PLC0415  # its templates load a language

        return add_stamp(render_document(report).encode(), chosen, report)
    if chosen is Format.WORD:
        from caveat.adapters.files.word import compose_word  # noqa: PLC0415  # rarely wanted

        return compose_word(report)
    if chosen in _TABLES:
        return add_stamp(_TABLES[chosen](report, questions).encode(), chosen, report)
    return add_stamp(_CONTENT[chosen](report), chosen, report)


def _encode_json(model: Contract) -> bytes:
    return model.model_dump_json(indent=INDENT).encode() + b"\n"


_CONTENT: dict[Format, Callable[[Report], bytes]] = {
    Format.MARKDOWN: lambda report: render(report).encode(),
    Format.PDF: compose,
    Format.JSON: _encode_json,
    Format.BIB: lambda report: render_bibtex(report).encode(),
}

_TABLES = {Format.CSV: render_csv, Format.TABLE: render_documents}


def _read_seal(content: bytes | None, run_id: str) -> Seal | None:
    """Read a seal; None where it is damaged, of another run, or not there."""
    try:
        seal = None if content is None else Seal.model_validate_json(content)
    except ValidationError:
        return None
    return seal if seal is not None and seal.run_id == run_id else None

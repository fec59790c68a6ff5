"""The seal: the digests that a run keeps of its reports, and that renderings carry."""

import hashlib
import json
import re

from pydantic import ValidationError

from caveat.contracts.audit import Check, Finding, Seal, SealState, Stamp
from caveat.contracts.plan import Format
from caveat.contracts.report import Report


def hash_document(document: str | bytes) -> str:
    """Return the SHA-256 of a JSON document in canonical form: keys in order, no white space."""
    return _hash_json(json.loads(document))


def hash_report(report: Report) -> str:
    """Return the SHA-256 of a report in canonical form, by which its run seals it.

    It shows every change, and proves nothing to somebody who distrusts the machine that keeps it.
    What its writer did not write is left out: a field that a later version adds, or another
    default, does not change what an earlier one sealed.
    """
    return _hash_json(report.model_dump(mode="json", exclude_unset=True))


def _hash_json(document: object) -> str:
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def check_seal(
    report: Report, seal: Seal | None, evidence: str | None
) -> tuple[SealState, tuple[Finding, ...]]:
    """Compare a report with what its run keeps, and name what the seal does not cover.

    Args:
        seal: None where it is not at hand.
        evidence: digest of the evidence that is at hand, None where none is.
    """
    if seal is None:
        return SealState.NOT_HERE, ()
    state = SealState.MATCHES if hash_report(report) in seal.reports else SealState.DIFFERS
    problems = []
    if state is SealState.DIFFERS:
        problems.append(("report", "It is not as its run published it: it was changed since."))
    if seal.evidence and evidence and evidence != seal.evidence:
        problems.append(("evidence", "The run's evidence was changed after it was kept."))
    return state, tuple(Finding(check=Check.SEAL, where=w, message=m) for w, m in problems)


_COMMENTS = {
    Format.MARKDOWN: ("<!-- ", " -->"),
    Format.TABLE: ("<!-- ", " -->"),
    Format.HTML: ("<!-- ", " -->"),
    Format.BIB: ("@comment{", "}"),
    Format.PDF: ("% ", ""),  # behind the end of a PDF readers look for nothing
}
"""What a reader passes over, in the formats that have such a thing."""

_STAMP = re.compile(rb"\n?(?:<!-- |% |@comment\{)caveat-seal (\{[^\n{}]*\})(?: -->|\})?\s*\Z")

_ENDS = re.compile("[>{}@]")

_PDF = b"%PDF-"


def add_stamp(content: bytes, chosen: Format, report: Report) -> bytes:
    """Put the seal of a report behind a rendering, where its format has room for one."""
    if chosen not in _COMMENTS:
        return content
    stamp = Stamp(
        run_id=report.run_id, report=hash_report(report), rendering=hash_rendering(content)
    )
    # No run's id may end the comment.
    fields = _ENDS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(stamp.model_dump())[1:-1])
    begin, end = _COMMENTS[chosen]
    return content + f"\n{begin}caveat-seal {{{fields}}}{end}\n".encode()


def read_stamp(document: bytes) -> tuple[Stamp, bytes] | None:
    """Take a rendering apart into its seal and all that comes before; None where it has no seal."""
    match = _STAMP.search(document, max(0, len(document) - 2_000))
    if match is None:
        return None
    try:
        return Stamp.model_validate_json(match[1]), document[: match.start()]
    except ValidationError:
        return None


def hash_rendering(content: bytes) -> str:
    """Return the SHA-256 of a rendering; ends of lines, which mail changes, are no text."""
    if not content.startswith(_PDF):
        content = b"\n".join(line.rstrip() for line in content.splitlines()).rstrip()
    return hashlib.sha256(content).hexdigest()

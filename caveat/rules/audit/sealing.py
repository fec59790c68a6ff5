"""Sealing: a digest of everything that a document says, whatever its white space and order of keys.

It finds every change, also where nothing can be computed anew: a title, a time, a price. It proves
nothing to somebody who distrusts the machine that keeps it, for who may write there may seal anew.
"""

import hashlib
import json

from caveat.contracts.audit import Check, Finding, Seal, SealState
from caveat.contracts.report import Report
from caveat.rules.audit.recomputation import OLDER


def document_digest(document: str | bytes) -> str:
    """Return the SHA-256 of a JSON document in canonical form: keys in order, no white space.

    Of the document as it is and not of a model of it, so that a field that a later version adds
    does not change what an earlier one sealed.

    Raises:
        ValueError: it is not JSON.
    """
    canonical = json.dumps(json.loads(document), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def compared(report: Report, document: bytes, seal: Seal | None) -> SealState:
    """Compare a report with what its run keeps.

    Args:
        report: the report.
        document: the JSON that it was read from.
        seal: of its run; None where it is not at hand.
    """
    if seal is None:
        return SealState.NEVER_SEALED if report.schema_version == OLDER else SealState.NOT_HERE
    return SealState.MATCHES if document_digest(document) in seal.reports else SealState.DIFFERS


def seal_findings(state: SealState, seal: Seal | None, evidence: str | None) -> tuple[Finding, ...]:
    """Name what a seal does not cover.

    Args:
        state: of the report.
        seal: of its run.
        evidence: digest of the evidence that is at hand, None where none is.
    """
    found = []
    if state is SealState.DIFFERS:
        found.append(_finding("report", "It is not as its run published it: it was changed since."))
    if seal and seal.evidence and evidence and evidence != seal.evidence:
        found.append(_finding("evidence", "The run's evidence was changed after it was kept."))
    return tuple(found)


def _finding(where: str, message: str) -> Finding:
    return Finding(check=Check.SEAL, where=where, message=message)

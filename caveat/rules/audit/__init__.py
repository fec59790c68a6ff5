"""The audit of a report: everything that code can check on it, and the seal it keeps."""

from caveat.rules.audit.checks import (
    audit,
    compared,
    document_digest,
    report_digest,
    seal_findings,
)
from caveat.rules.audit.prose import prose_findings

__all__ = [
    "audit",
    "compared",
    "document_digest",
    "prose_findings",
    "report_digest",
    "seal_findings",
]

"""The audit of a report: everything that code can check on it, and the seal it keeps."""

from caveat.rules.audit.checks import (
    audit,
    compared,
    document_digest,
    report_digest,
    seal_findings,
)

__all__ = [
    "audit",
    "compared",
    "document_digest",
    "report_digest",
    "seal_findings",
]

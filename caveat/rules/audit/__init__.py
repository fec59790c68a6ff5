"""The audit of a report: everything that code can check on it, and the seal it keeps."""

from caveat.rules.audit.checks import (
    audit,
    compared,
    document_digest,
    report_digest,
    seal_findings,
)
from caveat.rules.audit.cutting import without_faults
from caveat.rules.audit.rendered import changes, read_stamp, rendering_digest, stamped

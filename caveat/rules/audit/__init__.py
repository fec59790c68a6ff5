"""The audit of a report: everything that code checks on it, and the seal it keeps."""

from caveat.rules.audit.checks import audit, build_report_grounds, remove_faults
from caveat.rules.audit.seal import (
    add_stamp,
    check_seal,
    compare_with_seal,
    hash_document,
    hash_rendering,
    hash_report,
    read_stamp,
)

"""The audit of a report: everything that code can check on it, and the seal it keeps."""

from caveat.rules.audit.checks import (
    audit,
    check_seal,
    compare_with_seal,
    hash_document,
    hash_report,
)
from caveat.rules.audit.cutting import remove_faults
from caveat.rules.audit.rendered import add_stamp, find_changed_lines, hash_rendering, read_stamp

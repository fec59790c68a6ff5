"""The seal: what a run keeps of its reports, so that whoever changes one later is found."""

from enum import StrEnum

from caveat.contracts.base import Contract


class Seal(Contract):
    """The digests that a run keeps, as `caveat.rules.audit.document_digest` makes them.

    Attributes:
        run_id: workflow id.
        reports: of every report that it published, oldest first; the provisional ones stay good.
        evidence: of the evidence that it kept; None before it has.
    """

    run_id: str
    reports: tuple[str, ...] = ()
    evidence: str | None = None


class SealState(StrEnum):
    """What comparing a report with its run's seal gave."""

    MATCHES = "matches"
    """The run published exactly this report."""
    DIFFERS = "differs"
    """The run published reports, and this is none of them."""
    NOT_HERE = "not_here"
    """The run's seal is not on this machine, so nobody here can tell."""
    NEVER_SEALED = "never_sealed"
    """The report is of a version that did not seal."""

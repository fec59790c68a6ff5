"""What an audit found, and the seal by which it finds a report that was changed later."""

from enum import StrEnum

from caveat.contracts.base import Contract, Count, Share


class Seal(Contract):
    """The digests that a run keeps."""

    run_id: str  # workflow id
    reports: tuple[str, ...] = ()  # of every report published, oldest first; provisional ones too
    renderings: tuple[str, ...] = ()  # of every rendering that it published
    evidence: str | None = None  # of the evidence that it kept; None before it has
    execution: str = ""  # Temporal's run id of the writer of the files next to it; empty if unknown


class Stamp(Contract):
    run_id: str  # workflow id
    report: str  # digest of the report, as in `Seal.reports`
    rendering: str  # digest of everything in the file before this


class SealState(StrEnum):
    """Result of comparing a report with its run's seal."""

    MATCHES = "matches"  # the run published exactly this report
    DIFFERS = "differs"  # the run published other reports
    NOT_HERE = "not_here"  # the run's seal is not on this machine, so nobody here can tell


class Check(StrEnum):
    """The checks that code makes on a report."""

    QUOTE = "quote"  # `snapshot[start:end] == quote` for every claim
    CITATION = "citation"
    """Every marker names a claim of the report that says the same as the sentence, every claim a
    source that was read."""
    COVERAGE = "coverage"
    """Enough factual sentences carry a citation, and the share that was verified is right."""
    NUMBER = "number"  # every number stands in what its own sentence cites
    LEDGER = "ledger"  # every confidence is the sum of its steps
    CONTRADICTION = "contradiction"
    """Contested claims are marked, and nothing rests on what was overruled."""
    SEAL = "seal"  # the report is the one that its run published


class Finding(Contract):
    check: Check
    where: str
    message: str


class Audit(Contract):
    """The result of an audit, which passes without findings."""

    findings: tuple[Finding, ...] = ()  # what is wrong, in report order
    coverage: Share  # share of factual sentences that carry a citation, 0 to 1
    quotes: Count  # quotes checked
    uncompared: Count = 0  # quotes of a run of another machine whose texts are not here
    citations: Count  # citation markers checked
    numbers: Count  # numbers checked
    steps: Count  # ledger steps checked
    contradictions: Count = 0  # contradictions checked
    seal: SealState | None = None  # whether it is as its run published it; None where not asked

    @property
    def passed(self) -> bool:
        return not self.findings

    @property
    def is_of_other_rules(self) -> bool:
        """Whether another version wrote the report, by other rules."""
        # A report is published once its audit passes. So what is wrong with one that nobody changed
        # since, and is not about the texts of its sources, is a matter of the rules.
        of_texts = (Check.QUOTE, Check.SEAL)
        is_untouched = self.seal is SealState.MATCHES
        return is_untouched and any(each.check not in of_texts for each in self.findings)

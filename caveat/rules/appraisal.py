"""How sure a section and a report are, as ledgers."""

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.confidence import Confidence
from caveat.contracts.investigation import Findings
from caveat.contracts.plan import QuorumPolicy
from caveat.rules.confidence import Ledger
from caveat.rules.quorum import Standing, standing

DOUBT_LEFT = 0.5
"""Share of the doubt that each independent source leaves: one source halves it, two quarter it."""

WEAKENED = 0.90
"""What a partial result is worth."""

UNREAD = 0.5
"""Weight of the documents that could not be read: some of them would have changed nothing."""


def section_confidence(findings: Findings, used: Sequence[Claim]) -> Confidence:
    """Appraise one angle from the claims that its section uses.

    Credibility of the sources on average, times what their number is worth, times 0.90 when the
    assignment is only partly done, however much of it; 0 without claims.
    """
    ledger = Ledger()
    if not used:
        return ledger.start("no claim was found for this angle", 0.0).close()
    by_source = {claim.source_id: claim.credibility for claim in used}
    count = len(by_source)
    plural = "source" if count == 1 else "sources"
    ledger.start(f"mean credibility of {count} cited {plural}", fmean(by_source.values()))
    ledger.multiply(f"{count} independent {plural}", 1 - DOUBT_LEFT**count)
    if standing(findings.completeness) is not Standing.WHOLE:
        ledger.multiply(f"{findings.failed} of {findings.attempted} tasks failed", WEAKENED)
    return ledger.close()


class Angle(NamedTuple):
    """One angle of a report: how sure its section is, and how its assignment counts."""

    title: str
    confidence: Confidence
    standing: Standing

    @property
    def answered(self) -> bool:
        """Whether there is evidence, from an assignment that counts."""
        return self.confidence.value > 0 and self.standing is not Standing.MISSING


def report_confidence(
    angles: Sequence[Angle],
    policy: QuorumPolicy,
    *,
    readable: int,
    unreadable: int,
) -> Confidence:
    """Appraise a whole report.

    Args:
        angles: every angle, in plan order.
        policy: what a missing angle costs.
        readable: documents that could be searched and read.
        unreadable: documents that could not.
    """
    ledger = Ledger()
    found = [angle.confidence.value for angle in angles if angle.answered]
    ledger.start(f"mean confidence of {len(found)} answered angles", fmean(found) if found else 0.0)
    for angle in angles:
        if not angle.answered:
            ledger.subtract(_want(angle), policy.penalty)
    if unreadable:
        share = unreadable / (readable + unreadable)
        reason = f"{unreadable} of {readable + unreadable} documents could not be read"
        ledger.multiply(reason, 1 - UNREAD * share)
    return ledger.close()


def _want(angle: Angle) -> str:
    if angle.confidence.value == 0:
        return f"nothing on “{angle.title}”"
    return f"too much of “{angle.title}” failed for it to count"

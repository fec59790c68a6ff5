"""How sure a section and a report are, as ledgers."""

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.confidence import Confidence
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.debate import Debate
from caveat.contracts.investigation import Findings
from caveat.contracts.plan import QuorumPolicy
from caveat.rules.confidence import Ledger
from caveat.rules.contest import usable
from caveat.rules.debate import DEBATE
from caveat.rules.ladder import members
from caveat.rules.quorum import Standing, standing

DOUBT_LEFT = 0.5
"""Share of the doubt that each independent source leaves: one source halves it, two quarter it."""

WEAKENED = 0.90
"""What a partial result is worth."""

UNREAD = 0.5
"""Weight of the documents that could not be read: some of them would have changed nothing."""

UNSETTLED = 0.5
"""Weight of the claims that nobody could settle: either side of a contradiction may hold, so half
of what they say does."""


def section_confidence(
    findings: Findings, used: Sequence[Claim], contradictions: Sequence[Contradiction] = ()
) -> Confidence:
    """Appraise one angle from the claims that its section uses.

    Credibility of the sources on average, times what their number is worth, times 0.90 when the
    assignment is only partly done, however much of it; 0 without claims. Then the doubt of what is
    not settled: 1 - 0.5 × the share of such claims among those used and those withheld as
    uncertain. A claim that was upheld, or that holds beside another, costs nothing.

    Args:
        findings: what the angle brought, its claims marked by `contest.contested`.
        used: the claims that its section cites.
        contradictions: all of the run, as they stand.
    """
    ledger = Ledger()
    if not used:
        return ledger.start(_emptiness(findings), 0.0).close()
    by_source = {claim.source_id: claim.credibility for claim in used}
    count = len(by_source)
    plural = "source" if count == 1 else "sources"
    ledger.start(f"mean credibility of {count} cited {plural}", fmean(by_source.values()))
    ledger.multiply(f"{count} independent {plural}", 1 - DOUBT_LEFT**count)
    if standing(findings.completeness) is not Standing.WHOLE:
        ledger.multiply(f"{findings.failed} of {findings.attempted} tasks failed", WEAKENED)
    _doubt(ledger, findings, used, contradictions)
    return ledger.close()


def _emptiness(findings: Findings) -> str:
    if findings.claims and not any(usable(claim) for claim in findings.claims):
        return "every claim found for this angle is overruled or uncertain"
    return "no claim was found for this angle"


def _doubt(
    ledger: Ledger,
    findings: Findings,
    used: Sequence[Claim],
    contradictions: Sequence[Contradiction],
) -> None:
    """Lower the confidence by what nobody could settle, or nobody has settled yet."""
    undecided = {
        name for each in contradictions if each.is_open for side in members(each) for name in side
    }
    cited = {claim.id for claim in used}
    withheld = {claim.id for claim in findings.claims if claim.state is ClaimState.UNCERTAIN}
    doubtful = len((cited & undecided) | withheld)
    if doubtful:
        of = len(cited | withheld)
        verb = "is" if doubtful == 1 else "are"
        ledger.multiply(
            f"{doubtful} of {of} claims {verb} not settled", 1 - UNSETTLED * doubtful / of
        )


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
    debate: Debate | None = None,
) -> Confidence:
    """Appraise a whole report.

    Args:
        angles: every angle, in plan order.
        policy: what a missing angle costs.
        readable: documents that could be searched and read.
        unreadable: documents that could not.
        debate: who took part in the debate; None when there was nothing to debate.
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
    for participant in debate.missing if debate else ():
        ledger.subtract(f"the {participant} did not take part in the debate", DEBATE.penalty)
    return ledger.close()


def _want(angle: Angle) -> str:
    if angle.confidence.value == 0:
        return f"nothing on “{angle.title}”"
    return f"too much of “{angle.title}” failed for it to count"

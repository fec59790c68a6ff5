"""How sure a section and a report are, as ledgers: more missing never makes either surer.

Every step is monotone in what it is made of, and each rounds once, so that what is lost can only
lower a value or leave it. tests/caveat/rules/report/test_appraisal.py holds the rules to that.
"""

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction, ContradictionState
from caveat.contracts.debate import Debate, Participant
from caveat.contracts.report import Basis, Confidence, Effort, Method
from caveat.rules.lines import pluralise
from caveat.rules.report.backing import AnswerBacking, start_with
from caveat.rules.report.confidence import Ledger
from caveat.rules.run.quorum import DEBATE, Contribution, rate_completeness

DOUBT_LEFT = 0.5
"""Share of the doubt that each independent source leaves: one source halves it, two quarter it.
The best source counts first, so that a weak one beside good ones can only add."""

NAMED = 5
"""Sources whose credibility a step names: the sixth one moves the value by less than 0.02."""

DISPUTED = 0.5
"""What a source counts whose every claim here is a side of an open contradiction: either side may
hold, so half of what they say does. As a factor of its own it cannot make up for a lost source."""

WEAKENED = 0.90
"""What a partial result is worth."""

UNREAD = 0.5
"""Weight of what could not be read or was left out: some of it would have changed nothing."""

COMPARED = {
    Method.RULES: ("the claims were compared by rules alone, in place of a model", 0.90),
    Method.NONE: ("the claims could not be compared", 0.50),
}
"""What a weaker comparison leaves: rules see fewer contradictions than a model, and of claims that
nobody compared either of two that disagree may hold."""

WHILE_DISPUTED = 0.74
"""Most that a report may have while a contradiction touches its answer: moderate."""

BY_WORDS_ALONE = 0.60
"""Most that a report without a language model may have: moderate; a passage that has every word of
a question may still say something else."""

UNANSWERED = 0.24
"""Most that a report may have that does not answer its question: very low."""

UNSETTLED = 0.90
"""What each contradiction leaves that nobody settled, or has settled yet: the section that it
concerns answers a part of its question with a question."""


def appraise_section(
    effort: Effort, used: Sequence[Claim], contradictions: Sequence[Contradiction] = ()
) -> Confidence:
    """Appraise one angle from the claims that its section uses.

    The credibility of each source, the best first and each weighing half of the one before: with n
    equal ones that is their credibility times 1 - 0.5^n. A source all of whose claims are disputed
    weighs half. Times 0.90 when the assignment is only partly done, however much of it; 0 without
    claims. A claim that was upheld, or that holds beside another, costs nothing.
    """
    ledger = Ledger()
    if not used:
        unused = f"none of the claims found for this angle ({effort.found}) is used"
        none = unused if effort.found else "no claim was found for this angle"
        return ledger.start(none, 0.0).close()
    ledger.start(*_rate_sources(used, contradictions))
    if rate_completeness(effort.completeness) is not Contribution.WHOLE:
        failed = len(effort.unfinished)
        ledger.multiply(f"{failed} of {effort.attempted} tasks failed", WEAKENED)
    return ledger.close()


def _rate_sources(
    claims: Sequence[Claim], contradictions: Sequence[Contradiction]
) -> tuple[str, float]:
    """Say of which sources some claims are, and how sure these make them, 0 to 1."""
    still_open = (each for each in contradictions if each.is_undecided)
    undecided = frozenset[str]().union(*(each.concerned for each in still_open))
    settled = {claim.source_id for claim in claims if claim.id not in undecided}
    trust: dict[str, float] = {}
    for claim in claims:
        share = 1.0 if claim.source_id in settled else DISPUTED
        trust[claim.source_id] = max(trust.get(claim.source_id, 0.0), claim.credibility * share)
    counted, disputed = sorted(trust.values(), reverse=True), len(trust) - len(settled)
    values = ", ".join(f"{each:.3g}" for each in counted[:NAMED])  # half of 0.85 is 0.425
    values += f" and {len(counted) - NAMED} more" if len(counted) > NAMED else ""
    sources = pluralise("source", len(counted))
    reason = f"{len(counted)} independent {sources} of credibility {values}"
    reason += ", each halving the doubt that the better ones leave" if len(counted) > 1 else ""
    if disputed:
        reason += f"; {disputed} {'counts' if disputed == 1 else 'count'} half, being disputed"
    value = fsum(each * DOUBT_LEFT**place for place, each in enumerate(counted, start=1))
    return reason, value


class AppraisedAngle(NamedTuple):
    """One angle of a report: how sure its section is, and how its assignment counts."""

    title: str
    confidence: Confidence
    standing: Contribution

    @property
    def answered(self) -> bool:
        """Whether there is evidence, from an assignment that counts."""
        return self.confidence.value > 0 and self.standing is not Contribution.MISSING


class Losses(NamedTuple):
    """What a run lacks beside unanswered angles."""

    unreadable: int = 0  # documents
    debate: Debate | None = None  # who took part; None when there was none
    contradictions: Sequence[Contradiction] = ()
    comparison: Method = Method.REASONER
    done: int = 0


def appraise_report(
    angles: Sequence[AppraisedAngle], basis: Basis, losses: Losses, backing: AnswerBacking | None
) -> Confidence:
    """Appraise a whole report.

    With an answer that a model wrote: what stands behind it; without one the mean over every angle
    that was planned, an unanswered one counting 0, so that the loss of the weakest cannot raise it,
    and moderate at most. Less the
    team's penalty for each unanswered one. Then what could not be read, who was missing from the
    debate, what nobody settled, what the budget left out.

    Args:
        angles: every angle that has a section, in plan order.
        losses: what the run lacks beside unanswered angles.
        backing: what stands behind the answer that a model wrote.
    """
    ledger = Ledger()
    planned = max(1, len(basis.planned), len(angles))
    values = [angle.confidence.value for angle in angles if angle.answered]
    if backing is None:
        ledger.start(
            f"mean confidence of {planned} planned {pluralise('angle', planned)}, "
            f"{len(values)} answered",
            fsum(values) / planned,
        )
        ledger.limit("without a language model it is moderate at most", BY_WORDS_ALONE)
    else:
        start_with(ledger, backing, basis.quorum.penalty)
    for angle in angles:
        if not angle.answered:
            why = f"too much of “{angle.title}” failed for it to count"
            why = why if angle.confidence.value else f"nothing on “{angle.title}”"
            ledger.subtract(why, basis.quorum.penalty)
    for _ in range(planned - len(angles)):
        ledger.subtract("a planned angle has no section", basis.quorum.penalty)
    _subtract_losses(ledger, basis, losses)
    if backing and backing.disputed:
        noun = pluralise("contradiction", backing.disputed)
        ledger.limit(f"{backing.disputed} open {noun} in the answer itself", WHILE_DISPUTED)
    if backing and backing.unanswered:
        ledger.limit("the question is not answered", UNANSWERED)
    return ledger.close()


def _subtract_losses(ledger: Ledger, basis: Basis, losses: Losses) -> None:
    if losses.unreadable:
        of = basis.documents + losses.unreadable
        reason = f"{losses.unreadable} of {of} documents could not be read"
        ledger.multiply(reason, 1 - UNREAD * losses.unreadable / of)
    for participant in Participant if losses.debate else ():
        if losses.debate and participant not in losses.debate.present:
            reason = f"the {participant} did not take part in the debate"
            ledger.subtract(reason, DEBATE.penalty)
    unsettled = [e for e in losses.contradictions if e.state is not ContradictionState.RESOLVED]
    if touching := sum(each.affects_answer for each in unsettled):
        ledger.multiply(_describe_unsettled(touching, len(unsettled)), UNSETTLED**touching)
    if losses.comparison in COMPARED:
        reason, left = COMPARED[losses.comparison]
        ledger.multiply(reason, left)
    for each in basis.left_out:
        what = f"{each.tasks} {pluralise('task', each.tasks)}" if each.tasks else "further calls"
        # Half of the share of the work that was left out, and no less than a partial result costs.
        left = min(WEAKENED, 1 - UNREAD * each.tasks / (each.tasks + losses.done))
        ledger.multiply(f"the budget of {each.bound} left {what} out", left)


def _describe_unsettled(touching: int, unsettled: int) -> str:
    """Say how many contradictions nobody settled; those beside the answer cost it nothing."""
    noun = pluralise("contradiction", unsettled)
    if touching == unsettled:
        return f"{unsettled} {noun} {'is' if unsettled == 1 else 'are'} not settled"
    return f"{touching} of {unsettled} {noun} that are not settled may change the answer"

"""How sure a section and a report are, as ledgers: more missing never makes either surer.

Every step is monotone in what it is made of, and each rounds once, so that what is lost can only
lower a value or leave it. tests/caveat/rules/report/test_appraisal.py holds the rules to that.
"""

from collections.abc import Mapping, Sequence
from math import exp, fsum
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.confidence import Confidence
from caveat.contracts.contradiction import Contradiction, ContradictionState
from caveat.contracts.debate import Debate, Participant
from caveat.contracts.report import Basis, Effort, Method
from caveat.rules.report.backing import AnswerBacking, reasons, start_with
from caveat.rules.report.confidence import Ledger
from caveat.rules.run.debate import DEBATE
from caveat.rules.run.quorum import SeatStanding, standing

DOUBT_LEFT = 0.5
"""Share of the doubt that each independent source leaves: one source halves it, two quarter it.
The best source counts first, so that a weak one beside good ones can only add."""

NAMED = 5
"""Sources whose credibility a step names: the sixth one moves the value by less than 0.02."""

WEAKENED = 0.90
"""What a partial result is worth."""

UNREAD = 0.5
"""Weight of what could not be read or was left out: some of it would have changed nothing."""

DISPUTED = 0.5
"""What a source counts whose every claim here is a side of an open contradiction: either side may
hold, so half of what they say does. As a factor of its own it cannot make up for a lost source."""

COMPARED = {
    Method.RULES: ("the claims were compared by rules alone, in place of a model", 0.90),
    Method.NONE: ("the claims could not be compared", 0.50),
}
"""What a weaker comparison leaves: rules see fewer contradictions than a model, and of claims that
nobody compared either of two that disagree may hold."""

NOTHING, SLOPE, MODELLED = 0.10, 0.90, 0.60
"""Where a language model said how well claims fit: nothing at 0.10, rising by 0.9 for each point,
at most 0.60. It is the model's word, and was not measured."""

BY_WORDS = (-4.10, 2.00, 7.75)
"""Start of a logistic curve, and its slopes by the fit of the best passage and by how far that is
ahead of the last one shown. Of 140 answers to the tuning half of benchmarks/answers 33 had more
than 0.60, four of them wrong, and of the others three quarters were right. The start is 2.7 lower
than was fitted, so that what is above 0.60 can be relied on more than what is below."""

BY_MEANING = (-4.90, 2.00, 4.60, 3.00)
"""Start and slopes by fit, similarity and how far ahead, where a model of meanings compared
passages with the question: of 136 answers to the tuning half 38 had more than 0.60, one of them
wrong. Without fit and lead it was three of 26."""

SUREST = 0.90
"""Most that a report begins with: no number of sources and no fit makes a machine certain."""

ALONE = 2
"""Independent sources with a passage nearly as good as the best from which none stands alone."""

UNCONFIRMED = 0.90
"""What is left where only one source says it."""

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


def section_confidence(
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
        return ledger.start(_emptiness(effort), 0.0).close()
    trust, disputed = _trust(used, contradictions)
    counted = sorted(trust.values(), reverse=True)
    ledger.start(
        _voices(counted, disputed),
        fsum(each * DOUBT_LEFT**place for place, each in enumerate(counted, start=1)),
    )
    if standing(effort.completeness) is not SeatStanding.WHOLE:
        failed = len(effort.unfinished)
        ledger.multiply(f"{failed} of {effort.attempted} tasks failed", WEAKENED)
    return ledger.close()


def _trust(
    used: Sequence[Claim], contradictions: Sequence[Contradiction]
) -> tuple[Mapping[str, float], int]:
    """Say what each source counts, and how many count less because all they say is disputed."""
    still_open = (each for each in contradictions if each.is_open)
    undecided = frozenset[str]().union(*(each.concerned for each in still_open))
    settled = {claim.source_id for claim in used if claim.id not in undecided}
    trust: dict[str, float] = {}
    for claim in used:
        share = 1.0 if claim.source_id in settled else DISPUTED
        trust[claim.source_id] = max(trust.get(claim.source_id, 0.0), claim.credibility * share)
    return trust, len(trust) - len(settled)


def _voices(counted: Sequence[float], disputed: int) -> str:
    """Say which sources the value is made of; `f:.3g` because half of 0.85 is 0.425."""
    count = len(counted)
    values = ", ".join(f"{each:.3g}" for each in counted[:NAMED])
    values += f" and {count - NAMED} more" if count > NAMED else ""
    reason = f"{count} independent {_plural('source', count)} of credibility {values}"
    reason += ", each halving the doubt that the better ones leave" if count > 1 else ""
    if disputed:
        reason += f"; {disputed} {'counts' if disputed == 1 else 'count'} half, being disputed"
    return reason


def _emptiness(effort: Effort) -> str:
    if not effort.found:
        return "no claim was found for this angle"
    found = effort.found
    plural = "claim that was" if found == 1 else "claims that were"
    return f"none of the {found} {plural} found for this angle is used"


class AppraisedAngle(NamedTuple):
    """One angle of a report: how sure its section is, and how its assignment counts."""

    title: str
    confidence: Confidence
    standing: SeatStanding

    @property
    def answered(self) -> bool:
        """Whether there is evidence, from an assignment that counts."""
        return self.confidence.value > 0 and self.standing is not SeatStanding.MISSING


class Losses(NamedTuple):
    """What a run lacks beside unanswered angles.

    Attributes:
        unreadable: documents that could not be read.
        debate: who took part in the debate; None when there was none.
    """

    unreadable: int = 0
    debate: Debate | None = None
    contradictions: Sequence[Contradiction] = ()
    comparison: Method = Method.REASONER
    done: int = 0


class QuestionMatch(NamedTuple):
    """How well a report matches its question.

    Attributes:
        fit: of the best passage on the question itself, 0 to 1.
        similarity: the best one of such a passage; None where no model of meanings compared them.
        ahead: how far the best one is ahead of the last one shown or, where the list is short and
            nothing is missing, of what was too weak for it; None where a language model chose and
            wrote.
        sources: independent ones with a passage that fits nearly as well.
        measuring: of these, how many state a value of the one quantity that several state.
        answered: whether it counts as answered.
        rejected: contradictions on the question of which a person held no value right.
        is_by_words: whether no language model worked, so that the fit is the share of the
            question's words that the closest passages have.
    """

    fit: float
    sources: int
    answered: bool
    disputed: int
    similarity: float | None = None
    ahead: float | None = None
    measuring: int = 0
    rejected: int = 0
    is_by_words: bool = False


def report_confidence(
    angles: Sequence[AppraisedAngle],
    basis: Basis,
    losses: Losses,
    match: QuestionMatch | AnswerBacking | None = None,
) -> Confidence:
    """Appraise a whole report.

    With an answer that a model wrote: what stands behind it. With a match: how often reports that
    match their question so well were right; without one the mean over every angle that was
    planned, an unanswered one counting 0, so that the loss of the weakest cannot raise it. Less the
    team's penalty for each unanswered one. Then what could not be read, who was missing from the
    debate, what nobody settled, what the budget left out.

    Args:
        angles: every angle that has a section, in plan order.
        losses: what the run lacks beside unanswered angles.
    """
    ledger = Ledger()
    planned = max(1, len(basis.planned), len(angles))
    found = [angle.confidence.value for angle in angles if angle.answered]
    if match is None:
        ledger.start(
            f"mean confidence of {planned} planned {_plural('angle', planned)}, "
            f"{len(found)} answered",
            fsum(found) / planned,
        )
    elif isinstance(match, AnswerBacking):
        start_with(ledger, match, basis.quorum.penalty)
    else:
        _start_with(ledger, match)
    for angle in angles:
        if not angle.answered:
            ledger.subtract(_want(angle), basis.quorum.penalty)
    for _ in range(planned - len(angles)):
        ledger.subtract("a planned angle has no section", basis.quorum.penalty)
    _subtract_losses(ledger, basis, losses)
    if match is not None:
        _limit(ledger, match)
    found_why = reasons(match) if isinstance(match, AnswerBacking) else ()
    return ledger.close().model_copy(update={"reasons": found_why})


_LAST = "the last one shown, or what was too weak to show"


def _start_with(ledger: Ledger, match: QuestionMatch) -> None:
    if match.is_by_words:
        ledger.start(
            "share of the question's words that the closest passage has; whether it answers takes "
            "a language model or a reader",
            match.fit,
        )
        ledger.limit("without a language model, words alone: moderate at most", BY_WORDS_ALONE)
        return
    if match.similarity is not None:
        reason = (
            f"the nearest passage is similar to the question by {match.similarity:.2f}, the best "
            f"one fits it by {match.fit:.2f}, {match.ahead or 0.0:.2f} more than {_LAST}"
        )
    elif match.ahead is not None:
        reason = (
            f"the best passage fits the question by {match.fit:.2f}, {match.ahead:.2f} more than "
            f"{_LAST}"
        )
    else:
        reason = f"the best passage fits the question by {match.fit:.2f}"
    if match.measuring > 1:
        reason += (
            f"; {match.measuring} independent sources state a value of one quantity, each but the "
            "first halving the doubt"
        )
    ledger.start(reason, likelihood(match))
    if match.sources < ALONE:
        ledger.multiply("one source alone says it", UNCONFIRMED)


def likelihood(match: QuestionMatch) -> float:
    """Say how sure a report begins that matches its question so well, 0 to 1.

    1 / (1 + exp(-z)) with z from `BY_WORDS` or `BY_MEANING`; nothing where there is no passage. Of
    the doubt each source but the first that states a value of the same quantity leaves
    `DOUBT_LEFT`: where many passages answer, none can be far ahead.
    """
    if match.fit == 0:
        return 0.0
    doubt = 1 - _by_passage(match)
    return min(SUREST, 1 - doubt * DOUBT_LEFT ** max(0, match.measuring - 1))


def _by_passage(match: QuestionMatch) -> float:
    if match.similarity is not None:
        start, fit, near, ahead = BY_MEANING
        score = start + fit * match.fit + near * match.similarity + ahead * (match.ahead or 0.0)
    elif match.ahead is not None:
        start, fit, ahead = BY_WORDS
        score = start + fit * match.fit + ahead * match.ahead
    else:
        return min(MODELLED, SLOPE * max(0.0, match.fit - NOTHING))
    return 1 / (1 + exp(-score))


def _limit(ledger: Ledger, match: QuestionMatch | AnswerBacking) -> None:
    if match.disputed:
        verb = "is" if match.disputed == 1 else "are"
        ledger.limit(f"{match.disputed} of these {verb} in the answer itself", WHILE_DISPUTED)
    if isinstance(match, QuestionMatch) and match.rejected:
        noun = _plural("contradiction", match.rejected)
        ledger.limit(f"no value holds of {match.rejected} {noun} on the question", WHILE_DISPUTED)
    if not match.answered:
        is_by_words = isinstance(match, QuestionMatch) and match.is_by_words
        reason = "nothing was found" if is_by_words else "the question is not answered"
        ledger.limit(reason, UNANSWERED)


def _subtract_losses(ledger: Ledger, basis: Basis, losses: Losses) -> None:
    if losses.unreadable:
        of = basis.documents + losses.unreadable
        reason = f"{losses.unreadable} of {of} documents could not be read"
        ledger.multiply(reason, 1 - UNREAD * losses.unreadable / of)
    for participant in Participant if losses.debate else ():
        if losses.debate and participant not in losses.debate.present:
            reason = f"the {participant} did not take part in the debate"
            ledger.subtract(reason, DEBATE.penalty)
    unsettled = sum(each.state is not ContradictionState.RESOLVED for each in losses.contradictions)
    if unsettled:
        verb = "is" if unsettled == 1 else "are"
        reason = f"{unsettled} {_plural('contradiction', unsettled)} {verb} not settled"
        ledger.multiply(reason, UNSETTLED**unsettled)
    if losses.comparison in COMPARED:
        reason, left = COMPARED[losses.comparison]
        ledger.multiply(reason, left)
    for left_out in basis.left_out:
        _cut(ledger, left_out.bound, left_out.tasks, losses.done)


def _cut(ledger: Ledger, bound: str, tasks: int, done: int) -> None:
    """Half of the share of the work that was left out, and never less than a partial result."""
    reason = f"the budget of {bound} left {tasks} {_plural('task', tasks)} out"
    ledger.multiply(reason, min(WEAKENED, 1 - UNREAD * tasks / (tasks + done)))


def _want(angle: AppraisedAngle) -> str:
    if angle.confidence.value == 0:
        return f"nothing on “{angle.title}”"
    return f"too much of “{angle.title}” failed for it to count"


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"

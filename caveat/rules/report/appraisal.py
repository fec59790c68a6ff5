"""How sure a section and a report are, as ledgers: more missing never makes either surer.

Every step is monotone in what it is made of, and each rounds once, so that what is lost can only
lower a value or leave it. tests/caveat/rules/report/test_appraisal.py holds the rules to that.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum

from caveat.contracts.contradiction import Contradiction, ContradictionState
from caveat.contracts.envelope import AgentType
from caveat.contracts.report import (
    Confidence,
    Effort,
    LedgerStep,
    Method,
    Operation,
    Report,
    ReportedFailure,
    Section,
)
from caveat.contracts.source import Claim
from caveat.contracts.synthesis import Participant, Verification
from caveat.rules.lines import pluralise
from caveat.rules.report.answering import explain_unanswered
from caveat.rules.report.publication import build_stated_grounds, measure_support
from caveat.rules.run.quorum import DEBATE, Contribution, rate_completeness
from caveat.rules.sentences.checks import find_text_flaws
from caveat.rules.sentences.grounds import Grounds
from caveat.rules.text.citations import SUMMARY, CitedSentence, Piece

DECIMALS = 4
"""Values are rounded so that a step comes out exactly from the JSON; finer would be pretence."""

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


SURE_OF = (0.0, 0.60, 0.75, 0.85)
"""How sure a sentence is that so many independent sources carry; more add nothing. One source may
be wrong alone; of two that agree, hardly both are."""

UNVERIFIED = 0.49  # most that a report may have whose sentences nobody verified: low

Step = tuple[Operation, float, str]  # what is done to the value before it, by how much, and why


def _apply(operation: Operation, before: float, amount: float) -> float:
    """Apply one operation, kept within 0 and 1 and rounded to `DECIMALS`."""
    match operation:
        case Operation.SET:
            value = amount
        case Operation.SUBTRACT:
            value = before - amount
        case Operation.MULTIPLY:
            value = before * amount
        case Operation.LIMIT:
            value = min(before, amount)
    return round(min(1.0, max(0.0, value)), DECIMALS)


def build_confidence(steps: Iterable[Step]) -> Confidence:
    """Write steps as a ledger that adds up in its JSON; the first one sets the value."""
    value, ledger = 0.0, []
    for operation, by, reason in steps:
        before, amount = value, _apply(Operation.SET, 0.0, by)
        value = _apply(operation, before, amount)
        facts = {"operation": operation, "amount": amount, "before": before, "after": value}
        ledger.append(LedgerStep(reason=reason, **facts))
    return Confidence(value=value, ledger=tuple(ledger))


def appraise_section(
    effort: Effort, used: Sequence[Claim], contradictions: Sequence[Contradiction] = ()
) -> Confidence:
    """Appraise one angle from the claims that its section uses.

    The credibility of each source, the best first and each weighing half of the one before: with n
    equal ones that is their credibility times 1 - 0.5^n. A source all of whose claims are disputed
    weighs half. Times 0.90 when the assignment is only partly done, however much of it; 0 without
    claims. A claim that was upheld, or that holds beside another, costs nothing.
    """
    if not used:
        unused = f"none of the claims found for this angle ({effort.found}) is used"
        none = unused if effort.found else "no claim was found for this angle"
        return build_confidence([(Operation.SET, 0.0, none)])
    steps = [_rate_sources(used, contradictions)]
    if rate_completeness(effort.completeness) is not Contribution.WHOLE:
        failed = f"{len(effort.unfinished)} of {effort.attempted} tasks failed"
        steps.append((Operation.MULTIPLY, WEAKENED, failed))
    return build_confidence(steps)


def _rate_sources(claims: Sequence[Claim], contradictions: Sequence[Contradiction]) -> Step:
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
    return Operation.SET, value, reason


def appraise_report(report: Report, voices: Mapping[str, str]) -> Confidence:
    """Appraise a whole report, whose sections are appraised.

    With an answer that a model wrote: what stands behind it; without one the mean over every angle
    that was planned, an unanswered one counting 0, so that the loss of the weakest cannot raise it,
    and moderate at most. Less the team's penalty for each unanswered one. Then what could not be
    read, who was missing from the debate, what nobody settled, what the budget left out.

    Args:
        voices: what counts as one source, by the id of each.
    """
    return build_confidence(_list_steps(report, voices))


def _list_steps(report: Report, voices: Mapping[str, str]) -> Iterator[Step]:
    penalty = report.basis.quorum.penalty
    planned = max(1, len(report.basis.planned), len(report.sections))
    answered = [each.confidence.value for each in report.sections if _is_answered(each)]
    if report.verdict is None:
        of = f"{planned} planned {pluralise('angle', planned)}, {len(answered)} answered"
        yield Operation.SET, fsum(answered) / planned, f"mean confidence of {of}"
        yield Operation.LIMIT, BY_WORDS_ALONE, "without a language model it is moderate at most"
    else:
        yield from _rate_answer(report, voices, penalty)
    for section in report.sections:
        if not _is_answered(section):
            failed = f"too much of “{section.title}” failed for it to count"
            why = failed if section.confidence.value else f"nothing on “{section.title}”"
            yield Operation.SUBTRACT, penalty, why
    for _ in range(planned - len(report.sections)):
        yield Operation.SUBTRACT, penalty, "a planned angle has no section"
    yield from _list_losses(report)
    if report.verdict is not None and (disputed := len(report.disputed)):
        noun = pluralise("contradiction", disputed)
        yield Operation.LIMIT, WHILE_DISPUTED, f"{disputed} open {noun} in the answer itself"
    if report.verdict is not None and explain_unanswered(report):
        yield Operation.LIMIT, UNANSWERED, "the question is not answered"


def _is_answered(section: Section) -> bool:
    """Whether there is evidence for an angle, from an assignment that counts."""
    standing = rate_completeness(section.effort.completeness)
    return section.confidence.value > 0 and standing is not Contribution.MISSING


def _rate_answer(report: Report, voices: Mapping[str, str], penalty: float) -> Iterator[Step]:
    """Say what stands behind an answer; a missing part costs the penalty."""
    claims = {claim.id: claim for claim in report.claims}
    sentences = Piece(report.summary, claims, SUMMARY).sentences
    grounds = build_stated_grounds(report)
    counts = [count_voices(report, each, voices, grounds) for each in sentences]
    lost = (report.verification or Verification()).lost
    carried = [
        f"{count} with {number} independent {pluralise('source', number)}"
        for number, count in sorted(Counter(counts).items())
    ]
    carried += [f"{lost} left out"] if lost else []
    sure = fsum(SURE_OF[min(each, len(SURE_OF) - 1)] for each in counts)
    of = "sentences or quotes of the answer, each by its weakest part"
    value = sure / (len(counts) + lost) if sure else 0.0
    yield Operation.SET, value, f"{of}: {', '.join(carried) or 'none'}"
    for _ in report.missing:
        yield Operation.SUBTRACT, penalty, "a part of the question is not answered"
    supported = measure_support(report)
    if supported is None:
        if not explain_unanswered(report):  # else there is no sentence to verify
            yield Operation.LIMIT, UNVERIFIED, "nobody verified the sentences"
    elif supported < 1:
        yield Operation.MULTIPLY, supported, "share of the sentences that were verified"


def count_voices(
    report: Report, sentence: CitedSentence, voices: Mapping[str, str], grounds: Grounds
) -> int:
    """Count the independent sources that each carry a whole sentence; those that share it are one.

    Those agree that are cited together, with those that back them; two sides never do.
    """
    cited = {*sentence.cited}
    told = [
        [side.claims for side in each.sides if not cited.isdisjoint(side.claims)]
        for each in report.contradictions
    ]
    names = cited.union(*(claims for sides in told for claims in sides))
    by_voice: dict[str, list[Claim]] = {}
    for claim in report.claims:
        if claim.id in names and claim.is_usable:
            by_voice.setdefault(voices[claim.source_id], []).append(claim)
    each_says = (not any(find_text_flaws(sentence.text, own, grounds)) for own in by_voice.values())
    are_opposed = any(len(sides) > 1 for sides in told)
    return min(1, len(by_voice)) if are_opposed else max(sum(each_says), min(1, len(by_voice)))


def count_lost_readings(failures: Sequence[ReportedFailure]) -> int:
    """Count the sources that were chosen and could not be read in the end."""
    readers = (failed for failed in failures if failed.agent_type == AgentType.READER)
    return sum(not failed.recovered and failed.left_out is None for failed in readers)


def _list_losses(report: Report) -> Iterator[Step]:
    librarians = (each for each in report.failures if each.agent_type == AgentType.LIBRARIAN)
    unreadable = count_lost_readings(report.failures)
    unreadable += sum(not failed.recovered for failed in librarians)
    if unreadable:
        of = report.basis.documents + unreadable
        reason = f"{unreadable} of {of} documents could not be read"
        yield Operation.MULTIPLY, 1 - UNREAD * unreadable / of, reason
    for participant in Participant if report.debate else ():
        if report.debate and participant not in report.debate.present:
            reason = f"the {participant} did not take part in the debate"
            yield Operation.SUBTRACT, DEBATE.penalty, reason
    unsettled = [e for e in report.contradictions if e.state is not ContradictionState.RESOLVED]
    if touching := sum(each.affects_answer for each in unsettled):
        noun = pluralise("contradiction", count := len(unsettled))
        reason = f"{count} {noun} {'is' if count == 1 else 'are'} not settled"
        if touching < count:  # those beside the answer cost it nothing
            reason = f"{touching} of {count} {noun} that are not settled may change the answer"
        yield Operation.MULTIPLY, UNSETTLED**touching, reason
    if report.methods.comparison in COMPARED:
        reason, left = COMPARED[report.methods.comparison]
        yield Operation.MULTIPLY, left, reason
    done = sum(section.effort.done for section in report.sections)
    for each in report.basis.left_out:
        what = f"{each.tasks} {pluralise('task', each.tasks)}" if each.tasks else "further calls"
        # Half of the share of the work that was left out, and no less than a partial result costs.
        left = min(WEAKENED, 1 - UNREAD * each.tasks / (each.tasks + done))
        yield Operation.MULTIPLY, left, f"the budget of {each.bound} left {what} out"

"""Contradictions: a report marks what is contested, uses nothing unusable, and hides no end."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

from caveat.contracts.audit import Check, Finding
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction, ContradictionState, SettledBy
from caveat.contracts.report import ReportStatus
from caveat.rules.contradictions.choices import NotOffered, holding
from caveat.rules.contradictions.contest import contested, contests, usable
from caveat.rules.contradictions.ladder import UNSETTLED
from caveat.rules.text import CitedSentence, Piece, prose

_finding = partial(Finding, check=Check.CONTRADICTION)


def ruling_findings(contradictions: Sequence[Contradiction]) -> Iterator[Finding]:
    """Name the rulings that name no value.

    What such a ruling makes of the claims, nobody can say, so that nothing else can be checked.
    """
    for contradiction in contradictions:
        try:
            if contradiction.ruling is not None:
                holding(contradiction.ruling, len(contradiction.claims))
        except NotOffered as refused:
            yield _finding(where=contradiction.id, message=str(refused))


def marking_findings(
    pieces: Sequence[Piece], claims: Sequence[Claim], contradictions: Sequence[Contradiction]
) -> Iterator[Finding]:
    """Check that contested claims are marked wherever they are cited, and unusable ones unused.

    Args:
        pieces: the prose of the report.
        claims: of the report.
        contradictions: of the report, their rulings such as `ruling_findings` lets pass.
    """
    of = contests(claims, contradictions)
    known = {each.id for each in contradictions}
    for piece in pieces:
        named = (marker.contradiction_id for marker in prose.markers(piece.markdown))
        for name in dict.fromkeys(named):
            if name is not None and name not in known:
                message = f"[{name}] names no contradiction of the report."
                yield _finding(where=piece.where, message=message)
        for sentence in piece.sentences:
            for problem in _problems(sentence, piece.claims, of):
                yield _finding(where=piece.where, message=problem)


def _problems(
    sentence: CitedSentence, claims: Mapping[str, Claim], of: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    said = f"“{sentence.excerpt}”"
    for name in dict.fromkeys(sentence.cited):
        if name in claims and not usable(claims[name]):
            yield f"{said} rests on claim {name}, which is {claims[name].state}."
    for name, marked in sentence.contested:
        for missing in of.get(name, ()):
            if missing not in marked:
                yield f"{said} states claim {name} flatly, which {missing} contests."
        for idle in sorted(marked.difference(of.get(name, ()))):
            yield f"{said} is marked with {idle} where that contests nothing."


def state_findings(
    claims: Sequence[Claim], contradictions: Sequence[Contradiction]
) -> Iterator[Finding]:
    """Compare what the claims say of themselves with what follows from the contradictions."""
    for claim, right in zip(claims, contested(claims, contradictions), strict=True):
        where = f"claim {claim.id}"
        if claim.state is not right.state:
            message = f"It is {claim.state}; by the contradictions it is {right.state}."
            yield _finding(where=where, message=message)
        if set(claim.contested_by) != set(right.contested_by):
            given, due = (", ".join(each.contested_by) or "none" for each in (claim, right))
            message = f"It is contested by {given}; by the contradictions it is contested by {due}."
            yield _finding(where=where, message=message)


def life_findings(
    contradictions: Sequence[Contradiction], known: Collection[str]
) -> Iterator[Finding]:
    """Check that every contradiction has one id, its claims, and an end that its steps show.

    Args:
        contradictions: of the report.
        known: ids of the report's claims.
    """
    for name, times in Counter(each.id for each in contradictions).items():
        if times > 1:
            yield _finding(where=name, message=f"{times} contradictions have this id.")
    for contradiction in contradictions:
        for name in contradiction.claims:
            if name not in known:
                message = f"Its claim {name} is missing in the report, and the quote with it."
                yield _finding(where=contradiction.id, message=message)
        for problem in _LIVES[contradiction.state](contradiction):
            yield _finding(where=contradiction.id, message=problem)


def status_findings(
    status: ReportStatus, contradictions: Sequence[Contradiction]
) -> Iterator[Finding]:
    """Check that a report is provisional while one of its contradictions is open, and only then."""
    still_open = [each.id for each in contradictions if each.is_open]
    if status is ReportStatus.FINAL:
        for name in still_open:
            message = "It is open in a report that calls itself final."
            yield _finding(where=name, message=message)
    elif not still_open:
        message = "The report is provisional and no contradiction is open."
        yield _finding(where="status", message=message)


def _open(contradiction: Contradiction) -> Iterator[str]:
    if contradiction.settled_by is not None or contradiction.ruling is not None:
        yield "It is open and has a settlement."
    if any(step.settled for step in contradiction.steps):
        yield "It is open and one of its steps settled it."


def _resolved(contradiction: Contradiction) -> Iterator[str]:
    if contradiction.ruling is None:
        yield "It is resolved and does not say which claim holds."
    if contradiction.settled_by in (None, SettledBy.PROVISIONAL_UNCERTAINTY):
        yield "It is resolved and does not say by whom or what."
    if not contradiction.reason.strip():
        yield "It is resolved and does not say why."
    if contradiction.settled_by is SettledBy.PERSON and not contradiction.decided_by:
        yield "A person resolved it and is not named."
    yield from _unproven(contradiction)


def _provisional(contradiction: Contradiction) -> Iterator[str]:
    if contradiction.settled_by is not SettledBy.PROVISIONAL_UNCERTAINTY or contradiction.ruling:
        yield "It is provisional and says that something settled it."
    if not contradiction.requires_human_review:
        yield "Nobody could settle it and it does not ask for review."
    if contradiction.confidence != UNSETTLED:
        yield f"Nobody could settle it and its confidence is not {UNSETTLED:.2f}."
    yield from _unproven(contradiction)


def _unproven(contradiction: Contradiction) -> Iterator[str]:
    """The last rung that was tried is the one that settled it."""
    last = contradiction.steps[-1] if contradiction.steps else None
    if last is None or not last.settled or last.rung is not contradiction.settled_by:
        yield f"Its steps do not end with {contradiction.settled_by} settling it."


_LIVES = {
    ContradictionState.OPEN: _open,
    ContradictionState.RESOLVED: _resolved,
    ContradictionState.PROVISIONAL: _provisional,
}

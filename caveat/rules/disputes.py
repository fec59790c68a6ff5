"""Disputes: a report marks what is contested, uses nothing that is not usable, and hides no end."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from caveat.contracts.audit import Check, Finding
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction, ContradictionState, SettledBy
from caveat.contracts.investigation import Findings
from caveat.contracts.plan import Assignment
from caveat.contracts.report import Report, ReportStatus
from caveat.rules import prose
from caveat.rules.choices import NotOffered, holding
from caveat.rules.citations import CitedSentence, cited_sentences, place, places
from caveat.rules.contest import contested, usable
from caveat.rules.ladder import UNSETTLED
from caveat.rules.marking import contests

_WHOLE = Assignment(id="report", title="Report", question="Which claims stand?", queries=("-",))
"""The rule that is applied again works on findings by angle; a report's claims are in one list."""


def contradiction_findings(report: Report) -> Iterator[Finding]:
    """Check that contested claims are marked, unusable ones unused, and settlements whole."""
    unheard_of = tuple(_ruling_findings(report))
    if unheard_of:
        yield from unheard_of  # what such a ruling makes of the claims, nobody can say
        return
    yield from _prose_findings(report)
    yield from _figure_findings(report)
    yield from _claim_findings(report)
    yield from _life_findings(report)
    yield from _status_findings(report)


def _ruling_findings(report: Report) -> Iterator[Finding]:
    for contradiction in report.contradictions:
        try:
            if contradiction.ruling is not None:
                holding(contradiction.ruling, len(contradiction.claims))
        except NotOffered as refused:
            yield _finding(contradiction.id, str(refused))


def debate_findings(report: Report) -> Iterator[Finding]:
    """Check that every remark is about a claim of the report and rests on claims of the report."""
    known = {claim.id for claim in report.claims}
    for remark in report.debate.challenges if report.debate else ():
        for name in (remark.claim_id, *remark.evidence):
            if name not in known:
                yield Finding(
                    check=Check.DEBATE,
                    where=f"debate, {remark.raised_by}",
                    message=f"{name} names no claim of the report.",
                )


def _prose_findings(report: Report) -> Iterator[Finding]:
    claims = {claim.id: claim for claim in report.claims}
    of = contests(report.claims, report.contradictions)
    known = {each.id for each in report.contradictions}
    for where, markdown in places(report):
        named = (marker.contradiction_id for marker in prose.markers(markdown))
        for name in dict.fromkeys(named):
            if name is not None and name not in known:
                yield _finding(where, f"[{name}] names no contradiction of the report.")
        for sentence in cited_sentences(markdown, claims):
            for problem in _problems(sentence, claims, of):
                yield _finding(where, problem)


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


def _figure_findings(report: Report) -> Iterator[Finding]:
    claims = {claim.id: claim for claim in report.claims}
    for section in report.sections:
        for figure in section.figures:
            claim = claims.get(figure.claim_id)
            if claim is not None and not usable(claim):
                message = f"The figure “{figure.value}” is of claim {claim.id}: {claim.state}."
                yield _finding(place(section), message)


def _claim_findings(report: Report) -> Iterator[Finding]:
    """Compare what the claims say of themselves with what follows from the contradictions."""
    whole = Findings(assignment=_WHOLE, claims=report.claims, attempted=0, failed=0)
    (expected,) = contested([whole], report.contradictions)
    for claim, right in zip(report.claims, expected.claims, strict=True):
        if claim.state is not right.state:
            message = f"It is {claim.state}; by the contradictions it is {right.state}."
            yield _finding(f"claim {claim.id}", message)
        if set(claim.contested_by) != set(right.contested_by):
            message = (
                f"It is contested by {_listed(claim.contested_by)}; by the contradictions it is "
                f"contested by {_listed(right.contested_by)}."
            )
            yield _finding(f"claim {claim.id}", message)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _life_findings(report: Report) -> Iterator[Finding]:
    known = {claim.id for claim in report.claims}
    for name, times in Counter(each.id for each in report.contradictions).items():
        if times > 1:
            yield _finding(name, f"{times} contradictions have this id.")
    for contradiction in report.contradictions:
        for name in contradiction.claims:
            if name not in known:
                message = f"Its claim {name} is missing in the report, and the quote with it."
                yield _finding(contradiction.id, message)
        for problem in _LIVES[contradiction.state](contradiction):
            yield _finding(contradiction.id, problem)


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


def _status_findings(report: Report) -> Iterator[Finding]:
    still_open = [each.id for each in report.contradictions if each.is_open]
    if report.status is ReportStatus.FINAL:
        for name in still_open:
            yield _finding(name, "It is open in a report that calls itself final.")
    elif not still_open:
        yield _finding("status", "The report is provisional and no contradiction is open.")


def _finding(where: str, message: str) -> Finding:
    return Finding(check=Check.CONTRADICTION, where=where, message=message)

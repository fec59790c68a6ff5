"""One more question to a run: answered from its claims, else from the nearest text that it kept."""

from caveat.contracts.investigation import Findings
from caveat.contracts.outcome import Evidence
from caveat.contracts.report import Method
from caveat.rules.evidence import add_claims, filter_unclaimed, list_claims
from caveat.rules.run.asking import (
    QUESTION,
    covers_question,
    select_kept_claims,
    select_nearest_texts,
)
from caveat.workflows.research.investigation import Investigation
from caveat.workflows.research.run import Run


async def collect_kept_claims(run: Run, asked: Evidence, angles: Investigation) -> None:
    """Take the claims that an answer is written from, with their disputes as they stand there."""
    # They were compared there; what is read now, at most one text, nobody compares with them.
    state, question = run.state, run.state.topic
    claims = select_kept_claims(asked, question)
    assignment = next(each for each in state.plan.assignments) if state.plan else None
    if assignment is None:
        return
    for kept in asked.shelf:
        state.shelve(kept.source.id, kept)
    findings: tuple[Findings, ...] = (
        Findings(assignment=assignment, claims=claims, attempted=1, failed=0),
    )
    if asked.report is not None:
        state.methods = asked.report.methods
    if not covers_question(claims, question):
        await angles.read_again(select_nearest_texts(asked, question)[:1])
        read = list_claims(angles.build_findings())
        findings = add_claims(findings, QUESTION, filter_unclaimed(read, claims))
        state.note_methods(comparison=Method.NONE)
    state.findings = tuple(findings)
    names = {claim.id for claim in claims}
    state.contradictions = {
        each.id: each for each in asked.contradictions if not names.isdisjoint(each.concerned)
    }

"""One more question to a run: answered from its claims and from what its kept texts say."""

from caveat.contracts.investigation import Findings
from caveat.contracts.outcome import Evidence
from caveat.contracts.tasks import LookupTask
from caveat.rules.evidence import add_claims, filter_unclaimed, list_claims
from caveat.rules.run.asking import (
    MOST_LOOKED_UP,
    PASSAGES,
    QUESTION,
    covers_question,
    select_kept_claims,
    select_nearest_texts,
)
from caveat.workflows.options import LOOK_UP
from caveat.workflows.research.contradictions import Contradictions
from caveat.workflows.research.investigation import Investigation
from caveat.workflows.research.run import Run
from caveat.workflows.research.tasks import Tasks


async def collect_kept_claims(
    run: Run, tasks: Tasks, asked: Evidence, angles: Investigation, disputes: Contradictions
) -> None:
    """Take the claims that an answer is written from, with their disputes as they stand there."""
    state, question = run.state, run.state.topic
    claims = select_kept_claims(asked, question)
    assignment = next(each for each in state.plan.assignments) if state.plan else None
    if assignment is None:
        return
    for kept in asked.shelf:
        state.shelve(kept.source.id, kept)
    findings = (Findings(assignment=assignment, claims=claims, attempted=1, failed=0),)
    if asked.report is not None:
        state.methods = asked.report.methods
    texts = select_nearest_texts(asked, question, MOST_LOOKED_UP)
    task = LookupTask(
        task_id="look-up",
        description=f"Look through {len(texts)} kept texts",
        question=question,
        sources=tuple(kept.source for kept in texts),
        texts={kept.source.id: kept.reading.snapshot_sha256 for kept in texts if kept.reading},
        wanted=PASSAGES,
    )
    quoted = (await tasks.do(LOOK_UP, task)).result or ()
    trusted = {kept.source.id: kept.credibility.score for kept in texts}
    more = [
        claim.model_copy(update={"credibility": trusted[claim.source_id]})
        for claim in filter_unclaimed(quoted, claims)
    ]
    if not covers_question((*claims, *more), question):  # as where it is asked in other words
        await angles.read_again(texts[:1])
        more += filter_unclaimed(list_claims(angles.build_findings()), (*claims, *more))
    state.findings = add_claims(findings, QUESTION, more)
    names = {claim.id for claim in claims}
    state.contradictions = {
        each.id: each for each in asked.contradictions if not names.isdisjoint(each.concerned)
    }
    if more:
        new = {claim.id for claim in list_claims(state.findings)} - names
        again = await disputes.compare_quotes(question, [assignment], new)
        told = [claim for claim in list_claims(state.findings) if claim.id not in again]
        state.findings = (findings[0].model_copy(update={"claims": tuple(told)}),)

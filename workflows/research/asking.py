"""One more question to a run: answered from its claims and from what its kept texts say."""

from caveat.contracts.claim import Claim
from caveat.contracts.investigation import Findings
from caveat.contracts.outcome import Evidence
from caveat.contracts.plan import Assignment
from caveat.contracts.tasks import LookupTask, ReformulationReason, ReformulationTask
from caveat.rules.evidence.claims import add_claims, filter_unclaimed, list_claims
from caveat.rules.run.asking import (
    MOST_LOOKED_UP,
    PASSAGES,
    QUESTION,
    covers_question,
    list_other_languages,
    select_kept_claims,
    select_nearest_texts,
)
from caveat.rules.text.words import detect_language
from caveat.workflows.options import LOOK_UP, REFORMULATE
from caveat.workflows.research.contradictions import Contradictions
from caveat.workflows.research.people import reopen
from caveat.workflows.research.run import Run
from caveat.workflows.research.tasks import Tasks


async def collect_kept_claims(
    run: Run, tasks: Tasks, evidence: Evidence, disputes: Contradictions
) -> None:
    """Take the claims that an answer is written from, with their disputes as they stand there."""
    question, assignment = run.topic, run.assignments[0]
    run.shelf |= {entry.source.id: entry for entry in evidence.shelf}
    if evidence.report is not None:
        run.methods = evidence.report.methods
    claims = select_kept_claims(evidence, (question,))
    more = await _quote_kept_texts(tasks, evidence, question, "look-up")
    languages = list_other_languages(evidence, question)
    if not covers_question((*claims, *more), question):
        languages = (detect_language(question), *languages)
    if languages:
        run.is_reworded = True
        reworded = await _reword(tasks, question, assignment, languages)
        claims = select_kept_claims(evidence, (question, *reworded))
        for number, wording in enumerate(reworded, start=1):
            more += await _quote_kept_texts(tasks, evidence, wording, f"look-up-{number}")
    disputed = frozenset[str]().union(*(dispute.concerned for dispute in evidence.contradictions))
    settled = (claim for claim in list_claims(evidence.findings) if claim.id in disputed)
    more = filter_unclaimed(more, [*claims, *settled])  # what was overruled must not come anew
    findings = (Findings(assignment=assignment, claims=claims, attempted=1, failed=0),)
    run.findings = add_claims(findings, QUESTION, more)
    names = {claim.id for claim in claims}
    # With the rulings since it was kept.
    known = await reopen(evidence, (), tasks) if evidence.contradictions else {}
    run.unsettled = frozenset(
        name for name, one in known.items() if one.is_undecided or one.requires_human_review
    )
    run.contradictions = {
        name: dispute for name, dispute in known.items() if not names.isdisjoint(dispute.concerned)
    }
    if more:
        new = {claim.id for claim in list_claims(run.findings)} - names
        again = await disputes.compare_quotes(new)
        told = [claim for claim in list_claims(run.findings) if claim.id not in again]
        run.findings = (findings[0].model_copy(update={"claims": tuple(told)}),)


async def _quote_kept_texts(
    tasks: Tasks, evidence: Evidence, question: str, task_id: str
) -> list[Claim]:
    """Quote what kept texts say about a question, or nothing where they cannot be opened."""
    texts = select_nearest_texts(evidence, question, MOST_LOOKED_UP)
    task = LookupTask(
        task_id=task_id,
        description=f"Look through {len(texts)} kept texts",
        question=question,
        sources=tuple(entry.source for entry in texts),
        texts={entry.source.id: entry.reading.snapshot_sha256 for entry in texts if entry.reading},
        wanted=PASSAGES,
    )
    quoted = (await tasks.do(LOOK_UP, task)).result or ()
    trusted = {entry.source.id: entry.credibility.score for entry in texts}
    return [claim.model_copy(update={"credibility": trusted[claim.source_id]}) for claim in quoted]


async def _reword(
    tasks: Tasks, topic: str, assignment: Assignment, languages: tuple[str, ...]
) -> tuple[str, ...]:
    task = ReformulationTask(
        task_id="reword",
        description="Put the question in the words of the kept texts",
        topic=topic,
        assignment=assignment,
        tried=assignment.queries,
        reason=ReformulationReason.NOT_IN_KEPT_TEXTS,
        languages=languages,
        corpus=(),
    )
    reworded = (await tasks.do(REFORMULATE, task, is_named=False)).result
    return reworded.questions if reworded else ()

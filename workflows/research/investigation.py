"""The investigation: all angles of a run at once, over one pool of documents, within a deadline.

One more question to a run is answered from its claims and from what its kept texts say.
"""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from temporalio import workflow

from caveat.contracts.outcome import Evidence, Findings, FoundSource, OpenWork
from caveat.contracts.plan import Assignment, Plan, ResearchRequest
from caveat.contracts.source import Analysis, Claim, Hit
from caveat.contracts.tasks import LookupTask, ReformulationReason, ReformulationTask, ScanTask
from caveat.rules.evidence.claims import (
    Claims,
    add_claims,
    filter_unclaimed,
    list_claims,
    number_claims,
)
from caveat.rules.report.answering import DIRECT
from caveat.rules.report.values import Disputed
from caveat.rules.run import asking
from caveat.rules.run.estimate import Extent, compute_size
from caveat.rules.run.quorum import Verdict, assess_assignment, check_quorum
from caveat.rules.run.recovery import Scope
from caveat.rules.sources.credibility import BAR, RELEVANT, select_bar
from caveat.rules.text.words import detect_language
from caveat.workflows.options import LOOK_UP, REFORMULATE, SCAN
from caveat.workflows.research.angle import Angle
from caveat.workflows.research.contradictions import Contradictions
from caveat.workflows.research.documents import Documents
from caveat.workflows.research.people import reopen
from caveat.workflows.research.run import Run
from caveat.workflows.research.tasks import Tasks, cancel

ALL_CLAIMS = 50
"""Claims that a model may report of one document and angle: none is left out for its place."""


class Investigation:
    def __init__(
        self, request: ResearchRequest, corpus: tuple[str, ...], plan: Plan, run: Run, tasks: Tasks
    ) -> None:
        self._plan = plan
        self._run = run
        self._tasks = tasks
        usual = compute_size(request.depth, len(plan.assignments), request.max_sources)
        places = len(plan.assignments) * usual.sources
        # A folder is read whole where the depth reads as much, however few the angles are.
        self._whole = max(places, Extent(request.depth).sources)
        if request.max_sources is not None:
            self._whole = min(self._whole, request.max_sources)
        self.documents = Documents(
            run=run,
            tasks=tasks,
            corpus=corpus,
            places=request.max_sources,
            claims={
                angle.id: Claims(
                    run.shelf, angle.claims or (ALL_CLAIMS if run.has_model else usual.claims)
                )
                for angle in plan.assignments
            },
        )
        self._angles = [
            Angle(
                assignment=assignment,
                size=replace(usual, sources=max(usual.sources, assignment.sources or 0)),
                claims=self.documents.claims[assignment.id],
                documents=self.documents,
                tasks=tasks,
                run=run,
            )
            for assignment in plan.assignments
        ]
        self._begun: list[asyncio.Task[None]] = []
        self._revised: tuple[Findings, ...] | None = None

    async def carry_out(self, deadline: timedelta | None) -> None:
        """Investigate every angle at once; at a deadline, leave behind what the quorum can miss."""
        # In rounds, what is read does not depend on speed. A model's answers differ anyhow, and to
        # wait for the slowest search takes its time.
        in_rounds = deadline is None and not self._run.has_model
        alone = [each for each in self._angles if not in_rounds or each.assignment.is_elsewhere]
        self._begun = [asyncio.create_task(self._investigate(angle)) for angle in alone]
        if in_rounds:
            self._begun.append(asyncio.create_task(self._investigate_in_rounds()))
        overdue = await self._wait_until(deadline) if deadline is not None else ()
        await asyncio.gather(*(task for task in self._begun if task not in overdue))
        lowered = select_bar(self._run.admitted)
        if lowered < BAR:
            await asyncio.gather(*(angle.look_again(lowered) for angle in self._angles))

    async def read_again(self, entries: Sequence[FoundSource]) -> None:
        """Look through texts that an earlier run has kept, and search for nothing."""
        for entry in entries:
            self._run.shelf[entry.source.id] = entry
        hits = [Hit(source=entry.source) for entry in entries]
        await asyncio.gather(*(angle.read_all(hits) for angle in self._angles))

    async def _investigate(self, angle: Angle) -> None:
        """Carry out one angle; of a small folder every document is read, whatever searches find."""
        inventory = self._run.inventory
        if (
            inventory is None
            or inventory.beyond
            or not self._run.has_model
            or angle.assignment.is_elsewhere
            or not 0 < inventory.documents == len(inventory.listed) <= self._whole
        ):
            await angle.investigate()
        else:
            await angle.read_all(Hit(source=source) for source in inventory.listed)

    async def _investigate_in_rounds(self) -> None:
        """Search for all angles, then choose and read, then look whether any has too little."""
        angles = [angle for angle in self._angles if not angle.assignment.is_elsewhere]
        await asyncio.gather(*(angle.search() for angle in angles))
        chosen = [angle.choose() for angle in angles]
        wanted = {source.id: source for some in chosen for source in some}
        self.documents.study(*wanted.values())
        await asyncio.gather(*map(Angle.study, angles, chosen))
        for angle in angles:
            await angle.complete()
            angle.close()

    def restore(self, earlier: Evidence, *, is_revision: bool) -> None:
        """Begin with the evidence of an earlier run; a revision keeps the names of its claims."""
        self._run.restore(earlier)
        if is_revision:
            self._revised = earlier.findings
        for angle, findings in zip(self._angles, earlier.findings, strict=True):
            angle.resume(findings)

    async def follow_up(self, scope: Scope) -> None:
        lost = {failed.task_id for failed in scope.retried}

        # What a deadline left behind may be overdue for several angles, and is booked for one.
        def wants(piece: OpenWork) -> bool:
            return piece.task_id in lost or piece.retry_recommended

        await asyncio.gather(*(angle.retry(wants) for angle in self._angles))

    async def retry(self, assignment_ids: Collection[str]) -> None:
        self._tasks.try_again()

        def wants(piece: OpenWork) -> bool:
            return piece.retry_recommended and not piece.left_out

        lacking = (angle for angle in self._angles if angle.assignment.id in assignment_ids)
        await asyncio.gather(*(angle.retry(wants) for angle in lacking))

    async def scan(self, disputed: Disputed) -> bool:
        """Look for more values of a disputed quantity; say whether one is new."""
        run = self._run
        if not self.documents.corpus or run.earlier is not None:
            return False
        sides = disputed.contradiction.concerned
        claims = list_claims(run.findings)
        stated = [claim.relevance for claim in claims if claim.id in sides]
        texts = {
            name: entry.reading.snapshot_sha256
            for name, entry in run.shelf.items()
            if entry.admitted and entry.reading is not None
        }
        task = ScanTask(
            task_id="scan",
            description=f"Look for more values of “{disputed.about[:100]}”",
            corpus=self.documents.corpus,
            about=disputed.about,
            unit=disputed.unit,
            relevance=min(stated, default=RELEVANT),
            texts=texts,
        )
        envelope = await self._tasks.do(SCAN, task)
        scanned = envelope.value or Analysis()
        trusted = {name: run.shelf[name].credibility.score for name in texts}
        more = [
            claim.model_copy(update={"credibility": trusted[claim.source_id]})
            for claim in filter_unclaimed(scanned.claims, claims)
            if claim.source_id in trusted
        ]
        planned = self._plan.assignments  # the question itself, where one is that
        direct = next((angle for angle in planned if angle.title == DIRECT), planned[0])
        run.findings = add_claims(run.findings, direct.id, more)
        return bool(more)

    async def cut_short(self) -> None:
        for begun in self._begun:
            await cancel(begun)
        await self.documents.give_up()
        for angle in self._angles:
            angle.cut_short()

    def assess_quorum(self, *, as_overdue: bool = False) -> Verdict:
        """Hold the angles against the quorum; `as_overdue` counts what is under way as failed."""
        findings = [angle.build_findings(as_overdue=as_overdue) for angle in self._angles]
        return check_quorum(self._plan.quorum, list(map(assess_assignment, findings)))

    def build_findings(self) -> tuple[Findings, ...]:
        """What the angles brought so far, in plan order, every claim with its name."""
        if self._revised is not None:
            return self._revised
        return number_claims([angle.build_findings() for angle in self._angles])

    async def _wait_until(self, deadline: timedelta) -> list["asyncio.Task[None]"]:
        """Wait for all until the deadline, then only until what is there makes the quorum."""
        # An angle counts with what it has: one document that hangs, which all of them want, must
        # not hold them all.
        with suppress(TimeoutError):
            await workflow.wait_condition(
                lambda: all(task.done() for task in self._begun),
                timeout=deadline,
                timeout_summary="Deadline of the investigation",
            )
        await workflow.wait_condition(
            lambda: (
                all(task.done() for task in self._begun)
                or self.assess_quorum(as_overdue=True).suffices
            )
        )
        overdue = [
            (angle, begun)
            for angle, begun in zip(self._angles, self._begun, strict=True)
            if not begun.done()
        ]
        for _, begun in overdue:
            await cancel(begun)
        await self.documents.give_up()
        for angle, _ in overdue:
            angle.stop_at_deadline()
        return [begun for _, begun in overdue]


async def collect_kept_claims(evidence: Evidence, disputes: Contradictions) -> None:
    """Take the claims that an answer is written from, with their disputes as they stand there."""
    run, tasks = disputes.run, disputes.tasks
    question, assignment = run.topic, run.assignments[0]
    run.shelf |= {entry.source.id: entry for entry in evidence.shelf}
    if evidence.report is not None:
        run.methods = evidence.report.methods
    claims = asking.select_kept_claims(evidence, (question,))
    more = await _quote_kept_texts(tasks, evidence, question, "look-up")
    languages = asking.list_other_languages(evidence, question)
    if not asking.covers_question((*claims, *more), question):
        languages = (detect_language(question), *languages)
    if languages:
        run.is_reworded = True
        reworded = await _reword(tasks, question, assignment, languages)
        claims = asking.select_kept_claims(evidence, (question, *reworded))
        for number, wording in enumerate(reworded, start=1):
            more += await _quote_kept_texts(tasks, evidence, wording, f"look-up-{number}")
    disputed = frozenset[str]().union(*(dispute.concerned for dispute in evidence.contradictions))
    settled = (claim for claim in list_claims(evidence.findings) if claim.id in disputed)
    more = filter_unclaimed(more, [*claims, *settled])  # what was overruled must not come anew
    findings = (Findings(assignment=assignment, claims=claims, attempted=1, failed=0),)
    run.findings = add_claims(findings, asking.QUESTION, more)
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
    texts = asking.select_nearest_texts(evidence, question, asking.MOST_LOOKED_UP)
    task = LookupTask(
        task_id=task_id,
        description=f"Look through {len(texts)} kept texts",
        question=question,
        sources=tuple(entry.source for entry in texts),
        texts={entry.source.id: entry.reading.snapshot_sha256 for entry in texts if entry.reading},
        wanted=asking.PASSAGES,
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

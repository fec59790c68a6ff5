"""The coordinator."""

import asyncio
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from workflows.attributes import CONFIDENCE, OPEN_CONTRADICTIONS, PHASE, TOPIC
from workflows.dashboard import dashboard
from workflows.delegation import delegate
from workflows.endings import RunEnded, named_end
from workflows.intake import accept
from workflows.investigation import Investigation
from workflows.options import AUDIT, PLAN, PUBLISH, REMEMBER, SYNTHESISE, TAKE_STOCK
from workflows.reading_room import ReadingRoom
from workflows.record import Record

with workflow.unsafe.imports_passed_through():
    from activities.auditing import Auditor
    from activities.planning import Planner
    from activities.publication import Publisher
    from activities.remembering import Archivist
    from activities.stocktaking import Librarian
    from activities.synthesis import Synthesiser
    from caveat.contracts.investigation import Findings
    from caveat.contracts.outcome import Artifact, Ending, Outcome
    from caveat.contracts.plan import Plan, ResearchRequest
    from caveat.contracts.progress import Phase, Progress
    from caveat.contracts.report import Report
    from caveat.contracts.synthesis import Synthesis
    from caveat.contracts.tasks import (
        AuditTask,
        Inventory,
        KeepingTask,
        MemoryTask,
        PlanningTask,
        PublicationTask,
        StockTask,
        SynthesisTask,
    )
    from caveat.rules.admission import BAR, bar
    from caveat.rules.assembly import assemble, synthesis_input
    from caveat.rules.numbering import numbered
    from caveat.rules.quorum import standing, verdict
    from caveat.rules.sizes import SIZES


@workflow.defn
class Research:
    """One run: from a topic to a cited report, or to a named end with its evidence kept."""

    def __init__(self) -> None:
        self._record = Record(
            run_id=workflow.info().workflow_id, started=workflow.now(), on_change=self._show
        )
        self._report: Report | None = None

    @workflow.run
    async def run(self, *given: Any) -> Outcome:
        """Research a topic.

        Takes stock of what can be read, plans angles, investigates them all at once, requires a
        quorum, writes a synthesis of the claims, audits the report that code makes of it,
        publishes and remembers it.

        Args:
            given: one `ResearchRequest`; raw, so that whatever else a client sends ends the run
                by name instead of wedging it.

        Raises:
            ApplicationError: the run ended by name; its type is an `Ending`, its detail a
                `NamedEnd`.
        """
        try:
            request = self._accept(given)
            inventory = await self._take_stock(request)
            plan = await self._plan(request, inventory)
            findings = await self._investigate(request, inventory, plan)
            self._require_quorum(plan, findings)
            synthesis = await self._synthesise()
            report = await self._audit(synthesis)
            artifacts = await self._publish(report)
            await self._remember()
            self._enter(Phase.DONE)
            return Outcome(report=report, artifacts=artifacts)
        except RunEnded as ended:
            raise await self._conclude(ended) from None

    @workflow.query
    def progress(self) -> Progress:
        """Where the run is: a line an assignment, and every failure so far."""
        return self._record.progress()

    @workflow.query
    def report(self) -> Report | None:
        """The report, once there is one."""
        return self._report

    def _accept(self, given: tuple[Any, ...]) -> ResearchRequest:
        request = accept(given)
        self._record.request = request
        self._record.topic = request.topic
        workflow.upsert_search_attributes(
            [TOPIC.value_set(request.topic), OPEN_CONTRADICTIONS.value_set(0)]
        )
        return request

    async def _take_stock(self, request: ResearchRequest) -> Inventory:
        self._enter(Phase.TAKING_STOCK)
        task = StockTask(
            task_id="take-stock", description="Take stock of the corpus", corpus=request.corpus
        )
        envelope = self._record.count(await delegate(Librarian.take_stock, task, TAKE_STOCK))
        if envelope.result is None:
            raise self._ended(Ending.CORPUS_UNUSABLE)
        self._record.stock_taken(envelope.result)
        if envelope.result.documents == 0:
            raise RunEnded(
                Ending.CORPUS_UNUSABLE,
                f"Nothing in {', '.join(envelope.result.corpus)} can be read "
                f"({len(envelope.result.broken)} broken documents): add .md, .txt, .rst, .html or "
                ".pdf files.",
            )
        return envelope.result

    async def _plan(self, request: ResearchRequest, inventory: Inventory) -> Plan:
        self._enter(Phase.PLANNING)
        task = PlanningTask(
            task_id="plan",
            description="Plan the angles of the topic",
            topic=request.topic,
            corpus=inventory.corpus,
            depth=request.depth,
            team=request.team,
            wanted=SIZES[request.depth].assignments,
        )
        envelope = self._record.count(await delegate(Planner.plan, task, PLAN))
        if envelope.result is None:
            raise self._ended(Ending.PLANNING_FAILED)
        self._record.plan_made(envelope.result)
        return envelope.result

    async def _investigate(
        self, request: ResearchRequest, inventory: Inventory, plan: Plan
    ) -> tuple[Findings, ...]:
        self._enter(Phase.INVESTIGATING)
        room = ReadingRoom(self._record, request.max_sources)
        investigations = [
            Investigation(
                assignment=assignment,
                topic=request.topic,
                corpus=inventory.corpus,
                size=SIZES[request.depth],
                room=room,
                record=self._record,
            )
            for assignment in plan.assignments
        ]
        await asyncio.gather(*(each.investigate() for each in investigations))
        await self._lower_the_bar(investigations)
        self._record.findings = list(numbered([each.findings() for each in investigations]))
        return tuple(self._record.findings)

    async def _lower_the_bar(self, investigations: list[Investigation]) -> None:
        admitted = sum(kept.admitted for kept in self._record.shelf.values())
        lowered = bar(admitted)
        if lowered < BAR:
            await asyncio.gather(*(each.look_again(lowered) for each in investigations))

    def _require_quorum(self, plan: Plan, findings: tuple[Findings, ...]) -> None:
        held = verdict(plan.quorum, [standing(found.completeness) for found in findings])
        if not held.holds:
            raise RunEnded(
                Ending.INSUFFICIENT_AGENTS,
                f"Only {held.counted} of {len(findings)} assignments could be carried out and "
                f"{held.needed} are needed: see the failures and start the run again.",
            )
        if not any(found.claims for found in findings):
            raise RunEnded(
                Ending.INSUFFICIENT_EVIDENCE,
                "No passage on the topic was found: ask in the words that the documents use, or "
                "give a corpus that covers it.",
            )

    async def _synthesise(self) -> Synthesis:
        self._enter(Phase.SYNTHESISING)
        task = SynthesisTask(
            task_id="synthesise",
            description="Write the synthesis from the claims",
            evidence=synthesis_input(self._record.material()),
        )
        envelope = self._record.count(await delegate(Synthesiser.synthesise, task, SYNTHESISE))
        if envelope.result is None:
            raise self._ended(Ending.SYNTHESIS_FAILED)
        return envelope.result

    async def _audit(self, synthesis: Synthesis) -> Report:
        self._enter(Phase.AUDITING)
        report = assemble(self._record.material(), synthesis)
        task = AuditTask(
            task_id="audit",
            description="Audit quotes, citations, numbers and confidence",
            report=report,
        )
        envelope = self._record.count(await delegate(Auditor.audit, task, AUDIT))
        if envelope.result is None:
            raise self._ended(Ending.AUDIT_FAILED)
        if not envelope.result.passed:
            findings = envelope.result.findings
            raise RunEnded(
                Ending.AUDIT_FAILED,
                f"The report did not pass its audit ({len(findings)} findings), the first being: "
                f"{findings[0].message}",
            )
        return report

    async def _publish(self, report: Report) -> tuple[Artifact, ...]:
        self._enter(Phase.PUBLISHING)
        self._record.confidence = report.confidence.value
        workflow.upsert_search_attributes([CONFIDENCE.value_set(report.confidence.value)])
        task = PublicationTask(task_id="publish", description="Publish the report", report=report)
        envelope = self._record.count(await delegate(Publisher.publish, task, PUBLISH))
        if envelope.result is None:
            raise self._ended(Ending.PUBLICATION_FAILED)
        self._report = report
        return envelope.result

    async def _remember(self, ending: Ending | None = None) -> None:
        task = MemoryTask(
            task_id="remember", description="Remember the run", record=self._record.closed(ending)
        )
        self._record.count(await delegate(Archivist.remember, task, REMEMBER))

    async def _conclude(self, ended: RunEnded) -> ApplicationError:
        self._record.problem = ended.message
        self._enter(Phase.FAILED)
        if self._record.inventory is None:
            return named_end(ended, None, tuple(self._record.failures))
        task = KeepingTask(
            task_id="keep-evidence",
            description="Keep the evidence",
            evidence=self._record.evidence(ended.ending, ended.message),
        )
        kept = self._record.count(await delegate(Publisher.keep_evidence, task, PUBLISH))
        await self._remember(ended.ending)
        return named_end(ended, kept.result, tuple(self._record.failures))

    def _ended(self, ending: Ending) -> RunEnded:
        """The end that the latest failure makes of the run."""
        return RunEnded(ending, self._record.failures[-1].failure.message)

    def _enter(self, phase: Phase) -> None:
        self._record.enter(phase)
        workflow.upsert_search_attributes([PHASE.value_set(phase)])

    def _show(self, record: Record) -> None:
        workflow.set_current_details(dashboard(record.progress()))

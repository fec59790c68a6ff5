"""The coordinator."""

import asyncio
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ApplicationError, FailureError

from workflows.attributes import CONFIDENCE, OPEN_CONTRADICTIONS, PHASE, TOPIC
from workflows.dashboard import dashboard
from workflows.debating import Debating
from workflows.desk import Desk
from workflows.endings import RunEnded, named_end
from workflows.fieldwork import Fieldwork
from workflows.following_up import FollowUp
from workflows.funds import Funds, LeftOut
from workflows.intake import accept
from workflows.late_rulings import LateRulings, Refused, addressed, rejection, reopened
from workflows.options import (
    AUDIT,
    EXCERPTS,
    PLAN,
    PUBLISH,
    RECALL,
    REMEMBER,
    SYNTHESISE,
    TAKE_STOCK,
    TARIFF,
    WRITE,
)
from workflows.record import Record
from workflows.routing import EVIDENCE, MEMO, route_of
from workflows.settlement import Docket
from workflows.telling import ended_by_name, finished, tell

with workflow.unsafe.imports_passed_through():
    from activities.auditing import Auditor
    from activities.planning import Planner
    from activities.publication import Publisher
    from activities.recalling import Recaller
    from activities.remembering import Archivist
    from activities.stocktaking import Librarian
    from activities.synthesis import Synthesiser
    from activities.writing import Writer
    from caveat.contracts.contradiction import Contradiction, LateRuling
    from caveat.contracts.envelope import AgentType, SubagentResult
    from caveat.contracts.investigation import Findings
    from caveat.contracts.notice import Delivery, Notice, NoticeKind
    from caveat.contracts.outcome import Artifact, Ending, Outcome
    from caveat.contracts.plan import Plan, ResearchRequest
    from caveat.contracts.progress import Phase, Progress
    from caveat.contracts.report import Report, ReportedFailure
    from caveat.contracts.synthesis import Synthesis, SynthesisInput
    from caveat.contracts.tasks import (
        AuditTask,
        Inventory,
        KeepingTask,
        MemoryTask,
        NotificationTask,
        PlanningTask,
        PublicationTask,
        RecallTask,
        StockTask,
        SynthesisTask,
        TariffTask,
        WritingTask,
    )
    from caveat.rules.assembly import Material, assemble, synthesis_input, with_failures
    from caveat.rules.following_up import COMPARERS, FIELDWORKERS, REDONE
    from caveat.rules.quorum import to_retry
    from caveat.rules.shortfall import DEGRADED_BELOW, notice, shortfall
    from caveat.rules.sizes import SIZES


@workflow.defn
class Research:
    """One run: from a topic to a cited report, or to a named end with its evidence kept."""

    def __init__(self) -> None:
        self._record = Record(
            run_id=workflow.info().workflow_id,
            started=workflow.now(),
            on_change=self._show,
            on_unforeseen=self._unforeseen,
        )
        self._told: set[tuple[AgentType, str | None]] = set()
        self._funds = Funds(self._record)
        self._desk = Desk(self._record, self._funds)
        self._docket = Docket(self._record, self._desk)
        self._late = LateRulings(self._record)
        self._notices: list[asyncio.Task[SubagentResult[Delivery]]] = []
        self._report: Report | None = None
        self._follow_up: FollowUp | None = None
        self._fieldwork: Fieldwork | None = None

    @workflow.run
    async def run(self, *given: Any) -> Outcome:
        """Research a topic.

        Takes stock of what can be read, decides who reasons if nobody has, plans angles,
        investigates them all at once, requires a quorum, compares the claims and debates them,
        settles contradictions by rule and asks people about the rest, with a provisional report to
        read meanwhile; writes the final report from what stands, and remembers the run.

        Args:
            given: one `ResearchRequest`; raw, so that whatever else a client sends ends the run
                by name instead of wedging it.

        Raises:
            ApplicationError: the run ended by name; its type is an `Ending`, its detail a
                `NamedEnd`.
        """
        try:
            request = self._accept(given)
            await self._recall(request)
            inventory = await self._take_stock(request)
            await self._look_at_the_budget(request)
            plan = await self._plan(request, inventory)
            await self._investigate(request, inventory, plan)
            await self._compare(request, plan)
            await self._settle(request)
            report, artifacts = await self._finish()
            self._enter(Phase.DONE)
            await self._late.revise(request)
            return Outcome(
                report=report,
                artifacts=artifacts,
                failures=tuple(self._record.failures[len(report.failures) :]),
            )
        except RunEnded as ended:
            raise await self._conclude(ended) from None
        except (asyncio.CancelledError, FailureError):
            if workflow.cancellation_reason() is not None:
                await self._cut_short()
            raise

    @workflow.query
    def progress(self) -> Progress:
        """Where the run is: a line an assignment, and every failure so far."""
        return self._record.progress()

    @workflow.query
    def report(self) -> Report | None:
        """The report, once there is one."""
        return self._report

    @workflow.query
    def contradictions(self) -> tuple[Contradiction, ...]:
        """The claims that disagree, and how far that is settled."""
        return tuple(self._record.contradictions.values())

    @workflow.signal
    async def resolve_contradiction(self, *given: Any) -> None:
        """Take a person's answer and pass it on; whatever is wrong with it is recorded.

        Args:
            given: one object with `contradiction_id`, `ruling`, `reason` and `decided_by`, or
                these one by one.
        """
        try:
            answer = addressed(given, self._record.contradictions)
            await self._answer(answer)
        except Refused as refused:
            self._record.reject(rejection(given, refused, workflow.now()))

    @workflow.update
    def rule_late(self, *given: Any) -> str:
        """Take a ruling on a contradiction that nobody ruled on in time.

        Args:
            given: as of the signal `resolve_contradiction`.

        Returns:
            One sentence on what follows.
        """
        self._late.accept(addressed(given, self._record.contradictions))
        return "The ruling is kept; when this run ends, a revision of its report goes on with it."

    @rule_late.validator
    def _check_late(self, *given: Any) -> None:
        try:
            self._late.check(addressed(given, self._record.contradictions))
        except Refused as refused:
            raise ApplicationError(
                str(refused), type=type(refused).__name__, non_retryable=True
            ) from None

    async def _answer(self, answer: LateRuling) -> None:
        found = self._record.contradictions.get(answer.contradiction_id)
        if found is not None and found.is_open and await self._docket.forward(found, answer.ruling):
            return
        self._late.accept(answer)

    def _accept(self, given: tuple[Any, ...]) -> ResearchRequest:
        request = accept(given)
        self._record.request = request
        self._record.topic = request.topic
        self._record.route = route_of(request, self._record.run_id)
        workflow.upsert_search_attributes(
            [TOPIC.value_set(request.topic), OPEN_CONTRADICTIONS.value_set(0)]
        )
        return request

    async def _recall(self, request: ResearchRequest) -> None:
        """Recall what is followed up, and leave it with the reasoner that it began with."""
        run_id = request.follow_up_of
        if run_id is None:
            return
        task = RecallTask(
            task_id="recall", description=f"Recall the evidence of {run_id[:120]}", run_id=run_id
        )
        envelope = await self._desk.attend(Recaller.recall, task, RECALL)
        earlier = envelope.result
        if earlier is None:
            raise self._ended(Ending.NOTHING_TO_FOLLOW_UP)
        if earlier.plan is None or not earlier.findings:
            raise RunEnded(
                Ending.NOTHING_TO_FOLLOW_UP,
                f"{run_id} ended before it investigated anything: start a new run instead.",
            )
        self._record.earlier = earlier
        if request.reasoner is None and earlier.backend is not None:
            self._record.asked_for(earlier.backend.reasoner)

    async def _take_stock(self, request: ResearchRequest) -> Inventory:
        self._enter(Phase.TAKING_STOCK)
        task = StockTask(
            task_id="take-stock",
            description="Take stock of the corpus",
            corpus=request.corpus,
            exclude=request.exclude,
        )
        envelope = await self._desk.attend(Librarian.take_stock, task, TAKE_STOCK)
        if envelope.result is None:
            raise self._ended(Ending.CORPUS_UNUSABLE)
        self._record.stock_taken(envelope.result)
        self._decide(envelope.result)
        if envelope.result.documents == 0 and not envelope.result.beyond:
            raise RunEnded(
                Ending.CORPUS_UNUSABLE,
                f"Nothing in {', '.join(envelope.result.corpus)} can be read "
                f"({len(envelope.result.broken)} broken documents): add .md, .txt, .rst, .html or "
                ".pdf files.",
            )
        return envelope.result

    def _decide(self, inventory: Inventory) -> None:
        """Stay with whoever took stock, unless it was decided before who works on the run."""
        if self._record.route.backend is None and inventory.backend is not None:
            self._record.decided(inventory.backend)
            workflow.upsert_memo({MEMO: self._record.route})

    async def _look_at_the_budget(self, request: ResearchRequest) -> None:
        """Learn what model calls take, and end at once where the budget is too small for a run."""
        if not self._funds.wants_tariff:
            return
        task = TariffTask(task_id="tariff", description="Look up what model calls take")
        envelope = await self._desk.attend(Planner.tariff, task, TARIFF)
        if envelope.result is None:
            raise self._ended(Ending.PLANNING_FAILED)
        gathers = request.follow_up_of is None
        too_small = self._funds.know(envelope.result, gathers=gathers)
        if too_small is not None:
            raise RunEnded(Ending.BUDGET_TOO_SMALL, too_small)

    async def _plan(self, request: ResearchRequest, inventory: Inventory) -> Plan:
        self._enter(Phase.PLANNING)
        plan = self._record.earlier.plan if self._record.earlier else None
        if plan is None:
            plan = await self._new_plan(request, inventory)
        elif inventory.reasoner is not None:  # which need not be the earlier run's
            plan = plan.model_copy(update={"reasoner": inventory.reasoner})
        self._record.plan_made(plan)
        return plan

    async def _new_plan(self, request: ResearchRequest, inventory: Inventory) -> Plan:
        task = PlanningTask(
            task_id="plan",
            description="Plan the angles of the topic",
            topic=request.topic,
            corpus=inventory.corpus,
            depth=request.depth,
            team=request.team,
            wanted=SIZES[request.depth].assignments,
            critical=request.critical,
        )
        try:
            envelope = await self._desk.attend(Planner.plan, task, PLAN)
        except LeftOut as left:
            raise RunEnded(
                Ending.BUDGET_TOO_SMALL, f"A budget of {left.bound} is too small for a plan."
            ) from None
        if envelope.result is None:
            raise self._ended(Ending.PLANNING_FAILED)
        return envelope.result

    async def _investigate(
        self, request: ResearchRequest, inventory: Inventory, plan: Plan
    ) -> tuple[Findings, ...]:
        self._enter(Phase.INVESTIGATING)
        fieldwork = Fieldwork(request, inventory.corpus, plan, self._record, self._desk)
        self._fieldwork = fieldwork
        earlier = self._record.earlier
        if earlier is None:
            await fieldwork.carry_out(request.deadline)
        else:
            fieldwork.restore(earlier)
        if earlier is not None and not request.rulings:
            everything = request.retry_all
            self._follow_up = FollowUp.of(earlier, self._record, everything=everything)
            await fieldwork.take_up(self._follow_up)
            self._record.findings = list(fieldwork.findings())
            self._require_better(FIELDWORKERS)
        await self._make_quorum(fieldwork)
        self._record.findings = list(fieldwork.findings())
        return tuple(self._record.findings)

    def _require_better(self, done: frozenset[AgentType]) -> None:
        """End a follow-up by name that has nothing to say beyond the report that it revises."""
        if self._follow_up is None:
            return
        if AgentType.WRITER not in done:  # without the last form there is a report all the same
            self._follow_up.require_service(self._desk.refusal(PLAN))
        self._follow_up.require_progress(done)

    async def _make_quorum(self, fieldwork: Fieldwork) -> None:
        """Retry what the quorum lacks once, tell a person, and end by name if it still lacks it."""
        wanted = to_retry(fieldwork.verdict())
        if wanted:
            self._tell(*notice(fieldwork.verdict()))
            await fieldwork.retry([seat.assignment_id for seat in wanted])
        lacking = shortfall(fieldwork.verdict(), tuple(self._record.left_out))
        if lacking is not None:
            self._record.findings = list(fieldwork.findings())
            raise RunEnded(*lacking)

    async def _compare(self, request: ResearchRequest, plan: Plan) -> None:
        """Find what disagrees and debate what was found; a revision by rulings does neither."""
        record = self._record
        if request.rulings and record.earlier is not None:
            record.debate = record.earlier.debate
            # It neither compares nor debates anew, so what failed in that is still missing.
            record.failures += [
                failed for failed in record.earlier.failures if failed.agent_type in COMPARERS
            ]
            if record.earlier.report is not None:
                record.methods = record.earlier.report.methods
            record.contradictions = await reopened(record.earlier, request.rulings, self._desk)
            return
        self._enter(Phase.COMPARING)
        await self._docket.detect(request.topic, plan.assignments)
        self._enter(Phase.DEBATING)
        record.debate = await Debating(record, self._desk).debate(request.topic)
        self._require_better(FIELDWORKERS | COMPARERS)

    async def _settle(self, request: ResearchRequest) -> None:
        """Settle every contradiction; while people think, a provisional report is there to read."""
        self._enter(Phase.SETTLING)
        await self._docket.settle(request.arbitration_timeout)
        if self._record.open_contradictions():
            self._record.will_write_again = True
            await self._write_provisionally()
            self._record.will_write_again = False
            self._enter(Phase.AWAITING_RULINGS)
            await self._docket.all_settled()

    async def _write_provisionally(self) -> None:
        """Publish what is known so far.

        What fails is said now, and tried again for the final report: people may rule without one.
        """
        before = len(self._record.failures)
        try:
            await self._write()
            self._record.provisional = True
        except RunEnded as ended:
            self._record.provisional_missing(ended, before)
        self._record.provisional_failures = self._record.failures[before:]

    async def _finish(self) -> tuple[Report, tuple[Artifact, ...]]:
        """Write the report, keep everything, and tell people.

        What fails behind the report is told by the report too: it is written first, so that no
        crash and no full disk costs it, and once more when there is something to add.
        """
        retried = self._record.tried_again()
        try:
            report, artifacts = await self._write()
        except RunEnded:
            self._record.failed_again(retried)
            raise
        kept = await self._remember(report, artifacts)
        if len(self._record.failures) > len(report.failures):
            return await self._amend(report, artifacts, kept)
        return report, artifacts

    async def _amend(
        self, report: Report, artifacts: tuple[Artifact, ...], kept: Artifact | None
    ) -> tuple[Report, tuple[Artifact, ...]]:
        """Write a report again that tells of what failed behind it; else the first one stands."""
        amended = with_failures(report, self._record.material())
        try:
            artifacts = await self._publish(amended)
        except RunEnded:
            return report, artifacts
        if kept is not None:
            await self._keep(amended)
        return amended, artifacts

    async def _write(self) -> tuple[Report, tuple[Artifact, ...]]:
        # A ruling that arrives meanwhile is for the next report: this one must be of one piece.
        contradictions = tuple(self._record.contradictions.values())
        evidence = synthesis_input(self._material(contradictions))
        synthesis = await self._formatted(evidence, await self._synthesise(evidence))
        report = await self._audit(synthesis, contradictions)
        return report, await self._publish(report)

    async def _synthesise(self, evidence: SynthesisInput) -> Synthesis:
        self._enter(Phase.SYNTHESISING)
        task = SynthesisTask(
            task_id=self._record.new_id("synthesise"),
            description="Write the synthesis from the claims",
            evidence=evidence,
        )
        self._record.unwritten_for = None
        try:
            written = (await self._desk.attend(Synthesiser.synthesise, task, SYNTHESISE)).result
        except LeftOut as left:
            written, self._record.unwritten_for = None, left.bound
        if written is not None:
            self._record.unwritten_for = None
        elif self._record.unwritten_for is not None:
            written = await self._excerpts(task)
        if written is None:
            raise self._ended(Ending.SYNTHESIS_FAILED)
        return written

    async def _excerpts(self, task: SynthesisTask) -> Synthesis | None:
        """Have code put quotes together, where the budget leaves no room for a synthesis."""
        name = self._record.new_id("excerpts")
        by_code = task.model_copy(update={"task_id": name, "by_code": True})
        return (await self._desk.attend(Synthesiser.synthesise, by_code, EXCERPTS)).result

    async def _formatted(self, evidence: SynthesisInput, draft: Synthesis) -> Synthesis:
        """Have a model's prose put into its final form; where that fails it stays as it is."""
        plan = self._record.plan
        has_prose = self._record.unwritten_for is None
        if plan is None or not plan.reasoner.uses_language_model or not has_prose:
            return draft
        task = WritingTask(
            task_id=self._record.new_id("write"),
            description="Put the synthesis into its final form",
            evidence=evidence,
            draft=draft,
        )
        try:
            envelope = await self._desk.attend(Writer.write, task, WRITE)
        except LeftOut:
            return draft
        self._require_better(FIELDWORKERS | REDONE)
        return draft if envelope.result is None else envelope.result

    async def _audit(
        self, synthesis: Synthesis, contradictions: tuple[Contradiction, ...]
    ) -> Report:
        self._enter(Phase.AUDITING)
        report = assemble(self._material(contradictions), synthesis)
        task = AuditTask(
            task_id=self._record.new_id("audit"),
            description="Audit quotes, citations, numbers and confidence",
            report=report,
        )
        envelope = await self._desk.attend(Auditor.audit, task, AUDIT)
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

    def _material(self, contradictions: tuple[Contradiction, ...]) -> Material:
        return self._record.material().model_copy(update={"contradictions": contradictions})

    async def _publish(self, report: Report) -> tuple[Artifact, ...]:
        self._enter(Phase.PUBLISHING)
        self._record.confidence = report.confidence.value
        workflow.upsert_search_attributes([CONFIDENCE.value_set(report.confidence.value)])
        task = PublicationTask(
            task_id=self._record.new_id("publish"), description="Publish the report", report=report
        )
        envelope = await self._desk.attend(Publisher.publish, task, PUBLISH)
        if envelope.result is None:
            raise self._ended(Ending.PUBLICATION_FAILED)
        self._report = report
        return envelope.result

    async def _remember(
        self,
        report: Report | None,
        artifacts: tuple[Artifact, ...] = (),
        ended: RunEnded | None = None,
    ) -> Artifact | None:
        """Keep the evidence for follow-ups, tell people of the report, and keep a record.

        The record comes last, so that it holds what failed before it.
        """
        record = self._record
        kept = await self._keep(report, ended)
        if report is not None and report.confidence.value < DEGRADED_BELOW:
            self._tell(
                NoticeKind.DEGRADED,
                f"The report of {record.run_id} has a confidence of {report.confidence.value:.2f}.",
            )
        if report is not None:
            self._tell(*finished(report, artifacts))
        await self._notices_told()
        await self._desk.attend(
            Archivist.remember,
            MemoryTask(
                task_id=record.new_id("remember"),
                description="Remember the run",
                record=record.closed(ended.ending if ended else None),
            ),
            REMEMBER,
        )
        return kept

    async def _keep(self, report: Report | None, ended: RunEnded | None = None) -> Artifact | None:
        """Keep the evidence; None where that failed."""
        record = self._record
        kept = await self._desk.attend(
            Publisher.keep_evidence,
            KeepingTask(
                task_id=record.new_id("keep-evidence"),
                description="Keep the evidence",
                evidence=record.evidence(report, ended),
            ),
            PUBLISH,
        )
        return kept.result

    async def _conclude(self, ended: RunEnded) -> ApplicationError:
        self._record.problem = ended.message
        self._enter(Phase.FAILED)
        evidence = None
        if self._record.inventory is not None:
            evidence = await self._remember(None, ended=ended)
        if self._record.request is not None:  # who sent what is no request is told by its result
            self._tell(*ended_by_name(self._record.run_id, ended, evidence))
        await self._notices_told()
        return named_end(ended, evidence, self._record.progress())

    async def _cut_short(self) -> None:
        """Stop what goes on in a run that was cancelled, and keep what it found so far.

        Where that lies is in the memo: a cancelled workflow has no result that could say it.
        """
        record = self._record
        ended = RunEnded(Ending.CANCELLED, "It was cancelled.")
        record.problem = ended.message
        self._enter(Phase.CANCELLED)
        await self._docket.give_up()
        if self._fieldwork is not None:
            await self._fieldwork.cut_short()
            record.findings = list(self._fieldwork.findings())
        if record.inventory is not None:
            evidence = await self._remember(None, ended=ended)
            workflow.upsert_memo({EVIDENCE: evidence})
            self._tell(*ended_by_name(record.run_id, ended, evidence))
        await self._notices_told()

    def _tell(self, kind: NoticeKind, message: str) -> None:
        """Tell people, without waiting for the delivery and without recovering it."""
        record = self._record
        task_id = record.new_id("notify")
        told = Notice(
            id=f"{record.run_id}-{task_id}",
            kind=kind,
            run_id=record.run_id,
            topic=record.topic,
            message=message,
            created=workflow.now(),
        )
        task = NotificationTask(task_id=task_id, description=f"Tell people: {kind}", notice=told)
        self._notices.append(asyncio.create_task(tell(task, record.route)))

    async def _notices_told(self) -> None:
        told, self._notices = self._notices, []
        for envelope in await asyncio.gather(*told):
            self._record.count(envelope)

    def _ended(self, ending: Ending) -> RunEnded:
        """The end that the latest failure makes of the run."""
        return RunEnded(ending, self._record.failures[-1].failure.message)

    def _enter(self, phase: Phase) -> None:
        self._record.enter(phase)
        workflow.upsert_search_attributes([PHASE.value_set(phase)])

    def _unforeseen(self, failed: ReportedFailure) -> None:
        """Tell people once a role and provider; of a notice that failed, no notice."""
        kind = (failed.agent_type, failed.failure.provider)
        if failed.agent_type is AgentType.HERALD or kind in self._told:
            return
        self._told.add(kind)
        self._tell(
            NoticeKind.UNKNOWN_FAILURE,
            f"The {failed.agent_type} failed in a way that nobody foresaw: "
            f"{failed.failure.message} (`caveat failures {self._record.run_id}`)",
        )

    def _show(self, record: Record) -> None:
        workflow.set_current_details(dashboard(record.progress()))

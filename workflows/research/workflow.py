"""The coordinator: the run on one page, and what people may ask of it and tell it.

Every activity is called by `Tasks.do` with a policy of `options.py`, which names the activity. The
one `workflow.execute_activity` is in `delegation.py`.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import FailureError

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.envelope import AgentType
from caveat.contracts.outcome import Artifact, Ending, Evidence, Outcome, Progress
from caveat.contracts.phase import Phase
from caveat.contracts.plan import Inventory, Plan, ResearchRequest
from caveat.contracts.report import Report
from caveat.contracts.tasks import PlanningTask, RateCardTask, RecallTask, StockTask
from caveat.problem import Problem
from caveat.rendering.amounts import format_count
from caveat.rendering.details import render_run_details
from caveat.rendering.mistakes import describe_mistakes
from caveat.rules.lines import name_folder
from caveat.rules.report.answering import DIRECT
from caveat.rules.report.closest import describe_counting, describe_languages, is_count
from caveat.rules.report.values import find_disputed_quantity
from caveat.rules.run.asking import plan_question, select_nearest_texts
from caveat.rules.run.budget import is_bounded
from caveat.rules.run.estimate import SIZES
from caveat.rules.run.quorum import build_notice, find_shortfall, select_retries
from caveat.rules.run.recovery import COMPARERS, FIELDWORKERS, build_scope
from caveat.rules.sources.unread import list_missing_parts
from caveat.workflows.answers import Refused, count_values
from caveat.workflows.names import (
    EVIDENCE,
    MEMO,
    OPEN_CONTRADICTIONS,
    RESEARCH,
    SHOWN,
    TOPIC,
    Handler,
    build_route,
    cut_topic,
)
from caveat.workflows.options import PLAN, RATE_CARD, RECALL, TAKE_STOCK
from caveat.workflows.research import people
from caveat.workflows.research.budget import RunBudget
from caveat.workflows.research.contradictions import Contradictions
from caveat.workflows.research.investigation import Investigation, collect_kept_claims
from caveat.workflows.research.report import Reports
from caveat.workflows.research.run import Run, RunEnded, require_result
from caveat.workflows.research.tasks import Tasks

EXAMPLE = '{"topic": "How fast is the universe expanding?"}'

RULING_EXAMPLE = '{"contradiction_id": "contradiction-1", "ruling": "b", "reason": "It is newer."}'

LARGEST = 5_000
"""Values in a request, its lists and objects counted through: with a ruling on each of hundreds of
contradictions it has fewer, and more than a hundred thousand take longer to refuse one by one than
a workflow task may."""


@workflow.defn(name=RESEARCH)
class Research:
    """One run: from a topic to a cited report, or to a named end with its evidence kept."""

    def __init__(self) -> None:
        self._run = Run(workflow.info().workflow_id, workflow.now())
        self._tasks = Tasks(self._run, RunBudget(self._run))
        self._contradictions = Contradictions(self._run, self._tasks)
        self._reports = Reports(self._run, self._tasks)
        self._investigation: Investigation | None = None

    @workflow.run
    async def run(self, *args: Any) -> Outcome:
        """Research a topic.

        Args:
            args: one `ResearchRequest`; raw, because a run whose input cannot be decoded is stuck
                on the server, and one that can say what is wrong with it ends by name.
        """
        try:
            request = self._accept(args)
            self._compare_with_last(request)
            return await self._research(request)
        except RunEnded as ended:
            evidence = await self._conclude(ended)
            raise self._run.build_named_end(ended, evidence) from None
        except (asyncio.CancelledError, FailureError):
            if workflow.cancellation_reason() is not None:
                evidence = await self._conclude(RunEnded(Ending.CANCELLED, "It was cancelled."))
                # A cancelled workflow has no result that could say where that lies.
                if self._run.inventory is not None:
                    workflow.upsert_memo({EVIDENCE: evidence})
            raise

    async def _research(self, request: ResearchRequest) -> Outcome:
        """Answer a request.

        Take stock of what can be read, which decides who reasons if nobody has; plan angles, which
        a person may want to approve; investigate them all at once and require a quorum; compare the
        claims, and have them debated if its team wants that; settle contradictions by rule and ask
        people about the rest, with a provisional report to read meanwhile; write the final report
        from what stands and what was said of it. What people rule after that goes into a revision.
        """
        await self._recall(request)
        inventory = await self._take_stock(request)
        await self._check_budget()
        plan = await self._plan(request, inventory)
        plan = await people.obtain_approval(self._run, request, plan)
        if self._run.answers_from_kept:
            await self._ask_kept()
        else:
            await self._investigate(request, inventory, plan)
            await self._compare(request, plan)
            await self._settle(request)
        report, files = await self._reports.publish_final()
        self._run.enter_phase(Phase.DONE)
        await people.revise_by_late_rulings(self._run, request)
        await workflow.wait_condition(workflow.all_handlers_finished)
        failures = self._run.failures[len(report.failures) :]
        return Outcome(report=report, artifacts=files, failures=failures)

    def details(self) -> str:
        """Draw what the Web UI shows of the run (`caveat.workers.worker`)."""
        return render_run_details(self._run.build_progress())

    @workflow.query(name=Handler.PROGRESS, description="Where the run is, and what failed.")
    def progress(self) -> Progress:
        return self._run.build_progress()

    @workflow.query(name=Handler.REPORT, description="The report, once there is one.")
    def report(self) -> Report | None:
        return self._run.report

    @workflow.query(description="The claims that disagree, and how far that is settled.")
    def contradictions(self) -> tuple[Contradiction, ...]:
        return tuple(self._run.contradictions.values())

    @workflow.signal(description=f"Rule on a contradiction: {RULING_EXAMPLE}")
    async def resolve_contradiction(self, *args: Any) -> None:
        """Take a person's answer and pass it on; whatever is wrong with it is recorded."""
        # After a reset it arrives once more, before the claims are compared again.
        await workflow.wait_condition(lambda: self._run.is_compared)
        try:
            if not await self._contradictions.forward(args):
                people.accept_late_ruling(self._run, args)
        except Refused as refused:
            self._run.refused.add(args, refused)

    @workflow.signal(dynamic=True, description="Any other signal is recorded as refused.")
    def unknown(self, name: str, args: Sequence[RawValue]) -> None:
        refused = Refused(f"There is no signal `{name[:40]}`: signal `resolve_contradiction`.")
        self._run.refused.add(args, refused)

    @workflow.update(
        name=Handler.RULE_LATE, description="Rule on a contradiction that nobody settled in time."
    )
    def rule_late(self, *args: Any) -> str:
        people.accept_late_ruling(self._run, args)
        return "The ruling is kept: the final report follows it, or a revision of that report."

    @rule_late.validator
    def _check_late(self, *args: Any) -> None:
        people.check_late_ruling(self._run, args)

    @workflow.update(name=Handler.APPROVE, description=f"Approve the plan: {people.EXAMPLE}")
    def approve(self, *args: Any) -> str:
        return people.accept_approval(self._run, args)

    @approve.validator
    def _check_approval(self, *args: Any) -> None:
        people.check_approval(self._run, args)

    def _accept(self, args: tuple[Any, ...]) -> ResearchRequest:
        request = _parse_request(args)
        run = self._run
        run.request, run.topic, run.route = request, request.topic, build_route(request)
        listed = TOPIC.value_set(cut_topic(request.topic))
        self._run.show_attributes(listed, OPEN_CONTRADICTIONS.value_set(0))
        return request

    def _compare_with_last(self, request: ResearchRequest) -> None:
        """Have a scheduled run say what changed since the last one that had a report."""
        if request.schedule is None or not workflow.has_last_completion_result():
            return
        try:
            last = workflow.get_last_completion_result(Outcome)
        except (ValueError, Problem) as error:  # of another version, or its payload is gone
            workflow.logger.warning("the last result is no report: %s", type(error).__name__)
            return
        if isinstance(last, Outcome):
            self._run.since = last.report

    async def _recall(self, request: ResearchRequest) -> None:
        """Recall what is followed up, if anything; what has investigated nothing is done anew."""
        run_id = request.follow_up_of or request.asked_of
        if run_id is None:
            return
        task = RecallTask(
            task_id="recall", description=f"Recall the evidence of {run_id[:120]}", run_id=run_id
        )
        envelope = await self._tasks.do(RECALL, task)
        earlier = require_result(envelope, Ending.NOTHING_TO_FOLLOW_UP)
        if request.follow_up_of is None:
            self._run.kept = earlier
        elif earlier.plan is not None and earlier.findings:
            self._run.recall(earlier)

    async def _take_stock(self, request: ResearchRequest) -> Inventory:
        inventory, run = None, self._run
        run.enter_phase(Phase.TAKING_STOCK)
        earlier = run.earlier if request.rulings else None
        if run.kept is not None and not request.searches:
            earlier = run.kept
        if earlier is not None and run.route.backend == earlier.backend:
            # Where only a ruling or a question is new, nothing is read.
            inventory = earlier.inventory
        if inventory is None:
            task = StockTask(
                task_id="take-stock",
                description="Take stock of the corpus",
                topic=request.topic,
                corpus=request.corpus,
            )
            envelope = await self._tasks.do(TAKE_STOCK, task)
            inventory = require_result(envelope, Ending.CORPUS_UNUSABLE)
        run.inventory = inventory
        run.tasks += len(inventory.broken)
        run.emit_event("run.started", topic=request.topic)
        for number, document in enumerate(inventory.broken, start=1):
            what = f"Read {document.path}"
            run.record_loss(f"take-stock-{number}", AgentType.LIBRARIAN, what, document.failure)
        if run.route.backend is None and inventory.backend is not None:
            # From now on and to the end: who takes stock also reasons and searches.
            run.route = run.route.model_copy(update={"backend": inventory.backend})
            workflow.upsert_memo({MEMO: run.route, SHOWN: run.topic})
        if inventory.documents == 0 and not inventory.beyond:
            broken = f" ({format_count(len(inventory.broken), 'unreadable document')})"
            raise RunEnded(
                Ending.CORPUS_UNUSABLE,
                f"Nothing in {', '.join(map(name_folder, inventory.corpus))} can be read"
                f"{broken if inventory.broken else ''}: add documents, such as .pdf, .docx, "
                ".html, .md or .txt files.",
            )
        return inventory

    async def _check_budget(self) -> None:
        """Learn what model calls take, and end at once where the budget is too small for a run."""
        if not is_bounded(self._run.request.budget):
            return
        task = RateCardTask(task_id="rate-card", description="Look up what model calls take")
        envelope = await self._tasks.do(RATE_CARD, task)
        rate_card = require_result(envelope, Ending.PLANNING_FAILED)
        too_small = self._tasks.budget.know(rate_card, gathers=self._run.earlier is None)
        if too_small is not None:
            raise RunEnded(Ending.BUDGET_TOO_SMALL, too_small)

    async def _plan(self, request: ResearchRequest, inventory: Inventory) -> Plan:
        self._run.enter_phase(Phase.PLANNING)
        earlier, kept = self._run.earlier, self._run.kept
        plan = earlier.plan if earlier else None
        if kept is not None and kept.plan is not None:
            plan = plan_question(kept.plan, request.topic, kept.topic, DIRECT)
        if plan is None:
            task = PlanningTask(
                task_id="plan",
                description="Plan the angles of the topic",
                topic=request.topic,
                corpus=inventory.corpus,
                depth=request.depth,
                team=request.team,
                wanted=SIZES[request.depth].assignments,
                critical=request.critical,
                titles=tuple(
                    source.title if source.path is None else f"{source.title} ({source.path})"
                    for source in inventory.listed
                ),
                may_ask=request.approve_plan,
            )
            envelope = await self._tasks.do(PLAN, task, is_named=False)
            if envelope.left_out is not None:
                too_small = f"A budget of {envelope.left_out} is too small for a plan."
                raise RunEnded(Ending.BUDGET_TOO_SMALL, too_small)
            plan = require_result(envelope, Ending.PLANNING_FAILED)
        elif inventory.reasoner is not None:  # which need not be the earlier run's
            plan = plan.model_copy(update={"reasoner": inventory.reasoner})
        self._run.start_plan(plan)
        return plan

    async def _ask_kept(self) -> None:
        """Answer from what a run has kept, whether its disputes are settled or not."""
        run = self._run
        run.enter_phase(Phase.INVESTIGATING)
        if run.kept is not None:
            await collect_kept_claims(run.kept, self._contradictions)
        run.enter_phase(Phase.SETTLING)

    async def _investigate(
        self, request: ResearchRequest, inventory: Inventory, plan: Plan
    ) -> None:
        """Investigate every angle, or what an earlier run left, and require a quorum."""
        run = self._run
        run.enter_phase(Phase.INVESTIGATING)
        # What is kept is read without its folder, which may be gone.
        corpus = inventory.corpus if run.kept is None or request.searches else ()
        angles = self._investigation = Investigation(request, corpus, plan, run, self._tasks)
        if run.kept is not None:
            await angles.read_again(select_nearest_texts(run.kept, request.topic))
        if run.earlier is not None:
            await self._follow_up(request, angles, run.earlier)
        elif run.kept is None or request.searches:
            await angles.carry_out(request.deadline)
        await self._require_quorum(angles)

    async def _follow_up(
        self, request: ResearchRequest, angles: Investigation, earlier: Evidence
    ) -> None:
        """Go on with what an earlier run found; try again what failed, unless rulings are new."""
        angles.restore(earlier, is_revision=bool(request.rulings))
        if request.rulings:
            return
        scope = build_scope(earlier.ending, earlier.failures, everything=request.retry_all)
        if scope.is_empty and earlier.report is not None:
            raise RunEnded(
                Ending.NOTHING_TO_FOLLOW_UP,
                f"No failure of {earlier.run_id} is worth trying again: "
                f"`caveat status {earlier.run_id}` says why.",
            )
        self._run.scope = scope
        await angles.follow_up(scope)
        self._run.findings = angles.build_findings()
        self._run.require_better(FIELDWORKERS)

    async def _require_quorum(self, angles: Investigation) -> None:
        """Retry what the quorum lacks once, tell a person, and end by name if it still lacks it."""
        verdict = angles.assess_quorum()
        if wanted := select_retries(verdict):
            self._run.notify(*build_notice(verdict))
            await angles.retry([member.assignment_id for member in wanted])
        self._run.findings = angles.build_findings()
        lacking = find_shortfall(angles.assess_quorum(), tuple(self._run.left_out))
        if lacking is not None and not (lacking.is_silence and self._run.has_model):
            ending, message, subject, _ = lacking
            inventory = self._run.inventory
            notes = list_missing_parts(inventory.unread) if inventory else ()
            if inventory and inventory.documents and lacking.is_silence:
                topic = self._run.topic
                if is_count(topic):
                    return  # how many documents were read is an answer
                languages = describe_languages(topic, inventory.languages)
                notes = (languages, describe_counting(topic, inventory.documents), *notes)
            explanation = " ".join(filter(None, (message, *notes)))
            raise RunEnded(ending, explanation, subject)

    async def _compare(self, request: ResearchRequest, plan: Plan) -> None:
        """Find what disagrees, and have it debated; a revision by rulings does neither."""
        run = self._run
        if request.rulings and run.earlier is not None:
            run.restore_comparison(run.earlier)
            run.contradictions = await people.reopen(run.earlier, request.rulings, self._tasks)
            return
        run.enter_phase(Phase.COMPARING)
        contradictions = await self._contradictions.detect()
        quantity = find_disputed_quantity(contradictions, run.findings)
        if quantity is not None and self._investigation is not None:
            # Also with what documents state that nobody read. A model is not asked twice: what it
            # could not compare stands in the table of values alone.
            states_more = await self._investigation.scan(quantity)
            if states_more and not run.has_model:
                contradictions = await self._contradictions.detect()
        self._contradictions.open(contradictions)
        if plan.debate:
            run.enter_phase(Phase.DEBATING)
            await self._contradictions.debate()
        run.require_better(FIELDWORKERS | COMPARERS)

    async def _settle(self, request: ResearchRequest) -> None:
        """Settle every contradiction; while people think, a provisional report is there to read."""
        self._run.enter_phase(Phase.SETTLING)
        await self._contradictions.settle(request.arbitration_timeout)
        if any(contradiction.is_awaited for contradiction in self._run.contradictions.values()):
            await self._reports.publish_provisional()
            self._run.enter_phase(Phase.AWAITING_RULINGS)
            await self._contradictions.wait_for_rulings()
        await people.apply_late_rulings(self._run, self._tasks)
        self._contradictions.leave_for_review()

    async def _conclude(self, ended: RunEnded) -> Artifact | None:
        """Keep what was found until a run ended without a report, and tell people."""
        run = self._run
        is_cancelled = ended.ending is Ending.CANCELLED
        was_investigating = run.phase is Phase.INVESTIGATING
        run.problem = ended.message
        run.enter_phase(Phase.CANCELLED if is_cancelled else Phase.FAILED)
        if is_cancelled:
            await self._contradictions.give_up()
        if is_cancelled and self._investigation is not None:
            await self._investigation.cut_short()
            if was_investigating:  # later on, what a scan found is there as well
                run.findings = self._investigation.build_findings()
        evidence = None
        if run.inventory is not None:
            await people.apply_late_rulings(self._run, self._tasks)
            evidence = await self._reports.keep(ended)
        # Who sent what is no request is told by its result.
        if run.inventory is not None or (run.topic and not is_cancelled):
            run.announce_end(ended, evidence)
        await run.wait_for_deliveries()
        return evidence


def _parse_request(args: tuple[Any, ...]) -> ResearchRequest:
    if len(args) != 1 or not isinstance(args[0], dict):
        wrong = "A run takes one JSON object, for example"
    elif count_values(args[0]) > LARGEST:
        wrong = f"The request has more than {LARGEST:,} values. For example"
    else:
        try:
            return ResearchRequest.parse_sent(args[0])
        except ValidationError as error:
            mistakes = describe_mistakes(error, "request")
            wrong = f"The request is not valid: {mistakes}. For example"
    raise RunEnded(Ending.INVALID_REQUEST, f"{wrong} {EXAMPLE}.")

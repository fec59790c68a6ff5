"""The report of a run: written from what stands, audited, published, and kept."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import FailureError

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.envelope import AgentType
from caveat.contracts.outcome import Artifact, Ending
from caveat.contracts.phase import Phase, Step
from caveat.contracts.report import Report
from caveat.contracts.synthesis import Synthesis, SynthesisInput, WrittenProse
from caveat.contracts.tasks import (
    NOTICE_LIMIT,
    AuditTask,
    KeepingTask,
    NoticeKind,
    PublicationTask,
    RevisionTask,
    SynthesisTask,
    Task,
    VerificationTask,
)
from caveat.rules.contradictions.contest import leave_untold_disputes
from caveat.rules.evidence.claims import replace_texts_by_quotes
from caveat.rules.report.assembly import build_synthesis_input
from caveat.rules.report.portions import forget_dropped, join_portions, sort_prose, split_evidence
from caveat.rules.report.statements import ANSWER, list_unsupported
from caveat.rules.run.quorum import DEGRADED
from caveat.rules.run.recovery import FIELDWORKERS, REDONE
from caveat.workflows import options
from caveat.workflows.names import CONFIDENCE
from caveat.workflows.research.run import Run, RunEnded, count, require_result
from caveat.workflows.research.tasks import Tasks, cancel

NO_RECORD = "no-record"  # the marker of runs that memory keeps no line of

T = TypeVar("T", bound=VerificationTask)


@dataclass(frozen=True)
class Reports:
    run: Run
    tasks: Tasks  # where tasks are given out

    async def publish_provisional(self) -> None:
        """Publish what is known so far, for people to rule by."""
        # What fails is said now, and tried again for the final report: people may rule without one.
        run = self.run
        before = len(run.failures)
        run.writes_again = True
        try:
            # Kept at once: a question may be put to it while people think.
            await self._publish_and_keep(await self._write())
            run.provisional = True
        except RunEnded as ended:
            problem = f"The provisional report could not be written: {ended.message}"
            run.provisional_problem = problem
        beside = (AgentType.HERALD, AgentType.MESSENGER, AgentType.CLERK)
        run.provisional_failures = tuple(
            failure for failure in run.failures[before:] if failure.agent_type not in beside
        )
        run.writes_again = False

    async def publish_final(self) -> tuple[Report, tuple[Artifact, ...]]:
        """Write the report, keep everything, and tell people."""
        run = self.run
        run.make_good(*(failure.task_id for failure in run.provisional_failures))
        report = await self._write()
        files = await self._publish_and_keep(report)
        changes = report.revision.changes if report.revision else ()
        # Of a scheduled run that found what the one before had found, nobody is told.
        if run.since is None or changes:
            if report.reasoner.uses_language_model and report.confidence.value < DEGRADED:
                value = f"{report.confidence.value:.2f}"
                degraded = f"The report of {run.run_id} has a confidence of {value}."
                run.notify(NoticeKind.DEGRADED, degraded)
            run.notify(*_describe_report(report, files, is_scheduled=run.since is not None))
        run.emit_event("run.ended", ending="report")
        rejected = report.metrics.rejected_quotes
        count("caveat_quotes_rejected", "Quotes that their source does not say", rejected)
        await self._wait_for_deliveries()
        return report, files

    async def keep(self, ended: RunEnded) -> Artifact | None:
        """Keep the evidence of a run that has no report, and a record of it."""
        artifact = await self._keep_evidence(None, ended)
        await self._wait_for_deliveries()
        return artifact

    async def _wait_for_deliveries(self) -> None:
        await self.run.wait_for_deliveries()
        if not workflow.patched(NO_RECORD):  # a run that began before asks to be remembered
            task = Task(task_id=self.run.create_id("remember"), description="Remember the run")
            await self.tasks.do(options.REMEMBER, task)

    async def _publish_and_keep(self, report: Report) -> tuple[Artifact, ...]:
        """Publish a report and keep what it rests on, at once; both are done when this ends."""
        keeping = asyncio.create_task(self._keep_evidence(report, None))
        try:
            files = await self._publish(report)
        except RunEnded:
            await keeping
            raise
        except (asyncio.CancelledError, FailureError):
            await cancel(keeping)  # what is kept of a cancelled run must not be overtaken by it
            raise
        await keeping
        return files

    async def _write(self) -> Report:
        # A ruling that arrives meanwhile is for the next report: this one must be of one piece.
        contradictions = tuple(self.run.contradictions.values())
        evidence = build_synthesis_input(self.run.build_material(contradictions))
        synthesis = await self._write_prose(evidence)
        if self.run.answers_from_kept:  # what nobody asked about
            left = leave_untold_disputes(self.run.findings, contradictions, synthesis)
            self.run.findings, contradictions = left
            untold = self.run.unsettled.difference(dispute.id for dispute in contradictions)
            self.run.methods = self.run.methods.model_copy(update={"untold": len(untold)})
        if synthesis.verification is not None:  # what a quote does not carry is told no more
            restated = synthesis.verification.restated
            self.run.findings = replace_texts_by_quotes(self.run.findings, restated)
        try:
            report = await self._audit(contradictions, synthesis)
        except RunEnded:
            # Words that cannot be judged cost themselves: what was found stands in its quotes.
            if not self.run.has_model:
                raise
            report = await self._audit(contradictions, await self._write_excerpts(evidence))
        self.run.enter_phase(Phase.PUBLISHING)
        metrics = report.metrics.model_copy(update={"phases": self.run.phases})
        return report.model_copy(update={"metrics": metrics})

    async def _write_prose(self, evidence: SynthesisInput) -> Synthesis:
        """Have the answer and each section written and verified, at once."""
        # Within a budget of calls one call writes everything, which costs less than one a section.
        run = self.run
        run.enter_phase(Phase.SYNTHESISING)
        run.unwritten_for = None
        portions = {"": evidence}
        if self.run.has_model and self.tasks.budget.account is None:
            portions = split_evidence(evidence)
        if run.answers_from_kept:
            portions = {ANSWER: evidence}
        untouched, outdated = sort_prose(portions, run.prose)
        names = [name for name in portions if name not in untouched]
        written = await asyncio.gather(
            *(self._write_portion(name, portions[name], outdated.get(name)) for name in names)
        )
        new = {name: prose for name, prose in zip(names, written, strict=True) if prose}
        known = untouched | new
        if self.run.has_model:
            run.prose = WrittenProse(portions=known, contradictions=evidence.contradictions)
        run.require_better(FIELDWORKERS | REDONE)
        first, *others = (known.get(name) for name in portions)
        return join_portions(first or await self._write_excerpts(evidence), filter(None, others))

    async def _write_portion(
        self, portion: str, evidence: SynthesisInput, outdated: Synthesis | None = None
    ) -> Synthesis | None:
        """Have a portion written and verified, or mended after a ruling; None where that fails."""
        run, what = self.run, "the synthesis"
        if portion:
            titles = {angle.assignment.id: angle.assignment.title for angle in evidence.angles}
            what = f"the section “{titles[portion][:120]}”" if portion in titles else "the answer"
        task = SynthesisTask(
            task_id=run.create_id("synthesise"),
            description=f"Write {what} from the claims",
            evidence=evidence,
            portion=portion,
            mends=run.answers_from_kept and not run.is_reworded,
        )
        if outdated is not None and (mended := await self._mend(task, outdated)) is not None:
            return forget_dropped(mended, outdated)
        is_section = portion not in {"", ANSWER}
        envelope = await self.tasks.do(options.SYNTHESISE, task, is_named=is_section)
        if envelope.result is not None:
            return await self._verify(task, envelope.result)
        if is_section:
            return None
        # It had no room, or it took all that there was.
        over = envelope.left_out or self.tasks.budget.find_exceeded_bound(Step.SYNTHESISE, 1)
        if over is not None:
            run.reach_bound(over)
            run.unwritten_for = over
        return None

    async def _write_excerpts(self, evidence: SynthesisInput) -> Synthesis:
        """Have code put quotes together: the prose is lost, and what was found is not."""
        task = SynthesisTask(
            task_id=self.run.create_id("excerpts"),
            description="Put quotes together",
            evidence=evidence,
            by_code=True,
        )
        return require_result(await self.tasks.do(options.EXCERPTS, task), Ending.SYNTHESIS_FAILED)

    async def _verify(self, written: SynthesisTask, draft: Synthesis) -> Synthesis:
        """Have a model's sentences read by another call; what does not hold is mended once."""
        # Where nobody can read them, code alone holds them against their quotes.
        if not self.run.has_model:  # quotes that code put together
            return draft
        if self.run.answers_from_kept:  # of the run's disputes only those that it tells
            evidence = written.evidence
            disputes = leave_untold_disputes(self.run.findings, evidence.contradictions, draft)
            told = evidence.model_copy(update={"contradictions": disputes[1]})
            written = written.model_copy(update={"evidence": told})
        read = await self._hand_draft(
            options.VERIFY, VerificationTask, "Read the sentences", written, draft
        )
        if read is None or not list_unsupported(read.verification):
            return read or draft
        if self.run.answers_from_kept:  # an answer at once is worth more than a full one
            return read
        return await self._mend(written, read) or read

    async def _mend(self, written: SynthesisTask, draft: Synthesis) -> Synthesis | None:
        """Have the sentences that do not hold written anew and read; None where that fails."""
        what = "Write anew what its quotes do not carry"
        revised = await self._hand_draft(options.REVISE, RevisionTask, what, written, draft)
        if revised is None:
            return None
        return await self._hand_draft(
            options.VERIFY, VerificationTask, "Read what is new", written, revised
        )

    async def _hand_draft(
        self,
        policy: options.Policy[T, Synthesis],
        kind: type[T],
        description: str,
        written: SynthesisTask,
        draft: Synthesis,
    ) -> Synthesis | None:
        """Have a draft read or revised; None where that fails, or has no room."""
        task = kind(
            task_id=self.run.create_id(policy.declared.name),
            description=description,
            draft=draft,
            evidence=written.evidence,
            portion=written.portion,
        )
        if self.run.answers_from_kept and self.run.is_reworded:
            task = task.model_copy(update={"max_turns": 1})  # a wording took the second's place
        return (await self.tasks.do(policy, task)).result

    async def _audit(
        self, contradictions: tuple[Contradiction, ...], synthesis: Synthesis
    ) -> Report:
        task = AuditTask(
            task_id=self.run.create_id("audit"),
            description="Audit quotes, citations, numbers and confidence",
            material=self.run.build_material(contradictions),
            synthesis=synthesis,
        )
        self.run.enter_phase(Phase.AUDITING)
        audited = require_result(await self.tasks.do(options.AUDIT, task), Ending.AUDIT_FAILED)
        audit = audited.audit
        if not audit.passed:
            raise RunEnded(
                Ending.AUDIT_FAILED,
                f"The report did not pass its audit ({len(audit.findings)} findings), the first "
                f"being: {audit.findings[0].message}",
            )
        return audited.report

    async def _publish(self, report: Report) -> tuple[Artifact, ...]:
        # Passages that no model read have none: what they have of the question is said instead.
        sure = report.confidence.value if report.reasoner.uses_language_model else None
        self.run.confidence = sure
        self.run.show_attributes(
            CONFIDENCE.value_unset() if sure is None else CONFIDENCE.value_set(sure)
        )
        task = PublicationTask(
            task_id=self.run.create_id("publish"), description="Publish the report", report=report
        )
        envelope = await self.tasks.do(options.PUBLISH, task)
        # A format that could not be written is booked, and costs no other.
        files = envelope.partial_result or require_result(envelope, Ending.PUBLICATION_FAILED)
        self.run.report = report
        self.run.emit_event("report.published", status=report.status, path=files[0].path)
        return files

    async def _keep_evidence(
        self, report: Report | None, ended: RunEnded | None
    ) -> Artifact | None:
        task = KeepingTask(
            task_id=self.run.create_id("keep-evidence"),
            description="Keep the evidence",
            evidence=self.run.build_evidence(report, ended),
        )
        return (await self.tasks.do(options.KEEP_EVIDENCE, task)).result


def _describe_report(
    report: Report, files: Sequence[Artifact], *, is_scheduled: bool
) -> tuple[NoticeKind, str]:
    """Say that a run has its report, how far that can be trusted, and where it lies."""
    # Of a scheduled run it is said what changed.
    where = f": {files[0].path}" if files else "."
    if is_scheduled and report.revision is not None:
        what = " ".join(report.revision.changes)
        room = NOTICE_LIMIT - len(report.run_id) - len(where) - 40
        short = what if len(what) <= room else f"{what[: room - 1]}…"
        message = f"{short} The report of {report.run_id} is there{where}"
        return NoticeKind.CHANGED, message[:NOTICE_LIMIT]
    is_read = report.reasoner.uses_language_model  # else nobody can tell how sure it is
    sure = f", with a confidence of {report.confidence.value:.2f}" if is_read else ""
    return NoticeKind.DONE, f"The report of {report.run_id} is there{sure}{where}"[:NOTICE_LIMIT]

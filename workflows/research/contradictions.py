"""The contradictions of a run: each from its detection, over a debate, to its last ruling."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import SearchAttributePair, TypedSearchAttributes, WorkflowIDReusePolicy
from temporalio.exceptions import ChildWorkflowError, FailureError

from caveat.contracts.contradiction import (
    Case,
    Contradiction,
    Disagreement,
    RulingRecord,
    SideEvidence,
)
from caveat.contracts.outcome import Settlement
from caveat.contracts.phase import Step
from caveat.contracts.report import Method, Report
from caveat.contracts.synthesis import Challenge, Participant
from caveat.contracts.tasks import DebateTask, DetectionTask, NoticeKind
from caveat.rules.contradictions import ladder
from caveat.rules.contradictions.choices import describe_settlement, name_values
from caveat.rules.contradictions.recurrence import apply_earlier_ruling, carry_over_settlements
from caveat.rules.contradictions.track_record import drop_repeats, identify_claimant, name_statement
from caveat.rules.evidence.claims import list_claims
from caveat.rules.lines import shorten
from caveat.rules.run.quorum import build_debate, has_quorum
from caveat.workflows.answers import parse_late_ruling
from caveat.workflows.arbitration import Arbitration
from caveat.workflows.names import ARBITRATION, OPEN_CONTRADICTIONS, REVIEW, SHOWN, TOPIC, cut_topic
from caveat.workflows.options import COMPARE_BY_RULES, DEBATE, DETECT
from caveat.workflows.research.people import recall_rulings
from caveat.workflows.research.run import Run
from caveat.workflows.research.tasks import Tasks

Arbitrating = workflow.ChildWorkflowHandle[Any, Settlement]

_TOLD = 300  # characters of each part of a notice, which has 1,000
_NAMED = 20  # statements of a side by which the inbox knows a dispute of several runs again

_DEBATE = "debate-"  # begins the ids of the debate's tasks; the participant's name follows


@dataclass
class Contradictions:
    run: Run  # where they are kept
    tasks: Tasks  # where tasks are given out
    _questions: dict[str, asyncio.Task[None]] = field(default_factory=dict)  # to people, by dispute
    _handles: dict[str, Arbitrating] = field(default_factory=dict)  # of those that can be answered

    async def detect(self) -> tuple[Contradiction, ...]:
        """Find the claims that disagree: by rules where a model fails or has no room."""
        # Rules cost nothing, so that no bound and no provider leaves the claims uncompared.
        task = self._build_task()
        envelope = await self.tasks.do(DETECT, task)
        disagreements = envelope.result
        if envelope.by_rules:
            self.run.note_methods(comparison=Method.BOTH)
        if disagreements is None:
            disagreements = await self._compare_by_rules(task)
        return ladder.number_contradictions(disagreements)

    async def compare_quotes(self, new: Collection[str]) -> frozenset[str]:
        """Open what disagrees by rules of new claims; return those whose dispute is known."""
        run = self.run
        compared = await self._compare_by_rules(self._build_task())
        touched = [dispute for dispute in compared if not dispute.concerned.isdisjoint(new)]
        known = frozenset[str]().union(*(old.concerned for old in run.contradictions.values()))
        fresh = [dispute for dispute in touched if dispute.concerned.isdisjoint(known)]
        self.open(ladder.number_contradictions(fresh, after=run.contradictions))
        again = frozenset[str]().union(*(one.concerned for one in touched if one not in fresh))
        return again.intersection(new)

    def _build_task(self) -> DetectionTask:
        return DetectionTask(
            task_id=self.run.create_id("detect"),
            description="Find the claims that disagree",
            topic=self.run.topic,
            assignments=self.run.assignments,
            **self.run.build_claims_input(),
        )

    async def _compare_by_rules(self, task: DetectionTask) -> tuple[Disagreement, ...]:
        by_code = {"task_id": self.run.create_id("detect-by-rules"), "by_code": True}
        self.run.note_methods(comparison=Method.RULES)
        compared = await self.tasks.do(COMPARE_BY_RULES, task.model_copy(update=by_code))
        if compared.result is None:
            self.run.note_methods(comparison=Method.NONE)
        return compared.result or ()

    def open(self, contradictions: Sequence[Contradiction]) -> None:
        for contradiction in contradictions:
            self._put(contradiction)

    async def debate(self) -> None:
        """Hear three participants on the claims; below the quorum, who is missing once more.

        It comes before the synthesis, which reads what they say; who is missing costs confidence.
        """
        # Where the budget leaves no room there is no debate.
        run = self.run
        bound = self.tasks.budget.find_exceeded_bound(Step.DEBATE, len(Participant))
        if bound is not None:
            name = run.create_id(f"{_DEBATE}left-out")
            run.leave_out(bound, DEBATE.agent, name, "Debate the claims")
            return
        disputed = tuple(run.contradictions.values())  # as the debate begins
        heard = await self._hear(Participant, disputed)
        if not has_quorum(heard):
            self.tasks.try_again()
            missing = [who for who, remarks in heard.items() if remarks is None]
            again = await self._hear(missing, disputed)
            came = (who for who, remarks in again.items() if remarks is not None)
            run.make_good(*(f"{_DEBATE}{who}" for who in came))
            heard |= again
        run.debate = build_debate(heard)
        for remark in run.debate.challenges:
            run.emit_event(
                "debate.message",
                sender=remark.raised_by,
                claim=remark.claim_id,
                stance=remark.stance,
                text=remark.text,
            )

    async def _hear(
        self, participants: Iterable[Participant], disputed: tuple[Contradiction, ...]
    ) -> dict[Participant, tuple[Challenge, ...] | None]:
        """Ask what each participant says; None of who did not come."""
        wanted = [
            DebateTask(
                task_id=self.run.create_id(f"{_DEBATE}{participant}"),
                description=f"Examine the claims as {participant}",
                participant=participant,
                topic=self.run.topic,
                contradictions=disputed,
                today=workflow.now().date(),
                **self.run.build_claims_input(),
            )
            for participant in participants
        ]
        envelopes = await asyncio.gather(*(self.tasks.do(DEBATE, task) for task in wanted))
        results = [envelope.result for envelope in envelopes]
        return dict(zip((task.participant for task in wanted), results, strict=True))

    async def settle(self, time_to_rule: timedelta) -> None:
        """Settle what the rules can settle, and ask people what the answer depends on, all at once.

        Returns when everybody can answer: a report names no arbitration that is not there yet.
        """
        named = self.run.claims
        cited = self.run.cited

        def build_sides(
            of: Contradiction, rulings: Sequence[RulingRecord] = ()
        ) -> tuple[SideEvidence, ...]:
            return ladder.gather_evidence(of, named, cited, rulings)

        def settle_open(rung: Callable[[Contradiction], Contradiction]) -> None:
            for contradiction in self.run.open_contradictions:
                self._put(rung(contradiction))

        now, run_id = workflow.now, self.run.run_id
        settle_open(lambda d: ladder.settle_compatible(d, build_sides(d), now()))
        settle_open(lambda d: ladder.settle_by_evidence(d, build_sides(d), now()))
        rulings = await self._recall_rulings()
        counted = drop_repeats(rulings)  # a ruling on several runs at once is one act
        settle_open(lambda d: ladder.settle_by_track_record(d, build_sides(d, counted), now()))
        self._carry_over()
        settle_open(lambda d: apply_earlier_ruling(d, rulings, named, cited))
        for dispute in self.run.open_contradictions:
            where = {"arbitration": f"{run_id}/{dispute.id}"}
            if not dispute.affects_answer:  # a ruling on it starts a revision: nothing waits
                self._put(dispute.model_copy(update=where))
                continue
            deadline = {"deadline": workflow.now() + time_to_rule}
            case = Case(
                run_id=run_id,
                topic=self.run.topic,
                contradiction=dispute.model_copy(update=where | deadline),
                sides=build_sides(dispute, counted),
                timeout=time_to_rule,
                route=self.run.route,
            )
            self._questions[dispute.id] = asyncio.create_task(self._ask_person(case))
        await workflow.wait_condition(
            lambda: all(
                name in self._handles or question.done()
                for name, question in self._questions.items()
            )
        )

    async def wait_for_rulings(self) -> None:
        began = workflow.now()
        await asyncio.gather(*self._questions.values())
        self.run.waited += workflow.now() - began

    def leave_for_review(self) -> None:
        """Let lists of what waits for people show what nobody settled."""
        left = {
            dispute.id: {"about": dispute.about, "statements": self._list_statements(dispute)}
            for dispute in self.run.contradictions.values()
            if dispute.needs_review
        }
        if left:
            workflow.upsert_memo({REVIEW: left})

    async def give_up(self) -> None:
        """Close the arbitrations that are open: nobody needs an answer any more."""
        for question in self._questions.values():
            question.cancel()
        await asyncio.gather(*self._questions.values(), return_exceptions=True)
        self.run.show_attributes(OPEN_CONTRADICTIONS.value_set(0))

    async def forward(self, args: Sequence[Any]) -> bool:
        """Pass an answer on to the arbitration that waits for it; False where none does."""
        answer = parse_late_ruling(args, self.run.contradictions)
        name = answer.contradiction_id

        def is_settled() -> bool:
            contradiction = self.run.contradictions.get(name)
            # The arbitrations of what is asked about are another run's.
            is_elsewhere = self.run.answers_from_kept
            return contradiction is None or is_elsewhere or not contradiction.is_awaited

        await workflow.wait_condition(lambda: name in self._handles or is_settled())
        if is_settled():
            return False
        try:
            await self._handles[name].signal(Arbitration.resolve, answer.ruling.write_sent())
        except FailureError:  # it ended while the answer was on its way
            await workflow.wait_condition(is_settled)
            return False
        return True

    def _list_statements(self, contradiction: Contradiction) -> list[list[str]]:
        """List what each side says, and who, as every run writes it."""
        claims, cited = self.run.claims, self.run.cited
        stated = ([claims[name] for name in side.claims[:_NAMED]] for side in contradiction.sides)
        return [
            [name_statement(cited[claim.source_id], claim) for claim in side] for side in stated
        ]

    async def _ask_person(self, case: Case) -> None:
        """Have a person rule, and take what comes of it; without an arbitration nobody rules."""
        contradiction, deadline = case.contradiction, case.contradiction.deadline
        listed = SearchAttributePair(TOPIC, cut_topic(case.topic))
        try:
            handle: Arbitrating = await workflow.start_child_workflow(
                ARBITRATION,
                case,
                result_type=Settlement,
                id=f"{case.run_id}/{contradiction.id}",
                # A run that was reset to before it asked finds its own question open still.
                id_reuse_policy=WorkflowIDReusePolicy.TERMINATE_IF_RUNNING,
                static_summary=shorten(contradiction.about, 100),
                search_attributes=TypedSearchAttributes([listed]),
                memo={  # what a list of arbitrations shows without asking any worker
                    SHOWN: case.topic,
                    "about": contradiction.about,
                    "values": " or ".join(name_values(contradiction)),
                    "statements": self._list_statements(contradiction),
                    "deadline": deadline.isoformat() if deadline else "",
                },
            )
            # Now, and not before: a person who reads where to answer may answer at once.
            self._put(contradiction)
            self._handles[contradiction.id] = handle
            settled = await handle
            self.run.record_failures(*settled.failures)
        except ChildWorkflowError:
            if workflow.cancellation_reason() is not None:
                raise
            self._put(ladder.settle_provisionally(contradiction, workflow.now()))
            return
        ruled = settled.contradiction
        self._put(ruled)
        about = " ".join(ruled.about.split())[:_TOLD].rstrip(".")
        why = f" Reason: {ruled.reason[:_TOLD]}" if ruled.decided_by else ""
        outcome = f"{ruled.id} {describe_settlement(ruled)[:_TOLD]} ({about}).{why}"
        self.run.notify(NoticeKind.SETTLED, outcome, contradiction.arbitration)

    def _carry_over(self) -> None:
        """Let stand what an earlier run settled, so that nobody is asked twice."""
        before = self.run.earlier or self.run.since
        if before is None:
            return
        is_new_look = isinstance(before, Report)
        known = before.claims if isinstance(before, Report) else list_claims(before.findings)
        carried = carry_over_settlements(
            tuple(self.run.contradictions.values()),
            before.contradictions,
            self.run.claims,
            {claim.id: claim for claim in known},
            is_new_look=is_new_look,
        )
        for contradiction in carried:
            self._put(contradiction)

    async def _recall_rulings(self) -> tuple[RulingRecord, ...]:
        """Recall how people ruled on the claimants of what is open."""
        claims, cited = self.run.claims, self.run.cited
        named = [claims[name] for one in self.run.open_contradictions for name in one.claims]
        claimants = (identify_claimant(cited[claim.source_id]).id for claim in named)
        return await recall_rulings(self.tasks, claimants, "these sources") if named else ()

    def _put(self, contradiction: Contradiction) -> None:
        is_new = contradiction.id not in self.run.contradictions
        self.run.contradictions[contradiction.id] = contradiction
        facts = {"id": contradiction.id, "about": contradiction.about}
        if is_new:
            self.run.emit_event("contradiction.opened", **facts)
        if contradiction.settled_by is not None:
            self.run.emit_event("contradiction.settled", by=contradiction.settled_by, **facts)
        waiting = len(self.run.open_contradictions)
        self.run.show_attributes(OPEN_CONTRADICTIONS.value_set(waiting))

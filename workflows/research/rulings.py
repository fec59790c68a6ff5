"""Late rulings: what a person says after the deadline is worth a revision."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from temporalio import workflow
from temporalio.workflow import ParentClosePolicy

from caveat.contracts.contradiction import (
    Claimant,
    Contradiction,
    ContradictionState,
    LateRuling,
    Ruling,
    RulingRecord,
)
from caveat.contracts.outcome import Ending, Evidence
from caveat.contracts.plan import ResearchRequest
from caveat.contracts.progress import Phase
from caveat.contracts.tasks import RulingsTask, RulingTask
from caveat.rules.contradictions import ladder
from caveat.rules.contradictions.choices import NotOffered
from caveat.rules.contradictions.track_record import speaker
from caveat.workflows.answers import Refused
from caveat.workflows.names import MEMO, route_of
from caveat.workflows.options import RECORD_RULING, RULINGS
from caveat.workflows.research.ending import RunEnded
from caveat.workflows.research.run import Run
from caveat.workflows.research.state import State
from caveat.workflows.research.tasks import Tasks
from caveat.workflows.research.views import evidence

ENDING = frozenset({Phase.FAILED, Phase.CANCELLED})
"""Phases in which what was ruled is applied for the last time."""


@dataclass
class LateRulings:
    """What came too late for a run; when the run ends, a revision goes on with it."""

    run: Run

    def check(self, late: LateRuling) -> None:
        """Say whether a late ruling can be accepted."""
        state = self.run.state
        found = state.contradictions.get(late.contradiction_id)
        if found is None:
            raise Refused(_unknown(late.contradiction_id, state.contradictions))
        if not found.needs_review:
            raise Refused(f"{found.id} is {found.state}, so that no ruling on it can be late.")
        if state.phase in ENDING:
            raise Refused(
                f"{state.run_id} ends without a report: rule once more when it has ended."
            )
        for each in state.late:
            if each.contradiction_id == found.id and each.ruling.ruling != late.ruling.ruling:
                raise Refused(f"{found.id} was ruled on by {each.ruling.decided_by} already.")

    def accept(self, late: LateRuling) -> None:
        """Keep a late ruling until the run has ended; the first on a contradiction stays."""
        self.check(late)
        self.run.apply(State.ruled_late, late)

    async def revise(self, request: ResearchRequest) -> None:
        """Start a revision of the report for what has come so far, and leave it to itself."""
        while rulings := self.run.state.late:
            self.run.apply(State.revising)
            state = self.run.state
            run_id = f"{state.run_id}-revision-{state.revisions}"
            revision = request.model_copy(
                update={
                    "follow_up_of": state.run_id,
                    "rulings": rulings,
                    "backend": state.route.backend,
                }
            )
            await workflow.start_child_workflow(
                "Research",
                revision,
                id=run_id,
                parent_close_policy=ParentClosePolicy.ABANDON,
                memo={MEMO: route_of(revision)},
                static_summary=f"Revision of {state.run_id}"[:200],
            )

    async def keep(self, tasks: Tasks) -> None:
        """Apply them to a run that ends without a report, and so without a revision of it.

        Args:
            tasks: where memory is told.
        """
        late = self.run.state.late
        if not late:
            return
        earlier = evidence(self.run.state, workflow.now(), None, None)
        found = dict(self.run.state.contradictions)
        for each in late:
            with suppress(RunEnded):  # it names a value that is not there
                self.run.apply(State.put, await _apply(each, found, earlier, tasks))


async def reopen(
    earlier: Evidence, late: Sequence[LateRuling], tasks: Tasks
) -> dict[str, Contradiction]:
    """Apply late rulings to the contradictions of an earlier run.

    What other late rulings settled before, each with a revision of its own, is applied with them:
    the newest revision knows all.

    Args:
        tasks: where memory is asked and told.

    Returns:
        All contradictions of that run as they stand now, by id.
    """
    found = {each.id: each for each in earlier.contradictions}
    for record in await _recall(earlier, tasks):
        each = found.get(record.contradiction_id)
        if each is not None and each.state is not ContradictionState.RESOLVED:
            ruling = Ruling(
                ruling=record.choice, reason=record.reason, decided_by=record.decided_by
            )
            ruled = _ruled(each, ruling, record.decided)
            found[each.id] = ruled.model_copy(update={"signed": record.signed})
    for answer in late:
        found[answer.contradiction_id] = await _apply(answer, found, earlier, tasks)
    return found


async def _apply(
    late: LateRuling, found: dict[str, Contradiction], earlier: Evidence, tasks: Tasks
) -> Contradiction:
    each = found.get(late.contradiction_id)
    if each is None:
        message = _unknown(late.contradiction_id, found)
        raise RunEnded(Ending.NOTHING_TO_FOLLOW_UP, message)
    if each.state is ContradictionState.RESOLVED:
        who = each.decided_by or "the rules"
        raise RunEnded(Ending.NOTHING_TO_FOLLOW_UP, f"{each.id} was settled by {who} before.")
    try:
        settled = _ruled(each, late.ruling, workflow.now())
    except NotOffered as refused:
        raise RunEnded(Ending.NOTHING_TO_FOLLOW_UP, str(refused)) from None
    owners = _owners(earlier)
    if not owners.keys() >= set(each.claims):
        message = f"What {each.id} is about was not kept: `caveat follow-up` looks for it again."
        raise RunEnded(Ending.NOTHING_TO_FOLLOW_UP, message)
    task = RulingTask(
        task_id=f"record-ruling-{each.id}",
        description=f"Keep the late ruling on {each.id}",
        record=RulingRecord(
            run_id=earlier.run_id,
            contradiction_id=each.id,
            claimants=tuple(owners[name] for name in each.claims),
            choice=settled.ruling or late.ruling.ruling,
            reason=late.ruling.reason,
            decided_by=late.ruling.decided_by,
            decided=workflow.now(),
        ),
        signature=late.ruling.signature,
    )
    kept = (await tasks.do(RECORD_RULING, task)).result
    if kept is not None and not kept.repeats(task.record):  # by another revision, at the same time
        raise RunEnded(
            Ending.NOTHING_TO_FOLLOW_UP, f"{each.id} was settled by {kept.decided_by} before."
        )
    return settled.model_copy(update={"signed": kept.signed if kept else None})


def _ruled(each: Contradiction, ruling: Ruling, at: datetime) -> Contradiction:
    """Settle what a run left: one that ended before anybody answered left it open."""
    return (ladder.ruled if each.is_open else ladder.ruled_late)(each, ruling, at)


async def _recall(earlier: Evidence, tasks: Tasks) -> tuple[RulingRecord, ...]:
    owners = _owners(earlier)
    named = (name for each in earlier.contradictions for name in each.claims)
    asked = {owners[name].id: None for name in named if name in owners}
    task = RulingsTask(
        task_id="recall-rulings",
        description=f"Recall the rulings on {earlier.run_id}"[:400],
        claimants=tuple(asked),
    )
    envelope = await tasks.do(RULINGS, task)
    return tuple(ruling for ruling in envelope.result or () if ruling.run_id == earlier.run_id)


def _owners(earlier: Evidence) -> dict[str, Claimant]:
    """Say who made each claim, by its id."""
    sources = {kept.source.id: kept.source for kept in earlier.shelf}
    return {
        claim.id: speaker(sources[claim.source_id], claim)
        for found in earlier.findings
        for claim in found.claims
        if claim.source_id in sources
    }


def _unknown(contradiction_id: str, known: Iterable[str]) -> str:
    """Say that a run has no such contradiction, and which it has."""
    names = ", ".join(known) or "none"
    return f"This run has no contradiction {contradiction_id[:60]!r}; it has: {names}."

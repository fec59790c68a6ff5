"""Late rulings: what a person says after the deadline is worth a revision."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from temporalio import workflow
from temporalio.workflow import ParentClosePolicy

from workflows.answers import FORM, read_answer, shortened
from workflows.desk import Desk
from workflows.endings import RunEnded
from workflows.options import RECORD_RULING, RULINGS
from workflows.record import Record
from workflows.routing import MEMO, route_of

with workflow.unsafe.imports_passed_through():
    from activities.rulings import Clerk
    from caveat.contracts.contradiction import (
        Claimant,
        Contradiction,
        ContradictionState,
        LateRuling,
        Rejection,
        Ruling,
        RulingRecord,
    )
    from caveat.contracts.outcome import Ending, Evidence
    from caveat.contracts.plan import ResearchRequest
    from caveat.contracts.tasks import RulingsTask, RulingTask
    from caveat.rules import ladder
    from caveat.rules.choices import NotOffered
    from caveat.rules.claimants import claimant
    from caveat.rules.ladder import PAIR


class Refused(Exception):
    """An answer to a contradiction cannot be accepted; its text says why, in one sentence."""


def addressed(given: Sequence[Any], known: Mapping[str, Contradiction]) -> LateRuling:
    """Read an answer that names its contradiction.

    Args:
        given: one object with `contradiction_id` beside a ruling's own fields, or the name first
            and then the ruling in either of its forms.
        known: the contradictions of the run, by id.

    Raises:
        Refused: it is not such an answer.
    """
    match list(given):
        case [dict() as answer] if isinstance(answer.get("contradiction_id"), str):
            name = answer["contradiction_id"]
            rest: list[Any] = [
                {key: value for key, value in answer.items() if key != "contradiction_id"}
            ]
        case [str() as name]:
            raise Refused(f"`{shortened([name])}` was sent and no ruling after it: {FORM}.")
        case [str() as name, *rest]:
            pass
        case _:
            raise Refused(f"It names no contradiction: begin with its id, and {FORM}.")
    found = known.get(name)
    ruling = read_answer(rest, len(found.claims) if found else PAIR)
    if isinstance(ruling, str):
        raise Refused(ruling)
    return LateRuling(contradiction_id=name, ruling=ruling)


def rejection(given: Sequence[Any], refused: Refused, received: dt.datetime) -> Rejection:
    """Keep what was not accepted, shortened, and why."""
    return Rejection(received=received, reason=str(refused), given=shortened(given))


@dataclass
class LateRulings:
    """What came too late for a run; when the run ends, a revision goes on with it.

    Attributes:
        record: of the run.
    """

    record: Record
    _waiting: list[LateRuling] = field(default_factory=list)
    _revisions: int = 0

    def check(self, late: LateRuling) -> None:
        """Say whether a late ruling can be accepted.

        Raises:
            Refused: it cannot; the message says why.
        """
        found = self.record.contradictions.get(late.contradiction_id)
        if found is None:
            raise Refused(unknown(late.contradiction_id, self.record.contradictions))
        if found.state is not ContradictionState.PROVISIONAL:
            raise Refused(f"{found.id} is {found.state}, so that no ruling on it can be late.")
        for each in self._waiting:
            if each.contradiction_id == found.id and each.ruling.ruling != late.ruling.ruling:
                raise Refused(f"{found.id} was ruled on by {each.ruling.decided_by} already.")

    def accept(self, late: LateRuling) -> None:
        """Keep a late ruling until the run has ended; the first on a contradiction stays."""
        self.check(late)
        if late.contradiction_id not in {each.contradiction_id for each in self._waiting}:
            self._waiting.append(late)

    async def revise(self, request: ResearchRequest) -> None:
        """Start a revision of the report for what has come so far, and leave it to itself."""
        while self._waiting:
            rulings, self._waiting = tuple(self._waiting), []
            self._revisions += 1
            run_id = f"{self.record.run_id}-revision-{self._revisions}"
            revision = request.model_copy(
                update={
                    "follow_up_of": self.record.run_id,
                    "rulings": rulings,
                    "backend": self.record.route.backend,
                }
            )
            await workflow.start_child_workflow(
                "Research",
                revision,
                id=run_id,
                parent_close_policy=ParentClosePolicy.ABANDON,
                memo={MEMO: route_of(revision, run_id)},
                static_summary=f"Revision of {self.record.run_id}"[:200],
            )


async def reopened(
    earlier: Evidence, late: Sequence[LateRuling], desk: Desk
) -> dict[str, Contradiction]:
    """Apply late rulings to the contradictions of an earlier run.

    What other late rulings settled before, each with a revision of its own, is applied with them:
    the newest revision knows all.

    Args:
        earlier: the evidence of that run.
        late: the rulings, which memory keeps from now on.
        desk: where memory is asked and told.

    Returns:
        All contradictions of that run as they stand now, by id.

    Raises:
        RunEnded: a ruling is on something that it cannot settle.
    """
    found = {each.id: each for each in earlier.contradictions}
    for record in await _remembered(earlier, desk):
        each = found.get(record.contradiction_id)
        if each is not None and each.state is ContradictionState.PROVISIONAL:
            ruling = Ruling(
                ruling=record.choice, reason=record.reason, decided_by=record.decided_by
            )
            ruled = ladder.ruled_late(each, ruling, record.decided)
            found[each.id] = ruled.model_copy(update={"signed": record.signed})
    for answer in late:
        found[answer.contradiction_id] = await _applied(answer, found, earlier, desk)
    return found


async def _applied(
    late: LateRuling, found: dict[str, Contradiction], earlier: Evidence, desk: Desk
) -> Contradiction:
    each = found.get(late.contradiction_id)
    if each is None:
        message = unknown(late.contradiction_id, found)
        raise RunEnded(Ending.NOTHING_TO_FOLLOW_UP, message)
    if each.state is not ContradictionState.PROVISIONAL:
        who = each.decided_by or "the rules"
        raise RunEnded(Ending.NOTHING_TO_FOLLOW_UP, f"{each.id} was settled by {who} before.")
    try:
        settled = ladder.ruled_late(each, late.ruling, workflow.now())
    except NotOffered as refused:
        raise RunEnded(Ending.NOTHING_TO_FOLLOW_UP, str(refused)) from None
    owners = _owners(earlier)
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
    kept = (await desk.attend(Clerk.record_ruling, task, RECORD_RULING)).result
    return settled.model_copy(update={"signed": kept.signed if kept else None})


async def _remembered(earlier: Evidence, desk: Desk) -> tuple[RulingRecord, ...]:
    owners = _owners(earlier)
    asked = {owners[name].id: None for each in earlier.contradictions for name in each.claims}
    task = RulingsTask(
        task_id="recall-rulings",
        description=f"Recall the rulings on {earlier.run_id}"[:400],
        claimants=tuple(asked),
    )
    envelope = await desk.attend(Clerk.recall_rulings, task, RULINGS)
    return tuple(ruling for ruling in envelope.result or () if ruling.run_id == earlier.run_id)


def _owners(earlier: Evidence) -> dict[str, Claimant]:
    """Say who made each claim, by its id."""
    sources = {kept.source.id: kept.source for kept in earlier.shelf}
    return {
        claim.id: claimant(sources[claim.source_id])
        for found in earlier.findings
        for claim in found.claims
        if claim.source_id in sources
    }


def unknown(contradiction_id: str, known: Iterable[str]) -> str:
    """Say that a run has no such contradiction, and which it has."""
    names = ", ".join(known) or "none"
    return f"This run has no contradiction {contradiction_id[:60]!r}; it has: {names}."

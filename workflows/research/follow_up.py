"""A follow-up: only what failed in an earlier run, a provider that refused with one task first."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from caveat.contracts.envelope import AgentType
from caveat.contracts.failure import Failure
from caveat.contracts.investigation import OpenWork
from caveat.contracts.outcome import Ending, Evidence
from caveat.contracts.report import ReportedFailure
from caveat.rules.run.recovery import Scope, build_scope, count_recovered, is_mendable
from caveat.workflows.research.angle import Angle
from caveat.workflows.research.run import Run
from caveat.workflows.research.state import RunEnded


@dataclass(frozen=True)
class FollowUp:
    """What is done about the failures of an earlier run."""

    earlier: Evidence
    scope: Scope
    run: Run

    @classmethod
    def from_evidence(cls, earlier: Evidence, run: Run, *, everything: bool) -> "FollowUp":
        """Choose what is tried again."""
        chosen = build_scope(earlier.ending, earlier.failures, everything=everything)
        if chosen.is_empty and earlier.report is not None:
            raise RunEnded(
                Ending.NOTHING_TO_FOLLOW_UP,
                f"No failure of {earlier.run_id} is worth trying again: "
                f"`caveat status {earlier.run_id}` says why.",
            )
        return cls(earlier, chosen, run)

    async def retry(self, angles: Sequence[Angle]) -> None:
        """Try the failed pieces of an investigation again."""
        # A provider that had refused is asked with one piece of work alone: where it refuses still,
        # it is stopped by then, and its others are not started.
        lost = {failed.task_id: failed.failure for failed in self.scope.retried}
        left = {
            each.assignment.id: [piece for piece in found.open_work if _is_in(piece, lost)]
            for each, found in zip(angles, self.earlier.findings, strict=True)
        }
        probed: set[tuple[str, str | None]] = set()
        for each in angles:
            for piece in tuple(left[each.assignment.id]):
                refused = lost.get(piece.task_id)
                if refused is None or not is_mendable(refused):
                    continue
                place = (piece.work, refused.provider)
                if place not in probed:
                    probed.add(place)
                    left[each.assignment.id].remove(piece)
                    await each.retry([piece])
        await asyncio.gather(*(each.retry(left[each.assignment.id]) for each in angles))

    def require_progress(self, done: frozenset[AgentType]) -> None:
        """Keep a report that stands from being replaced by one that is no better."""
        waits = any(failed.agent_type not in done for failed in self.scope.retried)
        if self.earlier.report is None or self.scope.writes or waits:
            return
        if count_recovered(self.scope, self.run.state.failures) == 0:
            stays = f"The report of {self.earlier.run_id} stays as it was."
            raise RunEnded(Ending.NOTHING_RECOVERED, f"{self._describe_reason()} {stays}")

    def _describe_reason(self) -> str:
        if self.run.state.left_out:
            bounds = ", ".join(self.run.state.left_out)
            return f"The budget of {bounds} left out what was to be tried again."
        last = _find_last_failure(self.run.state.failures)
        return f"What was tried again failed again: {last.message}"


def _is_in(piece: OpenWork, lost: dict[str, Failure]) -> bool:
    # What a deadline left behind may be late for several angles and is booked for one of them.
    return piece.task_id in lost or piece.retry_recommended


def _find_last_failure(failures: Sequence[ReportedFailure]) -> Failure:
    return next(each.failure for each in reversed(failures) if not each.recovered)

"""A source of this machine is read and analysed in one go."""

from dataclasses import dataclass

from pydantic import ValidationError

from caveat.activities.reasoning import ReasoningActivities
from caveat.activities.sources import SourceActivities
from caveat.activities.subagent import Attempt, subagent
from caveat.contracts.claim import Analysis
from caveat.contracts.envelope import AgentType, SubagentResult
from caveat.contracts.investigation import Study
from caveat.contracts.tasks import StudyTask


@dataclass(frozen=True)
class StudyActivities:
    """Reads and reasons: half of the steps, where to read takes no time to speak of.

    Attributes:
        sources: reads.
        reasoning: finds.
    """

    sources: SourceActivities
    reasoning: ReasoningActivities

    @subagent(AgentType.ANALYST, name="study")
    async def study(self, task: StudyTask, attempt: Attempt) -> SubagentResult[Study]:
        """Read a source, unless its text is named, and return what it says about an angle.

        A failure without a partial result is one of the reading; every other one carries the
        reading, with which the next attempt goes on.
        """
        had = _earlier(attempt)
        if had is not None:
            # Before anything is awaited: the next sign of life must not forget it.
            attempt.report(had, attempt.left.completeness if attempt.left else 0.0)
        sought, reading = task.analysis, had.reading if had else None
        if had is None:
            if not sought.snapshot_sha256:
                reading = await self.sources.reading(sought.source)
            attempt.report(Study(reading=reading), 0.0)

        def report(found: Analysis, share: float) -> None:
            attempt.report(Study(reading=reading, analysis=found), share)

        if reading is not None:
            text = {"source": reading.source, "snapshot_sha256": reading.snapshot_sha256}
            sought = sought.model_copy(update=text)
        sought = sought.model_copy(
            update={"turn": task.turn, "max_turns": task.max_turns, "allowance": task.allowance}
        )
        found = await self.reasoning.found(sought, had.analysis if had else None, report)
        study = Study(reading=reading, analysis=found.value)
        return attempt.done(study, usage=found.usage, gaps=found.gaps, by=found.by)


def _earlier(attempt: Attempt) -> Study | None:
    """What an earlier attempt had read, and had found in it."""
    left = attempt.left
    if left is None or left.partial is None:
        return None
    try:
        return Study.model_validate(left.partial)
    except ValidationError:
        return None

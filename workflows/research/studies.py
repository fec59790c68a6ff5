"""Studies: a source of this machine is read and analysed in one step, each half recovered apart.

Two steps stay two where the reading takes time of its own (a page on the web would hold a place of
a model call for it, and each host has its breaker), and where a budget must know how long a text is
before it allows a call for it.
"""

from caveat.contracts.claim import Analysis
from caveat.contracts.envelope import AgentType, Status, SubagentResult
from caveat.contracts.investigation import Study
from caveat.contracts.source import Reading
from caveat.contracts.tasks import AnalysisTask, ReadingTask, StudyTask


def study_task(sought: AnalysisTask) -> StudyTask:
    """What is asked for when a source is to be read and analysed at once."""
    angle, title = sought.assignment.title[:100], sought.source.title[:100]
    return StudyTask(
        task_id=sought.task_id,
        description=f"Read “{title}” and find “{angle}” in it",
        analysis=sought,
    )


def reading_of(study: SubagentResult[Study], task: ReadingTask) -> SubagentResult[Reading]:
    """How the reading ended: what came to no reading failed in it."""
    facts = {
        "task_id": task.task_id,
        "agent_type": AgentType.READER,
        "task_description": task.description,
    }
    reading = study.value.reading if study.value else None
    if reading is not None:
        return SubagentResult[Reading](
            **facts, status=Status.SUCCESS, result=reading, completeness=1.0
        )
    return SubagentResult[Reading](
        **facts,
        status=Status.FAILED,
        completeness=0.0,
        failure=study.failure,
        attempts=study.attempts,
        usage=study.usage,
    )


def analysis_of(
    study: SubagentResult[Study], task: AnalysisTask
) -> SubagentResult[Analysis] | None:
    """How the analysis ended; None where it was not begun."""
    if study.value is None:
        return None
    found = study.value.analysis
    facts = {
        "task_id": task.task_id,
        "agent_type": AgentType.ANALYST,
        "task_description": task.description,
        "attempts": study.attempts,
        "usage": study.usage,
        "gaps": study.gaps,
        "reasoner": study.reasoner,
    }
    if study.failure is None:
        if found is None:
            return None
        return SubagentResult[Analysis](
            **facts, status=Status.SUCCESS, result=found, completeness=1.0
        )
    return SubagentResult[Analysis](
        **facts,
        status=Status.FAILED if found is None else Status.PARTIAL,
        partial_result=found,
        completeness=0.0 if found is None else study.completeness,
        failure=study.failure,
    )

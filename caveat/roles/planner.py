"""The planner: a topic in, angles out."""

from collections.abc import Sequence

from pydantic import Field

from caveat.contracts.base import Contract
from caveat.contracts.envelope import FailureCategory, FailureType
from caveat.contracts.phase import Step
from caveat.contracts.plan import MOST_QUESTIONS, TOPIC_LIMIT, Assignment
from caveat.contracts.tasks import PlanningTask
from caveat.failures import PortFailure
from caveat.ports import Planned
from caveat.roles.data import Words, format_json_block
from caveat.roles.role import OPUS, Bounds, Effort, LanguageModel, ModelSettings, Question, Role
from caveat.rules.lines import shorten

SETTINGS = ModelSettings(
    name="planning",
    agent="planner",
    model=OPUS,
    # At most eight angles of a few lines.
    bounds=Bounds(deadline_s=165, room=4_000, effort=Effort.MEDIUM),
    step=Step.PLAN,
)


_TITLE = 200  # characters of an assignment's title by its contract
_QUERIES = 4  # queries of an assignment by its contract
_QUESTION = 180  # characters of a question by its contract
_SHOWN = 120  # characters of a document's title: enough to know what it is of


class Angle(Contract):
    """One angle of the topic."""

    title: Words
    question: Words
    queries: tuple[Words, ...] = ()


class Angles(Contract):
    """The angles, what matters most first."""

    angles: tuple[Angle, ...] = Field(min_length=1)


class AnglesAndQuestions(Angles):
    """The angles, and what only the person can tell who approves them; usually nothing."""

    questions: tuple[Words, ...] = ()


async def _play(task: PlanningTask, model: LanguageModel) -> Planned:
    """Return at most `task.wanted` assignments, numbered in the planner's order."""
    facts: dict[str, object] = {"topic": task.topic}
    if task.titles:
        facts["documents"] = [shorten(title, _SHOWN) for title in task.titles]
    asks = _ASKS if task.may_ask else ""
    content = (
        f"{format_json_block(facts)}\n\n"
        f"Which angles does the topic have? At most {task.wanted}.{asks}"
    )
    # Where the answer cannot be used the topic is the only angle: a run needs no more than that.
    try:
        shape = AnglesAndQuestions if task.may_ask else Angles
        answer = await model.ask(Question(task, task.topic, content, shape))
    except PortFailure as failed:
        failure = failed.failure
        is_away = failure.provider or failure.category is FailureCategory.TRANSIENT
        if is_away and failure.failure_type is not FailureType.TIMEOUT:
            raise  # nobody was reached, who must be reached for the rest of the run as well
        return Planned(
            _build_assignments([Angle(title=task.topic, question=task.topic)], 1), failed.usage
        )
    plan = answer.value[-1]
    asked = plan.questions if isinstance(plan, AnglesAndQuestions) else ()
    questions = tuple(shorten(question, _QUESTION) for question in asked[:MOST_QUESTIONS])
    return Planned(_build_assignments(plan.angles, task.wanted), answer.usage, questions)


_ASKS = (
    "\n\nA person will read the angles and approve them. `questions`: at most three that only this "
    "person can answer and whose answer changes what should be read, such as the period, the place "
    "or the use they have for the answer. None where the topic says enough."
)


def _build_assignments(angles: Sequence[Angle], wanted: int) -> tuple[Assignment, ...]:
    distinct = {angle.title.casefold(): angle for angle in reversed(angles)}
    chosen = [angle for angle in angles if distinct[angle.title.casefold()] is angle]
    return tuple(
        Assignment(
            id=f"a{number}",
            title=shorten(angle.title, _TITLE),
            question=shorten(angle.question, TOPIC_LIMIT),
            queries=tuple(dict.fromkeys(angle.queries or (angle.question,)))[:_QUERIES],
        )
        for number, angle in enumerate(chosen[:wanted], start=1)
    )


PLAN: Role[PlanningTask, tuple[Assignment, ...]] = Role("plan", SETTINGS, _play)

"""The query reformulator: a search that found too little in, another search out."""

from datetime import timedelta

from caveat.contracts.base import Contract
from caveat.contracts.envelope import AgentType
from caveat.contracts.spending import Step
from caveat.contracts.tasks import Reformulation, ReformulationReason, ReformulationTask
from caveat.ports import Answer
from caveat.roles.data import Words, format_json_block, normalise_query
from caveat.roles.role import SONNET, Bounds, LanguageModel, ModelSettings, Role

SETTINGS = ModelSettings(
    name="reformulation",
    agent="reformulator",
    model=SONNET,
    bounds=Bounds(deadline_s=50, room=1_000),  # one line
)


_REASONS = {
    ReformulationReason.NOTHING_FOUND: "They found nothing.",
    ReformulationReason.TOO_FEW: "They found too few sources.",
}


class Query(Contract):
    """Another query, or null when there is no other way to ask."""

    query: Words | None


async def _play(task: ReformulationTask, model: LanguageModel) -> Answer[Reformulation]:
    """Offer a query in other words than those tried, or none."""
    facts = {
        "topic": task.topic,
        "angle": task.assignment.title,
        "question": task.assignment.question,
        "tried": task.tried,
    }
    answer = await model.ask(
        task,
        task.assignment.title,
        f"{format_json_block(facts)}\n{_REASONS[task.reason]} Give one other query.",
        Query,
    )
    query = answer.value[-1].query
    tried = {normalise_query(each) for each in task.tried}
    if query is not None and normalise_query(query) in tried:
        query = None
    return Answer(Reformulation(query=query), answer.usage)


REFORMULATE: Role[ReformulationTask, Reformulation, Reformulation] = Role(
    name="reformulate",
    agent=AgentType.PLANNER,
    task=ReformulationTask,
    result=Reformulation,
    start_to_close=timedelta(minutes=1),  # one short model call
    step=Step.SEARCH,
    settings=SETTINGS,
    play=_play,
    without_model=lambda task: Reformulation(query=None),
)

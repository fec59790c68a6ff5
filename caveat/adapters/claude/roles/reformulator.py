"""The query reformulator: a search that found too little in, another search out."""

from caveat.adapters.claude.messages.question import Bounds
from caveat.adapters.claude.roles.data import Words, json_block, same_words
from caveat.adapters.claude.roles.role import SONNET, PlayedRole, Role
from caveat.contracts.base import Contract
from caveat.contracts.tasks import Reformulation, ReformulationReason, ReformulationTask
from caveat.ports import Answer

ROLE = Role(
    name="reformulation",
    agent="reformulator",
    model=SONNET,
    bounds=Bounds(deadline_s=50, room=1_000),  # one line
    step=None,
)


_REASONS = {
    ReformulationReason.NOTHING_FOUND: "They found nothing.",
    ReformulationReason.TOO_FEW: "They found too few sources.",
}


class Query(Contract):
    """Another query, or null when there is no other way to ask."""

    query: Words | None


async def reformulate(task: ReformulationTask, part: PlayedRole) -> Answer[Reformulation]:
    """Offer a query in other words than those tried, or none."""
    facts = {
        "topic": task.topic,
        "angle": task.assignment.title,
        "question": task.assignment.question,
        "tried": task.tried,
    }
    answer = await part.ask(
        task,
        task.assignment.title,
        f"{json_block(facts)}\n{_REASONS[task.reason]} Give one other query.",
        Query,
    )
    query = answer.value[-1].query
    tried = {same_words(each) for each in task.tried}
    if query is not None and same_words(query) in tried:
        query = None
    return Answer(Reformulation(query=query), answer.usage)

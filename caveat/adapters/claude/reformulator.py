"""The query reformulator: a search that found too little in, another search out."""

from dataclasses import dataclass

from caveat.adapters.claude.data import json_block
from caveat.adapters.claude.dialogue import Dialogue, Question
from caveat.adapters.claude.limits import Bounds
from caveat.adapters.claude.problems import Errand
from caveat.adapters.claude.prompts import prompt
from caveat.adapters.claude.words import Words, same_words
from caveat.contracts.base import Contract
from caveat.contracts.tasks import Reformulation, ReformulationReason, ReformulationTask
from caveat.ports import Answer

_REASONS = {
    ReformulationReason.NOTHING_FOUND: "They found nothing.",
    ReformulationReason.TOO_FEW: "They found too few sources.",
}


class Query(Contract):
    """Another query, or null when there is no other way to ask."""

    query: Words | None


@dataclass(frozen=True)
class Reformulator:
    """Rewords queries.

    Attributes:
        dialogue: with the server.
        model: who rewords.
        bounds: of an answer.
    """

    dialogue: Dialogue
    model: str
    bounds: Bounds

    async def reformulate(self, task: ReformulationTask) -> Answer[Reformulation]:
        """Offer a query in other words than those tried, or none."""
        facts = {
            "topic": task.topic,
            "angle": task.assignment.title,
            "question": task.assignment.question,
            "tried": task.tried,
        }
        question = Question(
            errand=Errand("reformulator", self.model, task.assignment.title),
            system=prompt("reformulator"),
            content=f"{json_block(facts)}\n{_REASONS[task.reason]} Give one other query.",
            answer=Query,
            bounds=self.bounds,
        )
        answer = await self.dialogue.ask(question)
        query = answer.value[-1].query
        tried = {same_words(each) for each in task.tried}
        if query is not None and same_words(query) in tried:
            query = None
        return Answer(Reformulation(query=query), answer.usage)

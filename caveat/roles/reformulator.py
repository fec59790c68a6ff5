"""The query reformulator: a search that found too little in, another search out."""

from caveat.contracts.base import Contract
from caveat.contracts.tasks import Reformulation, ReformulationReason, ReformulationTask
from caveat.ports import Answer
from caveat.roles.data import Words, format_json_block
from caveat.roles.role import SONNET, Bounds, LanguageModel, ModelSettings, Question, Role
from caveat.rules.text.words import LANGUAGES

SETTINGS = ModelSettings(
    name="reformulation",
    agent="reformulator",
    model=SONNET,
    bounds=Bounds(deadline_s=50, room=1_000),  # one line
)

MOST_REWORDED = 6
"""Questions that kept texts are searched with anew: two a language, and few runs have more."""

_REASONS = {
    ReformulationReason.NOTHING_FOUND: "They found nothing.",
    ReformulationReason.TOO_FEW: "They found too few sources.",
}


class Query(Contract):
    """Another query, or null when there is no other way to ask."""

    query: Words | None


class Questions(Contract):
    """A question anew, at most six times."""

    questions: tuple[Words, ...]


async def _play(task: ReformulationTask, model: LanguageModel) -> Answer[Reformulation]:
    """Offer a query in other words than those tried, or none; for kept texts, whole questions."""
    title = task.assignment.title
    facts = {
        "topic": task.topic,
        "angle": title,
        "question": task.assignment.question,
        "tried": task.tried,
    }
    if task.reason is ReformulationReason.NOT_IN_KEPT_TEXTS:
        languages = [LANGUAGES[each] for each in task.languages]
        times = "twice" if 2 * len(languages) <= MOST_REWORDED else "once"
        content = (
            f"{format_json_block(facts | {'languages': languages})}\nKept texts in these languages "
            f"are searched. Ask the question {times} in each of the languages, each time in other "
            "words that such texts would use."
        )
        reworded = await model.ask(Question(task, title, content, Questions))
        questions = tuple(reworded.value[-1].questions[:MOST_REWORDED])
        return Answer(Reformulation(query=None, questions=questions), reworded.usage)
    content = f"{format_json_block(facts)}\n{_REASONS[task.reason]} Give one other query."
    answer = await model.ask(Question(task, title, content, Query))
    query = answer.value[-1].query
    # Their order and case make no other query.
    tried = [{*each.casefold().split()} for each in task.tried]
    if query is not None and {*query.casefold().split()} in tried:
        query = None
    return Answer(Reformulation(query=query), answer.usage)


REFORMULATE: Role[ReformulationTask, Reformulation] = Role(
    "reformulate", SETTINGS, _play, without_model=lambda task: Reformulation(query=None)
)

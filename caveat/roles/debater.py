"""The debaters: three lenses on the same claims, a call for each."""

from collections.abc import Iterator

from caveat.contracts.base import Contract
from caveat.contracts.phase import Step
from caveat.contracts.synthesis import Challenge, Stance
from caveat.contracts.tasks import DebateTask
from caveat.ports import Answer
from caveat.roles.data import (
    ADDRESS,
    Words,
    describe_dispute,
    format_flaws,
    format_json_block,
    list_by_source,
)
from caveat.roles.role import SONNET, Bounds, LanguageModel, ModelSettings, Question, Role
from caveat.rules.lines import shorten
from caveat.rules.sentences.checks import find_unsupported_figures
from caveat.rules.sentences.grounds import Grounds

SETTINGS = ModelSettings(
    name="debate",
    agent="debater",
    model=SONNET,
    bounds=Bounds(deadline_s=165, room=12_000),  # one or two sentences a claim
    step=Step.DEBATE,
)


_TEXT = 500  # characters of a remark, by its contract


class Remark(Contract):
    """What the participant says of one claim."""

    claim: str
    stance: Stance
    text: Words
    evidence: tuple[str, ...]


class Remarks(Contract):
    """What the participant has to say, what matters most first."""

    remarks: tuple[Remark, ...]


async def _debate(task: DebateTask, model: LanguageModel) -> Answer[tuple[Challenge, ...]]:
    """Return the remarks that hold, in order of the claims."""
    # One that names no claim, or states a number that its claims lack, is returned once and then
    # left out. Where there are no claims nobody is asked.
    if not task.claims:
        return Answer(())
    grounds = Grounds.build(task.claims, task.sources, task.topic)
    facts = {
        "topic": task.topic,
        "sources": list_by_source(task.claims, task.sources),
        "contradictions": [describe_dispute(each) for each in task.contradictions],
    }
    today, lens = task.today.isoformat(), task.participant.value
    content = f"{format_json_block(facts)}\n\nToday is {today}. You are the {lens}. Your remarks?"

    def find_objection(answer: Remarks) -> str | None:
        return format_flaws(
            "These remarks do not hold",
            (flaw for remark in answer.remarks for flaw in _find_flaws(remark, grounds)),
            "Give the whole list again, mended or without them.",
        )

    answer = await model.ask(
        Question(task, task.topic, content, Remarks, find_objection, agent=lens)
    )
    right = (each for each in answer.value[-1].remarks if not any(_find_flaws(each, grounds)))
    first = {remark.claim: remark for remark in reversed(tuple(right))}
    challenges = tuple(
        Challenge(
            claim_id=name,
            raised_by=task.participant,
            stance=remark.stance,
            text=shorten(remark.text, _TEXT),
            evidence=tuple(each for each in dict.fromkeys(remark.evidence) if each != name),
        )
        for name in grounds.claims
        if (remark := first.get(name))
    )
    return Answer(challenges, answer.usage)


def _find_flaws(remark: Remark, grounds: Grounds) -> Iterator[str]:
    named = dict.fromkeys((remark.claim, *remark.evidence))
    for name in named:
        if name not in grounds.claims:
            yield f"“{shorten(name, 40)}” names no claim that you were given."
    if ADDRESS.search(remark.text):
        yield f"The remark on {shorten(remark.claim, 40)} holds an address."
    cited = [grounds.claims[name] for name in named if name in grounds.claims]
    for number in find_unsupported_figures(remark.text, cited, grounds):
        yield f"{number} stands in no claim that the remark on {remark.claim} speaks of."


DEBATE: Role[DebateTask, tuple[Challenge, ...]] = Role(
    "debate", SETTINGS, _debate, without_model=lambda task: ()
)

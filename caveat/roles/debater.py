"""The debaters: three lenses on the same claims, a call for each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from caveat.contracts.base import Contract
from caveat.contracts.claim import Claim
from caveat.contracts.debate import Challenge, Stance
from caveat.contracts.envelope import AgentType
from caveat.contracts.spending import Step
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
from caveat.roles.role import SONNET, Bounds, LanguageModel, ModelSettings, Role
from caveat.rules.lines import shorten
from caveat.rules.sentences import Grounds, find_unsupported_figures

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
    check = _Check(task)
    facts = {
        "topic": task.topic,
        "sources": list_by_source(task.claims, task.sources),
        "contradictions": [describe_dispute(each) for each in task.contradictions],
    }
    today, lens = task.today.isoformat(), task.participant.value
    content = f"{format_json_block(facts)}\n\nToday is {today}. You are the {lens}. Your remarks?"
    answer = await model.configure(agent=lens).ask(
        task, task.topic, content, Remarks, check.find_objection
    )
    return Answer(check.build_challenges(answer.value[-1]), answer.usage)


@dataclass(frozen=True)
class _Check:
    task: DebateTask

    @cached_property
    def grounds(self) -> Grounds:
        return Grounds.build(self.task.claims, self.task.sources, self.task.topic)

    @property
    def claims(self) -> Mapping[str, Claim]:
        return self.grounds.claims

    def find_objection(self, answer: Remarks) -> str | None:
        return format_flaws(
            "These remarks do not hold",
            (flaw for remark in answer.remarks for flaw in self._find_flaws(remark)),
            "Give the whole list again, mended or without them.",
        )

    def build_challenges(self, answer: Remarks) -> tuple[Challenge, ...]:
        order = {name: number for number, name in enumerate(self.claims)}
        first: dict[str, Remark] = {}
        for remark in answer.remarks:
            if not any(self._find_flaws(remark)):
                first.setdefault(remark.claim, remark)
        return tuple(
            Challenge(
                claim_id=remark.claim,
                raised_by=self.task.participant,
                stance=remark.stance,
                text=shorten(remark.text, _TEXT),
                evidence=tuple(
                    name
                    for name in dict.fromkeys(remark.evidence)
                    if name in self.claims and name != remark.claim
                ),
            )
            for remark in sorted(first.values(), key=lambda remark: order[remark.claim])
        )

    def _find_flaws(self, remark: Remark) -> Iterator[str]:
        for name in (remark.claim, *remark.evidence):
            if name not in self.claims:
                yield f"“{shorten(name, 40)}” names no claim that you were given."
        if ADDRESS.search(remark.text):
            yield f"The remark on {shorten(remark.claim, 40)} holds an address."
        named = dict.fromkeys((remark.claim, *remark.evidence))
        cited = [self.claims[name] for name in named if name in self.claims]
        for number in find_unsupported_figures(remark.text, cited, self.grounds):
            yield f"{number} stands in no claim that the remark on {remark.claim} speaks of."


Challenges = tuple[Challenge, ...]

DEBATE: Role[DebateTask, Challenges, Challenges] = Role(
    name="debate",
    agent=AgentType.DEBATER,
    task=DebateTask,
    result=Challenges,
    start_to_close=timedelta(minutes=3),  # as for a plan: one model call
    step=Step.DEBATE,
    settings=SETTINGS,
    play=_debate,
    without_model=lambda task: (),
)

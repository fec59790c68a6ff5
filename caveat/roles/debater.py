"""The debaters: three lenses on the same claims, a call for each."""

from collections.abc import Collection, Iterator
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
from caveat.quantities.support import Excerpt, find_unsupported
from caveat.roles.data import ADDRESS, Words, describe_dispute, format_claims_block, format_flaws
from caveat.roles.role import SONNET, Bounds, LanguageModel, ModelSettings, Role
from caveat.rules.lines import shorten
from caveat.rules.text.words import read_excerpt

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
    shown = format_claims_block(
        task.claims,
        task.sources,
        topic=task.topic,
        contradictions=[describe_dispute(each) for each in task.contradictions],
    )
    today, lens = task.today.isoformat(), task.participant.value
    content = f"{shown}\n\nToday is {today}. You are the {lens}. Your remarks?"
    answer = await model.configure(agent=lens).ask(
        task, task.topic, content, Remarks, check.find_objection
    )
    return Answer(check.build_challenges(answer.value[-1]), answer.usage)


def list_known_excerpts(task: DebateTask, names: Collection[str]) -> list[Excerpt]:
    """What may give numbers to a remark on some claims: their quotes and sources."""
    spoken = [claim for claim in task.claims if claim.id in names]
    sources = {claim.source_id for claim in spoken}
    known = [read_excerpt(claim.quote) for claim in spoken]
    for source in task.sources:
        if source.id in sources:
            known.append(Excerpt(source.title))
            if source.published:
                known.append(Excerpt(source.published.isoformat()))
    return known


@dataclass(frozen=True)
class _Check:
    task: DebateTask

    @cached_property
    def claims(self) -> dict[str, Claim]:
        return {claim.id: claim for claim in self.task.claims}

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
        known = list_known_excerpts(self.task, (remark.claim, *remark.evidence))
        for number in find_unsupported(Excerpt(remark.text), known, counted=range(10)):
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

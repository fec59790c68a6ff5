"""The debaters: three lenses on the same claims, and answers to one another, a call for each."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from caveat.contracts.base import Contract
from caveat.contracts.claim import Claim
from caveat.contracts.debate import Challenge, DebateMessage, Stance
from caveat.contracts.envelope import AgentType
from caveat.contracts.spending import Step
from caveat.contracts.tasks import DebateTask, ReplyTask
from caveat.ports import Answer
from caveat.quantities.numbers import find_numbers
from caveat.roles.data import (
    ADDRESS,
    Words,
    describe_dispute,
    format_claims_block,
    format_flaws,
    shorten,
)
from caveat.roles.role import SONNET, Bounds, Desk, LanguageModel, ModelSettings, Role
from caveat.rules.run.debate import filter_answers, filter_remarks

SETTINGS = ModelSettings(
    name="debate",
    agent="debater",
    model=SONNET,
    bounds=Bounds(deadline_s=165, room=12_000),  # one or two sentences a claim
    step=Step.DEBATE,
)


_TEXT = 500  # characters of a remark, and of an answer to one, by their contracts


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
    answer = await model.configure(agent=task.participant.value).ask(
        task, task.topic, _build_content(task), Remarks, check.find_objection
    )
    return Answer(check.build_challenges(answer.value[-1]), answer.usage)


def _build_content(task: DebateTask) -> str:
    shown = format_claims_block(
        task.claims,
        task.sources,
        topic=task.topic,
        contradictions=[describe_dispute(each) for each in task.contradictions],
    )
    today = task.today.isoformat()
    return f"{shown}\n\nToday is {today}. You are the {task.participant.value}. Your remarks?"


def list_known_numbers(task: DebateTask, names: Collection[str]) -> frozenset[str]:
    """Numbers that may be stated of some claims: theirs, and what is known of their sources."""
    spoken = [claim for claim in task.claims if claim.id in names]
    sources = {claim.source_id for claim in spoken}
    known = [claim.quote for claim in spoken]
    for source in task.sources:
        if source.id in sources:
            published = source.published
            known += [source.title, f"{published.year} {published.day}" if published else ""]
    return frozenset(find_numbers("\n".join(known)))


@dataclass(frozen=True)
class _Check:
    """Holds remarks against the task that they answer."""

    task: DebateTask

    @property
    def _claims(self) -> dict[str, Claim]:
        return {claim.id: claim for claim in self.task.claims}

    def find_objection(self, said: Remarks) -> str | None:
        claims = self._claims
        return format_flaws(
            "These remarks do not hold",
            (flaw for remark in said.remarks for flaw in self._find_flaws(remark, claims)),
            "Give the whole list again, mended or without them.",
        )

    def build_challenges(self, said: Remarks) -> tuple[Challenge, ...]:
        claims = self._claims
        order = {name: number for number, name in enumerate(claims)}
        first: dict[str, Remark] = {}
        for remark in said.remarks:
            if not any(self._find_flaws(remark, claims)):
                first.setdefault(remark.claim, remark)
        return tuple(
            Challenge(
                claim_id=remark.claim,
                raised_by=self.task.participant,
                stance=remark.stance,
                text=shorten(remark.text, _TEXT),
                evidence=tuple(_list_other_claims(remark, claims)),
            )
            for remark in sorted(first.values(), key=lambda each: order[each.claim])
        )

    def _find_flaws(self, remark: Remark, claims: Mapping[str, Claim]) -> Iterator[str]:
        for name in (remark.claim, *remark.evidence):
            if name not in claims:
                yield f"“{shorten(name, 40)}” names no claim that you were given."
        if ADDRESS.search(remark.text):
            yield f"The remark on {shorten(remark.claim, 40)} holds an address."
        known = list_known_numbers(self.task, (remark.claim, *remark.evidence))
        for number in find_numbers(remark.text):
            if number not in known:
                yield f"{number} stands in no claim that the remark on {remark.claim} speaks of."


def _list_other_claims(remark: Remark, claims: Mapping[str, Claim]) -> Iterator[str]:
    return (
        name for name in dict.fromkeys(remark.evidence) if name in claims and name != remark.claim
    )


RESPONDENT = replace(SETTINGS, agent="respondent", step=None)
"""Plays with the model of the debate, and its calls are booked there."""


class Reply(Contract):
    """What the participant answers to one remark."""

    remark: str
    stance: Stance
    text: Words
    evidence: tuple[str, ...]


class Replies(Contract):
    """What the participant answers, what matters most first."""

    answers: tuple[Reply, ...]


async def _reply(task: ReplyTask, model: LanguageModel) -> Answer[tuple[DebateMessage, ...]]:
    """Return the answers that hold; what answers nothing, or states a strange number, is left out.

    Where nobody else has said anything nobody is asked.
    """
    said = _Said.from_task(task)
    if not said.answerable:
        return Answer(())
    content = _build_reply_content(task, said)
    answer = await model.configure(agent=f"{task.participant} answering").ask(
        task, task.topic, content, Replies
    )
    return Answer(tuple(said.build_messages(answer.value[-1])), answer.usage)


def _build_reply_content(task: ReplyTask, said: "_Said") -> str:
    shown = format_claims_block(
        task.claims,
        task.sources,
        topic=task.topic,
        contradictions=[describe_dispute(each) for each in task.contradictions],
        remarks=[_describe_remark(name, remark) for name, remark in said.named.items()],
    )
    names = ", ".join(said.answerable)
    return (
        f"{shown}\n\nToday is {task.today.isoformat()}. You are the {task.participant.value}. "
        f"You may answer {names}. Your answers?"
    )


def _describe_remark(name: str, remark: Challenge) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": name,
        "by": remark.raised_by.value,
        "claim": remark.claim_id,
        "stance": remark.stance.value,
        "text": remark.text,
        "evidence": remark.evidence,
    }
    if isinstance(remark, DebateMessage):
        facts["answers"] = remark.answers.value
    return facts


@dataclass(frozen=True)
class _Said:
    """What was said before, by the names under which a model knows it."""

    task: ReplyTask
    named: dict[str, Challenge]
    answerable: dict[str, Challenge]  # those that may be answered now

    @classmethod
    def from_task(cls, task: ReplyTask) -> "_Said":
        """Name what was said."""
        named = {f"r{number}": each for number, each in enumerate(task.debate.said, start=1)}
        heard = task.debate.list_heard(task.round)
        return cls(
            task,
            named,
            {
                name: each
                for name, each in named.items()
                if each in heard and each.raised_by is not task.participant
            },
        )

    def build_messages(self, said: Replies) -> Iterator[DebateMessage]:
        """Make messages of the answers that hold."""
        for each in said.answers:
            answered = self.answerable.get(each.remark)
            if answered is None or not self._holds(each, answered):
                continue
            yield DebateMessage(
                claim_id=answered.claim_id,
                raised_by=self.task.participant,
                stance=each.stance,
                text=shorten(each.text, _TEXT),
                evidence=each.evidence,
                round=self.task.round,
                answers=answered.raised_by,
            )

    def _holds(self, answer: Reply, answered: Challenge) -> bool:
        known = {claim.id for claim in self.task.claims}
        if not known.issuperset(answer.evidence) or ADDRESS.search(answer.text):
            return False
        spoken = {answered.claim_id, *answered.evidence, *answer.evidence}
        return set(find_numbers(answer.text)) <= list_known_numbers(self.task, spoken)


Challenges = tuple[Challenge, ...]
Messages = tuple[DebateMessage, ...]


async def _carry_out_debate(
    task: DebateTask, desk: Desk[DebateTask, Challenges, Challenges]
) -> Answer[Challenges]:
    """Return what one participant says of the claims; what names no claim is left out."""
    answer = await desk.ask(task)
    return replace(answer, value=filter_remarks(answer.value, task.claims))


async def _carry_out_reply(
    task: ReplyTask, desk: Desk[ReplyTask, Messages, Messages]
) -> Answer[Messages]:
    """Return what one participant answers; what answers nothing that was said is left out."""
    answer = await desk.ask(task)
    kept = filter_answers(answer.value, task.debate, task.participant, task.round, task.claims)
    return replace(answer, value=kept)


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
    carry_out=_carry_out_debate,
)

REPLY: Role[ReplyTask, Messages, Messages] = Role(
    name="reply",
    agent=AgentType.RESPONDENT,
    task=ReplyTask,
    result=Messages,
    start_to_close=timedelta(minutes=3),  # as for a plan: one model call
    step=Step.DEBATE,
    settings=RESPONDENT,
    play=_reply,
    without_model=lambda task: (),
    carry_out=_carry_out_reply,
)

"""The respondents: participants of the debate who answer one another, one a call."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from caveat.adapters.claude.roles import debater
from caveat.adapters.claude.roles.data import claims_block
from caveat.adapters.claude.roles.debater import contradiction_facts, numbers_of
from caveat.adapters.claude.roles.role import PlayedRole
from caveat.adapters.claude.roles.words import ADDRESS, Words, shortened
from caveat.contracts.base import Contract
from caveat.contracts.debate import Challenge, DebateMessage, Stance
from caveat.contracts.tasks import ReplyTask
from caveat.ports import Answer
from caveat.quantities.numbers import numbers

ROLE = replace(debater.ROLE, agent="respondent", step=None)
"""Plays with the model of the debate, and its calls are booked there."""

_TEXT = 500
"""Characters of a message by its contract."""


class Reply(Contract):
    """What the participant answers to one remark."""

    remark: str
    stance: Stance
    text: Words
    evidence: tuple[str, ...]


class Replies(Contract):
    """What the participant answers, what matters most first."""

    answers: tuple[Reply, ...]


async def reply(task: ReplyTask, part: PlayedRole) -> Answer[tuple[DebateMessage, ...]]:
    """Return the answers that hold; what answers nothing, or states a strange number, is left out.

    Where nobody else has said anything nobody is asked.
    """
    said = _Said.of(task)
    if not said.answerable:
        return Answer(())
    content = _content(task, said)
    answer = await replace(part, agent=f"{task.participant} answering").ask(
        task, task.topic, content, Replies
    )
    return Answer(tuple(said.messages(answer.value[-1])), answer.usage)


def _content(task: ReplyTask, said: "_Said") -> str:
    shown = claims_block(
        task.claims,
        task.sources,
        topic=task.topic,
        contradictions=contradiction_facts(task),
        remarks=[_facts(name, remark) for name, remark in said.named.items()],
    )
    names = ", ".join(said.answerable)
    return (
        f"{shown}\n\nToday is {task.today.isoformat()}. You are the {task.participant.value}. "
        f"You may answer {names}. Your answers?"
    )


def _facts(name: str, remark: Challenge) -> dict[str, Any]:
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
    """What was said before, by the names under which a model knows it.

    Attributes:
        task: what is to be answered.
        named: every remark and message.
        answerable: those that may be answered now.
    """

    task: ReplyTask
    named: dict[str, Challenge]
    answerable: dict[str, Challenge]

    @classmethod
    def of(cls, task: ReplyTask) -> "_Said":
        """Name what was said."""
        named = {f"r{number}": each for number, each in enumerate(task.debate.said, start=1)}
        heard = task.debate.heard_before(task.round)
        return cls(
            task,
            named,
            {
                name: each
                for name, each in named.items()
                if each in heard and each.raised_by is not task.participant
            },
        )

    def messages(self, said: Replies) -> Iterator[DebateMessage]:
        """Make messages of the answers that hold."""
        for each in said.answers:
            answered = self.answerable.get(each.remark)
            if answered is None or not self._holds(each, answered):
                continue
            yield DebateMessage(
                claim_id=answered.claim_id,
                raised_by=self.task.participant,
                stance=each.stance,
                text=shortened(each.text, _TEXT),
                evidence=each.evidence,
                round=self.task.round,
                answers=answered.raised_by,
            )

    def _holds(self, answer: Reply, answered: Challenge) -> bool:
        known = {claim.id for claim in self.task.claims}
        if not known.issuperset(answer.evidence) or ADDRESS.search(answer.text):
            return False
        spoken = {answered.claim_id, *answered.evidence, *answer.evidence}
        return set(numbers(answer.text)) <= numbers_of(self.task, spoken)

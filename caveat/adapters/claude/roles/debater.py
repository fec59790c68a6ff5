"""The debaters: three lenses on the same claims, one participant a call."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from caveat.adapters.claude.roles.data import claims_block
from caveat.adapters.claude.roles.role import SONNET, Bounds, PlayedRole, Role
from caveat.adapters.claude.roles.words import ADDRESS, Words, returned, shortened
from caveat.contracts.base import Contract
from caveat.contracts.claim import Claim
from caveat.contracts.debate import Challenge, Stance
from caveat.contracts.spending import Step
from caveat.contracts.tasks import DebateTask
from caveat.ports import Answer
from caveat.quantities.numbers import numbers

ROLE = Role(
    name="debate",
    agent="debater",
    model=SONNET,
    bounds=Bounds(deadline_s=165, room=12_000),  # one or two sentences a claim
    step=Step.DEBATE,
)


_TEXT = 500
"""Characters of a remark by its contract."""


class Remark(Contract):
    """What the participant says of one claim."""

    claim: str
    stance: Stance
    text: Words
    evidence: tuple[str, ...]


class Remarks(Contract):
    """What the participant has to say, what matters most first."""

    remarks: tuple[Remark, ...]


async def debate(task: DebateTask, part: PlayedRole) -> Answer[tuple[Challenge, ...]]:
    """Return the remarks that hold, in order of the claims.

    One that names no claim, or states a number that its claims lack, is returned once and then
    left out. Where there are no claims nobody is asked.
    """
    if not task.claims:
        return Answer(())
    check = _Check(task)
    answer = await replace(part, agent=task.participant.value).ask(
        task, task.topic, _content(task), Remarks, check.objection
    )
    return Answer(check.challenges(answer.value[-1]), answer.usage)


def _content(task: DebateTask) -> str:
    shown = claims_block(
        task.claims, task.sources, topic=task.topic, contradictions=contradiction_facts(task)
    )
    today = task.today.isoformat()
    return f"{shown}\n\nToday is {today}. You are the {task.participant.value}. Your remarks?"


def contradiction_facts(task: DebateTask) -> list[dict[str, Any]]:
    """What a participant is told of the contradictions."""
    return [
        {
            "claims": contradiction.claims,
            "about": contradiction.about,
            "state": contradiction.state.value,
        }
        for contradiction in task.contradictions
    ]


def numbers_of(task: DebateTask, names: Collection[str]) -> frozenset[str]:
    """Numbers that may be stated of some claims: theirs, and what is known of their sources."""
    spoken = [claim for claim in task.claims if claim.id in names]
    sources = {claim.source_id for claim in spoken}
    known = [claim.quote for claim in spoken] + [f"{claim.credibility:.2f}" for claim in spoken]
    for source in task.sources:
        if source.id in sources:
            published = source.published
            known += [source.title, f"{published.year} {published.day}" if published else ""]
    return frozenset(numbers("\n".join(known)))


@dataclass(frozen=True)
class _Check:
    """Holds remarks against the task that they answer."""

    task: DebateTask

    @property
    def _claims(self) -> dict[str, Claim]:
        return {claim.id: claim for claim in self.task.claims}

    def objection(self, said: Remarks) -> str | None:
        claims = self._claims
        return returned(
            "These remarks do not hold",
            (flaw for remark in said.remarks for flaw in self._flaws(remark, claims)),
            "Give the whole list again, mended or without them.",
        )

    def challenges(self, said: Remarks) -> tuple[Challenge, ...]:
        claims = self._claims
        order = {name: number for number, name in enumerate(claims)}
        first: dict[str, Remark] = {}
        for remark in said.remarks:
            if not any(self._flaws(remark, claims)):
                first.setdefault(remark.claim, remark)
        return tuple(
            Challenge(
                claim_id=remark.claim,
                raised_by=self.task.participant,
                stance=remark.stance,
                text=shortened(remark.text, _TEXT),
                evidence=tuple(_others(remark, claims)),
            )
            for remark in sorted(first.values(), key=lambda each: order[each.claim])
        )

    def _flaws(self, remark: Remark, claims: Mapping[str, Claim]) -> Iterator[str]:
        for name in (remark.claim, *remark.evidence):
            if name not in claims:
                yield f"“{shortened(name, 40)}” names no claim that you were given."
        if ADDRESS.search(remark.text):
            yield f"The remark on {shortened(remark.claim, 40)} holds an address."
        known = numbers_of(self.task, (remark.claim, *remark.evidence))
        for number in numbers(remark.text):
            if number not in known:
                yield f"{number} stands in no claim that the remark on {remark.claim} speaks of."


def _others(remark: Remark, claims: Mapping[str, Claim]) -> Iterator[str]:
    return (
        name for name in dict.fromkeys(remark.evidence) if name in claims and name != remark.claim
    )

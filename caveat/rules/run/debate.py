"""The debate: who has to take part, and which remarks stand."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from caveat.contracts.claim import Claim
from caveat.contracts.debate import MOST_MESSAGES, Challenge, Debate, DebateMessage, Participant
from caveat.contracts.plan import QuorumPolicy
from caveat.rules.evidence import build_sort_key
from caveat.rules.run.quorum import Contribution, QuorumMember, Verdict, check_quorum

DEBATE = QuorumPolicy(minimum_share=2 / 3, penalty=0.20)
"""Two of the three participants: with one alone there is a view and no debate. A missing one costs
twice what a missing angle does, because each lens is looked through only once."""


C = TypeVar("C", bound=Challenge)

Contributions = Mapping[Participant, tuple[Challenge, ...] | None]
"""What each participant said; None of one who could not take part."""


def build_debate(contributions: Contributions) -> Debate:
    """Put a debate together.

    Args:
        contributions: who is not named in them is missing as well; who has nothing to say is not.

    Returns:
        Participants in their usual order, remarks in order of the claims' names.
    """
    present = [each for each in Participant if contributions.get(each) is not None]
    remarks = [remark for each in present for remark in contributions[each] or ()]
    return Debate(
        present=tuple(present),
        missing=tuple(each for each in Participant if each not in present),
        challenges=tuple(sorted(remarks, key=lambda said: build_sort_key(said.claim_id))),
    )


def check_debate_quorum(debate: Debate) -> Verdict:
    """Hold a debate against its quorum."""
    return check_quorum(DEBATE, [_build_member(each, debate) for each in Participant])


def holds(contributions: Contributions) -> bool:
    """Whether enough participants took part for it to be a debate."""
    return check_debate_quorum(build_debate(contributions)).holds


def filter_remarks(
    challenges: Sequence[Challenge], claims: Sequence[Claim]
) -> tuple[Challenge, ...]:
    """Keep the remarks that are about claims of the run, each once, in order of the claims."""
    # A remark that names no claim has nothing to stand beside. Evidence that names none is left
    # out, and with it the remark, where it had no other: it rests on something that nobody can look
    # up.
    order = {claim.id: number for number, claim in enumerate(claims)}
    kept = dict.fromkeys(_filter_grounded(challenges, order))
    return tuple(sorted(kept, key=lambda challenge: order[challenge.claim_id]))


def select_participants(debate: Debate, round_: int) -> tuple[Participant, ...]:
    """Name those who took part and to whom somebody else has said something since they spoke."""
    heard = debate.list_heard(round_)
    return tuple(
        each for each in debate.present if any(remark.raised_by is not each for remark in heard)
    )


def filter_answers(
    messages: Sequence[DebateMessage],
    debate: Debate,
    sender: Participant,
    round_: int,
    claims: Sequence[Claim],
) -> tuple[DebateMessage, ...]:
    """Keep the messages of a sender that answer what another said just before, one a claim."""
    heard = {(remark.raised_by, remark.claim_id) for remark in debate.list_heard(round_)}
    kept: dict[str, DebateMessage] = {}
    for message in messages:
        is_own = message.raised_by is sender and message.round == round_
        is_answer = message.answers is not sender and (message.answers, message.claim_id) in heard
        if is_own and is_answer:
            kept.setdefault(message.claim_id, message)
    order = {claim.id: number for number, claim in enumerate(claims)}
    return tuple(_filter_grounded(tuple(kept.values())[:MOST_MESSAGES], order))


def add_round(debate: Debate, messages: Sequence[DebateMessage]) -> Debate:
    """Put what was said in a further round behind a debate, in order of the claims' names."""
    said = sorted(messages, key=lambda each: build_sort_key(each.claim_id))
    return debate.model_copy(
        update={"messages": (*debate.messages, *said), "rounds": debate.rounds + 1}
    )


def _filter_grounded(challenges: Sequence[C], known: Mapping[str, int]) -> Iterator[C]:
    for challenge in challenges:
        evidence = tuple(
            name
            for name in dict.fromkeys(challenge.evidence)
            if name in known and name != challenge.claim_id
        )
        invented = bool(challenge.evidence) and not evidence
        if challenge.claim_id in known and not invented:
            yield challenge.model_copy(update={"evidence": evidence})


def _build_member(participant: Participant, debate: Debate) -> QuorumMember:
    there = participant in debate.present
    return QuorumMember(
        assignment_id=participant,
        title=participant,
        contribution=Contribution.WHOLE if there else Contribution.MISSING,
    )

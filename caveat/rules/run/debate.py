"""The debate: who has to take part, and which remarks stand."""

from collections.abc import Iterator, Mapping, Sequence

from caveat.contracts.claim import Claim
from caveat.contracts.debate import Challenge, Debate, Participant
from caveat.contracts.plan import QuorumPolicy
from caveat.rules.evidence import build_sort_key
from caveat.rules.run.quorum import Contribution, QuorumMember, Verdict, check_quorum

DEBATE = QuorumPolicy(minimum_share=2 / 3, penalty=0.20)
"""Two of the three participants: with one alone there is a view and no debate. A missing one costs
twice what a missing angle does, because each lens is looked through only once."""

Contributions = Mapping[Participant, tuple[Challenge, ...] | None]
"""What each participant said; None of one who could not take part."""


def build_debate(contributions: Contributions) -> Debate:
    """Build a debate from its contributions.

    Args:
        contributions: participants without one are missing; an empty one counts as present.

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
    return check_quorum(DEBATE, [_build_member(each, debate) for each in Participant])


def has_quorum(contributions: Contributions) -> bool:
    """Whether enough participants took part for it to be a debate."""
    return check_debate_quorum(build_debate(contributions)).is_met


def filter_remarks(
    challenges: Sequence[Challenge], claims: Sequence[Claim]
) -> tuple[Challenge, ...]:
    """Keep remarks on claims of the run, each once, in order of the claims."""
    # A remark that names no claim belongs to nothing. Evidence that names none is left
    # out, and with it the remark, where it had no other: it rests on something that nobody can look
    # up.
    order = {claim.id: number for number, claim in enumerate(claims)}
    grounded = dict.fromkeys(_filter_grounded(challenges, order))
    return tuple(sorted(grounded, key=lambda challenge: order[challenge.claim_id]))


def _filter_grounded(
    challenges: Sequence[Challenge], known: Mapping[str, int]
) -> Iterator[Challenge]:
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
        critical=False,
    )

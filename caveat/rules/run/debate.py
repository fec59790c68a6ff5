"""The debate: who has to take part, and which remarks stand."""

from collections.abc import Mapping

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
    members = [
        QuorumMember(
            assignment_id=each,
            title=each,
            contribution=Contribution.WHOLE if each in debate.present else Contribution.MISSING,
            critical=False,
        )
        for each in Participant
    ]
    return check_quorum(DEBATE, members)


def has_quorum(contributions: Contributions) -> bool:
    """Whether enough participants took part for it to be a debate."""
    return check_debate_quorum(build_debate(contributions)).is_met

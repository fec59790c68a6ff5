"""The debate: who has to take part, and which remarks stand."""

from collections.abc import Mapping
from math import ceil

from caveat.contracts.debate import Challenge, Debate, Participant
from caveat.contracts.plan import QuorumPolicy
from caveat.rules.evidence import build_sort_key

DEBATE = QuorumPolicy(minimum_share=2 / 3, penalty=0.20)
"""Two of the three participants: with one alone there is a view and no debate. A missing one costs
twice what a missing angle does, because each lens is looked through only once."""

Contributions = Mapping[Participant, tuple[Challenge, ...] | None]
"""What each participant said; None of one who could not take part."""


def build_debate(contributions: Contributions) -> Debate:
    """Build a debate; who said nothing took part, and remarks are in order of the claims."""
    present = [each for each in Participant if contributions.get(each) is not None]
    remarks = [remark for each in present for remark in contributions[each] or ()]
    return Debate(
        present=tuple(present),
        missing=tuple(each for each in Participant if each not in present),
        challenges=tuple(sorted(remarks, key=lambda said: build_sort_key(said.claim_id))),
    )


def has_quorum(contributions: Contributions) -> bool:
    """Whether enough participants took part for it to be a debate."""
    present = sum(remarks is not None for remarks in contributions.values())
    return present >= ceil(DEBATE.minimum_share * len(Participant))

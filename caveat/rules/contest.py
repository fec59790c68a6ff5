"""Contest: what contradictions make of claims, and which claims may be used."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.contradiction import Contradiction, ContradictionState, RulingChoice
from caveat.contracts.investigation import Findings
from caveat.rules.ladder import members
from caveat.rules.resting import resting

_SEVERITY = (
    ClaimState.ACCEPTED,
    ClaimState.CONTESTED,
    ClaimState.UNCERTAIN,
    ClaimState.OVERRULED,
)
"""A claim in several contradictions takes the worst: what is overruled once is not used."""

_RULED: dict[RulingChoice, tuple[ClaimState, ClaimState]] = {
    RulingChoice.A: (ClaimState.ACCEPTED, ClaimState.OVERRULED),
    RulingChoice.B: (ClaimState.OVERRULED, ClaimState.ACCEPTED),
    RulingChoice.BOTH: (ClaimState.CONTESTED, ClaimState.CONTESTED),
    RulingChoice.NEITHER: (ClaimState.OVERRULED, ClaimState.OVERRULED),
}
"""What a ruling makes of the two sides. `both` stays contested: each holds in its own scope, and a
reader must be told so where either is cited."""


def contested(
    findings: Sequence[Findings], contradictions: Sequence[Contradiction]
) -> tuple[Findings, ...]:
    """Say of every claim whether it may be used and which claims contest it.

    The claims that back a side share its fate, and so does what rests on it. Only the
    contradictions decide, never what a claim was before, so that a late ruling can give back what
    was uncertain.

    Args:
        findings: what each assignment brought, its claims named.
        contradictions: all of the run, as they stand.
    """
    claims = {claim.id: claim for found in findings for claim in found.claims}
    states: dict[str, ClaimState] = {}
    against: dict[str, dict[str, None]] = defaultdict(dict)  # a set that keeps its order
    for contradiction in contradictions:
        both = members(contradiction)
        for side, others, state in zip(both, both[::-1], _states(contradiction), strict=True):
            for name in side:
                states[name] = _worse(states.get(name, ClaimState.ACCEPTED), state)
                against[name].update(dict.fromkeys(others))
        for name, (fate, rivals) in _resting(contradiction, claims).items():
            states[name] = _worse(states.get(name, ClaimState.ACCEPTED), fate)
            against[name].update(dict.fromkeys(rivals))
    return tuple(
        found.model_copy(
            update={"claims": tuple(_marked(claim, states, against) for claim in found.claims)}
        )
        for found in findings
    )


def _resting(
    contradiction: Contradiction, claims: Mapping[str, Claim]
) -> dict[str, tuple[ClaimState, list[str]]]:
    """What becomes of the claims that repeat a value; one that repeats several has the best."""
    sides, states = members(contradiction), _states(contradiction)
    return {
        name: (
            min((states[place] for place in places), key=_SEVERITY.index),
            [
                other
                for place, side in enumerate(sides)
                if place not in places or len(places) == len(sides)
                for other in side
            ],
        )
        for name, places in resting(contradiction, claims).items()
    }


def usable(claim: Claim) -> bool:
    """Whether a report may rest on a claim: it is neither overruled nor uncertain."""
    return claim.state in (ClaimState.ACCEPTED, ClaimState.CONTESTED)


def _states(contradiction: Contradiction) -> tuple[ClaimState, ClaimState]:
    if contradiction.state is ContradictionState.PROVISIONAL:
        return ClaimState.UNCERTAIN, ClaimState.UNCERTAIN
    if contradiction.ruling is None:
        return ClaimState.CONTESTED, ClaimState.CONTESTED
    return _RULED[contradiction.ruling]


def _worse(one: ClaimState, other: ClaimState) -> ClaimState:
    return max(one, other, key=_SEVERITY.index)


def _marked(
    claim: Claim, states: dict[str, ClaimState], against: dict[str, dict[str, None]]
) -> Claim:
    return claim.model_copy(
        update={
            "state": states.get(claim.id, ClaimState.ACCEPTED),
            "contested_by": tuple(against.get(claim.id, ())),
        }
    )

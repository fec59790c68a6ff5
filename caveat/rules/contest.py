"""Contest: what contradictions make of claims, and which claims may be used."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.contradiction import Contradiction, ContradictionState
from caveat.contracts.investigation import Findings
from caveat.rules.choices import holding
from caveat.rules.ladder import members
from caveat.rules.resting import resting

_SEVERITY = (
    ClaimState.ACCEPTED,
    ClaimState.CONTESTED,
    ClaimState.UNCERTAIN,
    ClaimState.OVERRULED,
)
"""A claim in several contradictions takes the worst: what is overruled once is not used."""


def contested(
    findings: Sequence[Findings], contradictions: Sequence[Contradiction]
) -> tuple[Findings, ...]:
    """Say of every claim whether it may be used and which claims contest it.

    The claims that back a value share its fate, and so does what rests on it. Only the
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
        sides = members(contradiction)
        for number, (side, state) in enumerate(zip(sides, _states(contradiction), strict=True)):
            others = [name for other in (*sides[:number], *sides[number + 1 :]) for name in other]
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


def _states(contradiction: Contradiction) -> tuple[ClaimState, ...]:
    """Say what a contradiction makes of each of its values.

    Several that hold stay contested: each does in its own scope, and a reader must be told so where
    one of them is cited.
    """
    values = len(contradiction.claims)
    if contradiction.state is ContradictionState.PROVISIONAL:
        return (ClaimState.UNCERTAIN,) * values
    if contradiction.ruling is None:
        return (ClaimState.CONTESTED,) * values
    upheld = holding(contradiction.ruling, values)
    holds = ClaimState.CONTESTED if sum(upheld) > 1 else ClaimState.ACCEPTED
    return tuple(holds if each else ClaimState.OVERRULED for each in upheld)


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

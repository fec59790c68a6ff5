"""What became of a contradiction, in the words that every page about it shares."""

from collections.abc import Sequence

from caveat.contracts.contradiction import Contradiction, ContradictionState, SettledBy
from caveat.rules.choices import holding, letters
from caveat.rules.ladder import PAIR, unused

_APART = "each in its own scope or at its own date"

_SETTLERS = {
    SettledBy.EVIDENCE: "the evidence",
    SettledBy.TRACK_RECORD: "the track records of the sources",
    SettledBy.PERSON: "a person",
    SettledBy.PROVISIONAL_UNCERTAINTY: "nobody",
}


def settler(contradiction: Contradiction) -> str:
    """Say who or what settled a contradiction: a person's name where a person did.

    A ruling without this user's signature is marked: anybody who reaches the server may have given
    it, under any name.
    """
    if contradiction.decided_by is not None:
        unsigned = " (not signed)" if contradiction.signed is False else ""
        return contradiction.decided_by + unsigned
    return _SETTLERS[contradiction.settled_by] if contradiction.settled_by else "nobody yet"


def verdict(contradiction: Contradiction) -> str:
    """Say how a contradiction ended, for example `settled by Ada: both hold, ...`."""
    if contradiction.is_open:
        return "awaits a person"
    if contradiction.state is ContradictionState.PROVISIONAL or contradiction.ruling is None:
        return f"could be settled by nobody: {unused(len(contradiction.claims))}"
    return f"was settled by {settler(contradiction)}: {outcome(contradiction)}"


def outcome(contradiction: Contradiction) -> str:
    """Say which values hold by the ruling, for example `A holds and B does not`."""
    values = len(contradiction.claims)
    upheld = holding(contradiction.ruling or "none", values)
    names = [name.upper() for name in letters(values)]
    hold = [name for name, holds in zip(names, upheld, strict=True) if holds]
    fall = [name for name, holds in zip(names, upheld, strict=True) if not holds]
    two = values == PAIR
    if not hold:
        return "neither holds" if two else "none of them holds"
    if not fall:
        return f"{'both' if two else f'all {values}'} hold, {_APART}"
    rest = f"{fall[0]} does not" if len(fall) == 1 else f"the {len(fall)} others do not"
    if len(hold) == 1:
        return f"{hold[0]} holds and {rest}"
    return f"{listed(hold)} hold, {_APART}, and {rest}"


def held(choice: str, values: int) -> str:
    """Say what a ruling upholds, for example `a and c hold`."""
    upheld = holding(choice, values)
    hold = [name for name, holds in zip(letters(values), upheld, strict=True) if holds]
    match len(hold):
        case 0:
            return "neither holds" if values == PAIR else "none of them holds"
        case 1:
            return f"{hold[0]} holds"
        case count if count == values:
            return "both hold" if values == PAIR else f"all {values} hold"
    return f"{listed(hold)} hold"


def listed(names: Sequence[str]) -> str:
    """Write names as `one`, `one and two` or `one, two and three`."""
    *firsts, last = names
    return f"{', '.join(firsts)} and {last}" if firsts else last

"""What became of a contradiction, in the words that every page about it shares."""

from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionState,
    RulingChoice,
    SettledBy,
)

RULINGS = {
    RulingChoice.A: "A holds and B does not",
    RulingChoice.B: "B holds and A does not",
    RulingChoice.BOTH: "both hold, each in its own scope or at its own date",
    RulingChoice.NEITHER: "neither holds",
}

_SETTLERS = {
    SettledBy.EVIDENCE: "the evidence",
    SettledBy.TRACK_RECORD: "the track records of the sources",
    SettledBy.PERSON: "a person",
    SettledBy.PROVISIONAL_UNCERTAINTY: "nobody",
}


def settler(contradiction: Contradiction) -> str:
    """Say who or what settled a contradiction: a person's name where a person did."""
    if contradiction.decided_by is not None:
        return contradiction.decided_by
    return _SETTLERS[contradiction.settled_by] if contradiction.settled_by else "nobody yet"


def verdict(contradiction: Contradiction) -> str:
    """Say how a contradiction ended, for example `settled by Ada: both hold, ...`."""
    if contradiction.is_open:
        return "awaits a person"
    if contradiction.state is ContradictionState.PROVISIONAL or contradiction.ruling is None:
        return "could be settled by nobody: both claims are uncertain and neither is used"
    return f"was settled by {settler(contradiction)}: {RULINGS[contradiction.ruling]}"

"""Detections: what a model and what rules report of the same claims, as one list.

A model obeys whoever speaks to it, so that neither its silence nor its word about who says the same
counts for anything: what rules find stands whatever it says, and a claim backs a value only where
code reads the same in its quote.
"""

from collections.abc import Iterable, Mapping, Sequence

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import ContradictionKind, Disagreement
from caveat.rules.contradictions._resting import resting
from caveat.rules.contradictions.choices import PAIR, members
from caveat.rules.contradictions.disagreements import distinct, sound

_APART = {ContradictionKind.NUMERIC, ContradictionKind.DATE}
"""What the same claims may disagree about twice: in a number, and in a date."""


def united(
    by_model: Sequence[Disagreement], by_rules: Sequence[Disagreement], claims: Sequence[Claim]
) -> tuple[Disagreement, ...]:
    """Make one list of what both report, each question once.

    A question that both report has the sides that rules read, and then the values that the model
    alone names. What the model alone reports comes with the word that nothing else does.

    Args:
        by_model: what a model reports, what matters most first.
        by_rules: what rules find, likewise.
        claims: every claim of the run.
    """
    by_id = {claim.id: claim for claim in claims}
    left = list(sound(by_rules, claims))
    found: list[Disagreement] = []
    for said in sound(by_model, claims):
        told = _as_read(said, by_id)
        shared = [(_places(told, each, by_id), each) for each in (*found, *left)]
        places, known = max(shared, key=lambda each: _count(each[0]), default=([], told))
        if _count(places) < PAIR:
            found.append(told)
        elif known in left:
            left.remove(known)
            found.append(_joined(known, told, places))
        else:
            found[found.index(known)] = _joined(known, told, places)
    return tuple(distinct((*found, *left)))


def _as_read(said: Disagreement, claims: Mapping[str, Claim]) -> Disagreement:
    """Keep as backing what code reads in the quotes, and the rest as what a model says."""
    bare = said.model_copy(update={"backing": ((),) * len(said.claims)})
    read = resting(bare, claims)
    backing = tuple(
        tuple(name for name in named if read.get(name) == (place,))
        for place, named in enumerate(said.backing)
    )
    echoes = tuple(tuple(name for name in named if name not in read) for named in said.backing)
    return said.model_copy(update={"backing": backing, "echoes": echoes, "by_rules": False})


def _places(
    said: Disagreement, known: Disagreement, claims: Mapping[str, Claim]
) -> list[int | None]:
    """Find for each side the one of the other report that states the same, if it is one."""
    if {said.kind, known.kind} == _APART:
        return [None] * len(said.claims)
    there = [set(side) for side in members(known)]
    for name, repeated in resting(known, claims).items():
        if len(repeated) == 1:
            there[repeated[0]].add(name)
    touched = [
        [place for place, names in enumerate(there) if names & set(side)] for side in members(said)
    ]
    return [places[0] if len(places) == 1 else None for places in touched]


def _count(places: Sequence[int | None]) -> int:
    """Count the sides that two reports have in common: two make them one question."""
    return len({place for place in places if place is not None})


def _joined(known: Disagreement, said: Disagreement, places: Sequence[int | None]) -> Disagreement:
    """Add to a question the values that only another report has, and who is said to echo whom."""
    taken = {name for side in members(known) for name in side}
    sides, echoes = members(said), said.echoes or ((),) * len(said.claims)
    echoing = [dict.fromkeys(names) for names in known.echoes or ((),) * len(known.claims)]
    for place, side, named in zip(places, sides, echoes, strict=True):
        if place is not None:
            echoing[place] |= dict.fromkeys((*side, *named))
    new = [
        place
        for place, side in enumerate(sides)
        if places[place] is None and taken.isdisjoint(side)
    ]
    stated = known.values and (not new or said.values)
    return known.model_copy(
        update={
            "claims": (*known.claims, *(said.claims[place] for place in new)),
            "backing": (*known.backing, *(said.backing[place] for place in new)),
            "echoes": _apart((*echoing, *(echoes[place] for place in new)), taken),
            "between": (*known.between, *((),) * len(new)) if known.between else (),
            "values": (*known.values, *(said.values[place] for place in new)) if stated else (),
            "about": said.about if new else known.about,
            "by_rules": known.by_rules and not new,
        }
    )


def _apart(echoes: Iterable[Iterable[str]], taken: set[str]) -> tuple[tuple[str, ...], ...]:
    """Leave out who is on a side already."""
    return tuple(tuple(name for name in named if name not in taken) for named in echoes)

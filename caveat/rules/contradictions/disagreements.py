"""Which of a reasoner's disagreements can be taken up, and which of them are one question.

What a model and what rules report of the same claims becomes one list. A model obeys whoever speaks
to it, so that neither its silence nor its word about who says the same counts for anything: what
rules find stands whatever it says, and a claim backs a value only where code reads the same in its
quote.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import ContradictionKind, Disagreement, Side
from caveat.rules.contradictions._resting import resting
from caveat.rules.contradictions.choices import PAIR
from caveat.rules.text import Place, are_opposed


def sound(found: Sequence[Disagreement], claims: Sequence[Claim]) -> tuple[Disagreement, ...]:
    """Keep the disagreements between claims of the run from two sources at least, each once.

    A source that disagrees with itself is read wrongly or states two things; neither is for a
    person to rule on. A claim that is not of the run is left out, one that is named for several
    values stays with the first of them that it states best, and a value without any claim goes;
    backing that says the opposite of the claim that it is to back is left out, too. Values that
    were reported two by two, each with each, are one question, and so is what a larger one of the
    same kind holds already.

    Args:
        found: what a reasoner reported.
        claims: every claim of the run.
    """
    by_id = {claim.id: claim for claim in claims}
    whole = [kept for each in found if (kept := _whole(each, by_id)) is not None]
    return tuple(distinct(_joined(whole)))


def _whole(given: Disagreement, by_id: Mapping[str, Claim]) -> Disagreement | None:
    times = Counter(name for side in given.sides for name in dict.fromkeys(side.claims))
    kept: list[Side] = []
    standing: set[str] = set()
    for side in given.sides:
        own = [
            name
            for name in dict.fromkeys(side.claims)
            if name in by_id and (times[name] == 1 or (name == side.claim and name not in standing))
        ]
        standing.update(own)
        if own:
            said = {
                "claim": own[0],
                "backing": tuple(name for name in own[1:] if _backs(by_id[name], by_id[own[0]])),
                "between": tuple(n for n in side.between if n in by_id and not times[n]),
            }
            kept.append(side.model_copy(update=said))
    if len({by_id[side.claim].source_id for side in kept}) < PAIR:
        return None
    return given.model_copy(update={"sides": tuple(kept)})


def _backs(claim: Claim, best: Claim) -> bool:
    """Whether nothing but a number differs, which the uncertainty of either may make the same."""
    return not any(
        are_opposed(one, other, Place.STANCE)
        for one, other in ((claim.quote, best.quote), (claim.text, best.text))
    )


def _joined(found: Sequence[Disagreement]) -> list[Disagreement]:
    """Make one question of pairs of one kind that hold each of their claims against each other.

    The largest such groups come first: with 73, 70 and 67 each two of them may be reported.
    """
    pairs = {(each.kind, frozenset(each.claims)): each for each in found if len(each.sides) == PAIR}
    joined: list[Disagreement] = []
    taken: set[tuple[object, frozenset[str]]] = set()
    for each in found:
        key = (each.kind, frozenset(each.claims))
        if key in taken:
            continue
        clique = _clique(each, pairs.keys() - taken) if key in pairs else each.claims
        if len(clique) == len(each.sides):
            joined.append(each)
            continue
        inside = [(each.kind, frozenset(two)) for two in combinations(clique, PAIR)]
        taken.update(inside)
        joined.append(_united([pairs[two] for two in inside], clique))
    return joined


def _clique(pair: Disagreement, pairs: Iterable[tuple[object, frozenset[str]]]) -> tuple[str, ...]:
    known = {two for kind, two in pairs if kind is pair.kind}
    clique = pair.claims
    for name in dict.fromkeys(name for two in sorted(map(sorted, known)) for name in two):
        if name not in clique and all(frozenset((name, other)) in known for other in clique):
            clique = (*clique, name)
    return clique


def _united(pairs: Sequence[Disagreement], claims: Sequence[str]) -> Disagreement:
    known: dict[str, Side] = {}
    for side in (side for pair in pairs for side in pair.sides):
        first = known.setdefault(side.claim, side)
        more = {
            name: tuple(dict.fromkeys((*getattr(first, name), *getattr(side, name))))
            for name in ("backing", "between")
        }
        known[side.claim] = first.model_copy(update=more)
    sided = {name for side in known.values() for name in side.claims}
    return pairs[0].model_copy(
        update={
            "sides": tuple(
                known[name].model_copy(update={"between": _apart(known[name].between, sided)})
                for name in claims
            )
        }
    )


def distinct(found: Sequence[Disagreement]) -> Iterator[Disagreement]:
    """Leave out what names the same claims as an earlier one of its kind, or some of a larger's."""
    sets = [(each.kind, frozenset(each.claims)) for each in found]
    for number, (each, (kind, names)) in enumerate(zip(found, sets, strict=True)):
        larger = any(kind is other and names < others for other, others in sets)
        if not larger and (kind, names) not in sets[:number]:
            yield each


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
            found.append(_extended(known, told, places))
        else:
            found[found.index(known)] = _extended(known, told, places)
    return tuple(distinct((*found, *left)))


def _as_read(said: Disagreement, claims: Mapping[str, Claim]) -> Disagreement:
    """Keep as backing what code reads in the quotes, and the rest as what a model says."""
    bare = tuple(side.model_copy(update={"backing": ()}) for side in said.sides)
    read = resting(said.model_copy(update={"sides": bare}), claims)
    sides = tuple(
        side.model_copy(
            update={
                "backing": tuple(name for name in side.backing if read.get(name) == (place,)),
                "echoes": tuple(name for name in side.backing if name not in read),
            }
        )
        for place, side in enumerate(said.sides)
    )
    return said.model_copy(update={"sides": sides, "by_rules": False})


def _places(
    said: Disagreement, known: Disagreement, claims: Mapping[str, Claim]
) -> list[int | None]:
    """Find for each side the one of the other report that states the same, if it is one."""
    if {said.kind, known.kind} == _APART:
        return [None] * len(said.sides)
    there = [set(side.claims) for side in known.sides]
    for name, repeated in resting(known, claims).items():
        if len(repeated) == 1:
            there[repeated[0]].add(name)
    touched = [
        [place for place, names in enumerate(there) if not names.isdisjoint(side.claims)]
        for side in said.sides
    ]
    return [places[0] if len(places) == 1 else None for places in touched]


def _count(places: Sequence[int | None]) -> int:
    """Count the sides that two reports have in common: two make them one question."""
    return len({place for place in places if place is not None})


def _extended(
    known: Disagreement, said: Disagreement, places: Sequence[int | None]
) -> Disagreement:
    """Add to a question the values that only another report has, and who is said to echo whom."""
    taken = {name for side in known.sides for name in side.claims}
    echoing = [dict.fromkeys(side.echoes) for side in known.sides]
    for place, side in zip(places, said.sides, strict=True):
        if place is not None:
            echoing[place] |= dict.fromkeys((*side.claims, *side.echoes))
    new = [
        side
        for place, side in zip(places, said.sides, strict=True)
        if place is None and taken.isdisjoint(side.claims)
    ]
    echoing += [dict.fromkeys(side.echoes) for side in new]
    sides = tuple(
        side.model_copy(update={"echoes": _apart(names, taken)})
        for side, names in zip((*known.sides, *new), echoing, strict=True)
    )
    return known.model_copy(
        update={
            "sides": sides,
            "about": said.about if new else known.about,
            "by_rules": known.by_rules and not new,
        }
    )


def _apart(named: Iterable[str], taken: set[str]) -> tuple[str, ...]:
    """Leave out who is on a side already."""
    return tuple(name for name in named if name not in taken)

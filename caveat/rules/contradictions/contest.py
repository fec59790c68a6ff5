"""Contest: what contradictions make of claims, and the markers that prose carries for it.

Code alone says which claims may be used and writes contradiction markers: what is contested follows
from the contradictions, so no synthesiser has a say in it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from caveat.contracts.contradiction import Contradiction, Side
from caveat.contracts.outcome import Findings
from caveat.contracts.source import Claim, ClaimState
from caveat.contracts.synthesis import Synthesis, Verification
from caveat.quantities.numerals import find_numerals
from caveat.quantities.reading import find_values, list_figures
from caveat.quantities.units import Kind
from caveat.rules.contradictions.choices import parse_choice
from caveat.rules.evidence.claims import list_claims
from caveat.rules.sentences.grounds import list_digits, split_cells
from caveat.rules.text import prose
from caveat.rules.text.citations import CitedSentence, Piece, list_marked_ids
from caveat.rules.text.sentences import find_value
from caveat.rules.text.wording import normalise_wording
from caveat.rules.text.words import detect_language, list_stems

_SEVERITY = (
    ClaimState.ACCEPTED,
    ClaimState.SCOPED,
    ClaimState.CONTESTED,
    ClaimState.UNCERTAIN,
    ClaimState.OVERRULED,
)
"""A claim in several contradictions takes the worst: what is overruled once is not used."""


def assign_claim_states(
    claims: Iterable[Claim], contradictions: Sequence[Contradiction], *, is_written: bool = False
) -> tuple[Claim, ...]:
    """Decide which claims may be used, and which claims contest them.

    A value's fate is that of every claim that states it: those of its side, others with the same
    words, and what its source says of the same number and unit. Earlier states do not count, so
    that a late ruling can restore a claim.

    Args:
        claims: all of the run or the report; one that stands in several angles may come repeatedly.
        is_written: whether a model writes from them and each sentence is checked against the
            values. Then a claim that holds in one dispute, and one with other figures, is used
            though another of its values fell.
    """
    every = tuple(claims)
    by_id = {claim.id: claim for claim in every}
    states: dict[str, ClaimState] = {}
    against: dict[str, dict[str, None]] = defaultdict(dict)  # a set that keeps its order
    for contradiction in contradictions:
        for name, state, own in _list_fates(contradiction, by_id):
            states[name] = max(states.get(name, ClaimState.ACCEPTED), state, key=_SEVERITY.index)
            against[name].update(dict.fromkeys(_list_rivals(contradiction.sides, own)))
    if is_written:
        apart = _find_scoped_claims(contradictions, by_id)
        states.update(
            (name, ClaimState.SCOPED) for name in apart if states.get(name) is ClaimState.OVERRULED
        )
    return tuple(
        _set_state(
            claim, states.get(claim.id, ClaimState.ACCEPTED), tuple(against.get(claim.id, ()))
        )
        for claim in every
    )


def _find_scoped_claims(
    contradictions: Sequence[Contradiction], claims: Mapping[str, Claim]
) -> set[str]:
    """The claims of which one value was overruled, and another is upheld or of something else."""
    values: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, is_upheld in _list_ruled_sides(contradictions):
        for name in side.claims:
            values[name][is_upheld].append(side.value)
    return {
        name
        for name, (lost, held) in values.items()
        if name in claims
        and all(lost)
        and not any(words in each or each in words for words in lost for each in held)
        and (held or _says_more(claims[name], lost))
    }


def _says_more(claim: Claim, lost: Sequence[str]) -> bool:
    """Whether a claim says more than its overruled values: other figures, or most of its words."""
    if not any(map(list_digits, lost)):
        fell = frozenset[str]().union(*map(list_stems, lost))
        stems = list_stems(claim.quote)
        return 2 * len(stems - fell) > len(stems)
    _, *figures = (cell for _, cell in split_cells(claim))
    if not figures:
        language = detect_language(claim.quote)
        are_dates = all(any(f.is_date for f in list_figures(each, language)) for each in lost)
        figures = [
            claim.quote[each.start : each.end]
            for each in list_figures(claim.quote, language)
            if each.is_date is are_dates
        ]
    digits = frozenset[str]().union(*map(list_digits, lost))
    others = [each for each in map(list_digits, figures) if each.isdisjoint(digits)]
    return any(others) and len(figures) - len(others) == len(lost)


def select_quotable_claims(
    claims: Iterable[Claim], contradictions: Sequence[Contradiction]
) -> list[Claim]:
    """Select the claims whose quotes may stand for themselves: they state nothing overruled."""
    lost = {name for side in list_overruled_sides(contradictions) for name in side.claims}
    return [claim for claim in claims if claim.id not in lost]


def list_overruled_sides(contradictions: Sequence[Contradiction]) -> tuple[Side, ...]:
    return tuple(side for side, is_upheld in _list_ruled_sides(contradictions) if not is_upheld)


def _list_ruled_sides(contradictions: Sequence[Contradiction]) -> Iterator[tuple[Side, bool]]:
    """The sides of ruled contradictions, each with whether it was upheld."""
    for each in contradictions:
        if each.ruling is not None:
            yield from zip(each.sides, parse_choice(each.ruling, len(each.sides)), strict=True)


def _set_state(claim: Claim, state: ClaimState, rivals: tuple[str, ...]) -> Claim:
    if (claim.state, claim.contested_by) == (state, rivals):  # most often: no copy is made
        return claim
    return claim.model_copy(update={"state": state, "contested_by": rivals})


_Fate = tuple[str, ClaimState, Sequence[int]]
"""A claim, what a contradiction makes of it, and the places of the sides that it is with."""


def _list_fates(contradiction: Contradiction, claims: Mapping[str, Claim]) -> Iterator[_Fate]:
    """Say what a contradiction makes of each claim involved."""
    states = _assign_value_states(contradiction)
    for place, side in enumerate(contradiction.sides):
        yield from ((name, states[place], (place,)) for name in side.claims)
        # A model alone says that these state the value: an obeyed page must silence nobody.
        unsure = ClaimState.CONTESTED if states[place] is ClaimState.OVERRULED else states[place]
        yield from ((name, unsure, (place,)) for name in side.unconfirmed)
    repeated = _find_repeating_claims(contradiction, claims)
    for name in repeated.keys() - contradiction.concerned:
        places = tuple(repeated[name])
        yield name, max((states[at] for at in places), key=_SEVERITY.index), places


def _find_repeating_claims(
    contradiction: Contradiction, claims: Mapping[str, Claim]
) -> dict[str, dict[int, None]]:
    """Find claims that state a value again, each with the places of the values.

    They cover its words, have the wording of its claim, or its telling number and its unit in the
    same source.
    """
    near: dict[object, list[Claim]] = defaultdict(list)
    for claim in claims.values():
        near[claim.source_id].append(claim)
        near[normalise_wording(claim.quote)].append(claim)
    values = [_list_measured(side.value) for side in contradiction.sides]
    places: dict[str, dict[int, None]] = defaultdict(dict)
    worded: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for place, side in enumerate(contradiction.sides):
        own = values[place].difference(*(each for at, each in enumerate(values) if at != place))
        for stating in (claims[name] for name in side.claims if name in claims):
            start, end = _locate_value(stating, side.value)
            for claim in near[stating.source_id]:
                covers = claim.start < end and start < claim.end
                if covers or (own and own <= _list_measured(claim.quote)):
                    places[claim.id][place] = None
            worded[normalise_wording(stating.quote)].add(place)
    is_whole = all(side.claim in claims for side in contradiction.sides)
    for wording, sides in worded.items():
        for claim in near[wording] if is_whole and len(sides) == 1 else ():  # else it tells no side
            places[claim.id][min(sides)] = None
    return places


@lru_cache(maxsize=1 << 12)
def _list_measured(text: str) -> frozenset[tuple[float, str]]:
    values = [each for each in find_values(text) if each.unit and each.kind is not Kind.DATE]
    digits = (max(list_digits(text[each.start : each.end]), key=len, default="") for each in values)
    return frozenset(
        (each.number, each.unit)
        for each, told in zip(values, digits, strict=True)
        if len(told) >= _TELLING
    )


_TELLING = 3  # digits from which a number that two claims of a source share is hardly chance


def _locate_value(claim: Claim, value: str) -> tuple[int, int]:
    """Locate a value in the source, or its numbers; the whole quote if none of them is there."""
    numbers = (value[each.start : each.end] for each in find_numerals(value))
    spans = [*filter(None, (find_value(claim.quote, words) for words in (value, *numbers)))]
    start = min((span.start for span in spans), default=0)
    end = max((span.end for span in spans), default=len(claim.quote))
    return claim.start + start, claim.start + end


RIVALS = 100
"""Claims that a claim is said to be contested by in one contradiction: where 2,500 sources gave 86
values of one quantity, all of them made a report of 107 MB. The contradiction names every one."""


def _list_rivals(sides: Sequence[Side], own: Sequence[int]) -> list[str]:
    """Name the claims of the other values, best statements first."""
    own = own if len(own) < len(sides) else ()
    others = [side for place, side in enumerate(sides) if place not in own]
    backing = (name for side in others for name in side.backing)
    return [*(side.claim for side in others), *backing][:RIVALS]


def _assign_value_states(contradiction: Contradiction) -> tuple[ClaimState, ...]:
    values = len(contradiction.sides)
    if contradiction.ruling is None:
        undecided = contradiction.is_undecided
        return (ClaimState.CONTESTED if undecided else ClaimState.UNCERTAIN,) * values
    upheld = parse_choice(contradiction.ruling, values)
    holds = ClaimState.SCOPED if sum(upheld) > 1 else ClaimState.ACCEPTED
    return tuple(holds if each else ClaimState.OVERRULED for each in upheld)


def list_affected(contradiction: Contradiction, claims: Mapping[str, Claim]) -> frozenset[str]:
    """Name the claims whose state a contradiction decides: of its sides, and what repeats them."""
    return frozenset(name for name, _, _ in _list_fates(contradiction, claims))


def index_contradictions(
    claims: Iterable[Claim], contradictions: Sequence[Contradiction]
) -> dict[str, tuple[str, ...]]:
    """Map each usable claim to the ids of the contradictions that it is or was part of."""
    by_id = {claim.id: claim for claim in claims if claim.is_usable}
    disputes: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for contradiction in contradictions:
        for name in sorted(list_affected(contradiction, by_id) & by_id.keys()):
            disputes[name] += (contradiction.id,)
    return dict(disputes)


Unrelated = Mapping[tuple[str, tuple[str, ...]], Collection[str]]
"""Disputes of which a reader found that a sentence says nothing, by its text and its claims."""

_NONE: Unrelated = MappingProxyType({})


def index_unrelated(verification: Verification | None) -> Unrelated:
    read = verification.read if verification else ()
    return {(each.text, each.claims): each.unrelated for each in read if each.unrelated}


def mark_contradictions(
    markdown: str,
    contested: Mapping[str, Sequence[str]],
    claims: Mapping[str, Claim] = {},
    contradictions: Sequence[Contradiction] = (),
    unrelated: Unrelated = _NONE,
) -> str:
    """Insert contradiction markers behind the markers of disputed claims; idempotent.

    Args:
        contested: for each contested claim, the ids of its contradictions.
        claims: that may be cited; with the contradictions they tell what each sentence touches.

    Returns:
        Prose in which `[c12]` reads `[c12][contradiction-3]` where `c12` is contested.
    """
    text = unmark_contradictions(markdown)
    markers = [each for each in prose.find_markers(text) if each.claim_id]
    cited = [
        (mark.claim_id, each)
        for each in Piece(text, claims).sentences
        for mark in each.marks
        if mark.claim_id
    ]
    if [name for name, _ in cited] != [each.claim_id for each in markers]:
        cited = []  # some stand in no sentence
    for at in reversed(range(len(markers))):
        name, end = markers[at].claim_id or "", markers[at].end
        ids = contested.get(name, ())
        if cited:
            ids = list_touching(cited[at][1], ids, contradictions, unrelated)
        text = text[:end] + "".join(f"[{each}]" for each in ids) + text[end:]
    return text


def list_touching(
    sentence: CitedSentence,
    ids: Sequence[str],
    contradictions: Sequence[Contradiction],
    unrelated: Unrelated = _NONE,
) -> tuple[str, ...]:
    """List the contradictions of what a sentence cites of which it says something.

    It does where it states a disputed value, or no reader found that it says nothing.
    """
    spared = unrelated.get(sentence.key, ())
    stated = {each.id for each in contradictions if _is_stated(each, sentence)}
    return tuple(each for each in ids if each in stated or each not in spared)


def _is_stated(dispute: Contradiction, sentence: CitedSentence) -> bool:
    """Whether a sentence has a number of a disputed value, or a word that one of them has alone."""
    values = [list_digits(side.value) for side in dispute.sides]
    digits = list_digits(sentence.text)
    words = [list_stems(side.value) for side in dispute.sides]
    own = [each.difference(*(other for other in words if other is not each)) for each in words]
    stems = list_stems(sentence.text)
    # A number of one digit counts many things.
    return any(len(each) > 1 for value in values for each in digits & value) or (
        not all(values) and any(each & stems for each in own)
    )


def leave_untold_disputes(
    findings: Sequence[Findings], disputes: Iterable[Contradiction], answer: Synthesis
) -> tuple[tuple[Findings, ...], tuple[Contradiction, ...]]:
    """Leave out the disputes of which an answer says nothing, and the claims that they are of.

    With what a ruling overruled goes all that repeats it, so that it does not come back. On the
    others this answer depends, whatever the one did that was given first.
    """
    written = " ".join([answer.summary, *(each.why for each in answer.missing)])
    cited, every = set(list_marked_ids(written)), tuple(disputes)
    claims = {claim.id: claim for claim in list_claims(findings)}
    concerned = {each.id: each.concerned | list_affected(each, claims) for each in every}
    told = tuple(
        each.model_copy(update={"affects_answer": True})
        for each in every
        if not cited.isdisjoint(concerned[each.id])
        or any(find_value(written, side.value) for side in each.sides)
    )
    known = cited.union(*(concerned[each.id] for each in told))
    untold = frozenset[str]().union(*concerned.values()) - known
    left = (
        finding.model_copy(
            update={"claims": tuple(each for each in finding.claims if each.id not in untold)}
        )
        for finding in findings
    )
    return tuple(left), told


def unmark_contradictions(markdown: str) -> str:
    """Remove contradiction markers from prose, with the spaces before them."""
    text = markdown
    # Taking one out can bring together the halves of another.
    while markers := [
        each for each in prose.find_markers(text) if each.contradiction_id is not None
    ]:
        for marker in reversed(markers):
            text = text[: marker.offset].rstrip(" \t") + text[marker.end :]
    return text

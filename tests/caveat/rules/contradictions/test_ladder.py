import datetime as dt
import random
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionKind,
    ContradictionState,
    Disagreement,
    Ruling,
    RulingRecord,
    SettledBy,
    SideEvidence,
    TrackRecord,
)
from caveat.contracts.source import Claim, SourceKind, SourceRef
from caveat.rules.contradictions.choices import list_letters
from caveat.rules.contradictions.ladder import (
    apply_ruling,
    gather_evidence,
    number_contradictions,
    settle_by_evidence,
    settle_by_track_record,
    settle_compatible,
    settle_provisionally,
)
from caveat.rules.contradictions.recurrence import (
    apply_earlier_ruling,
    carry_over_settlements,
    is_unmoved,
)
from caveat.rules.contradictions.track_record import compute_wilson_interval, identify_speaker
from tests.fakes.claims import a_claim
from tests.fakes.disputes import CHOICES, a_ruling_record, backing_of, sides_of
from tests.fakes.reports import AWAITED

NOW = dt.datetime(2026, 3, 29, 12, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(hours=7)
A, B, BOTH, NEITHER = CHOICES
ADA = Ruling(ruling=BOTH, reason="They differ in epoch.", decided_by="Ada")


def claim(name: str, source: str = "", credibility: float = 0.6, start: int = 0) -> Claim:
    return a_claim(name, name, source, credibility=credibility, start=start)


def source(name: str, url: str | None = None) -> SourceRef:
    return SourceRef(id=name, title=name, url=url, authors=() if url else (f"Writer of {name}",))


def disagreement(
    *names: str,
    backing: Sequence[Sequence[str]] = (),
    about: str = "67.4 against 73.04 km/s/Mpc.",
    kind: ContradictionKind = ContradictionKind.NUMERIC,
) -> Disagreement:
    return Disagreement(kind=kind, sides=sides_of(names or ("c1", "c2"), backing), about=about)


def an_open(*found: Disagreement) -> Contradiction:
    return number_contradictions(found or [disagreement()])[0]


def side(
    name: str, credibility: float = 0.6, corroboration: int = 1, upheld: int = 0, ruled_on: int = 0
) -> SideEvidence:
    low, high = compute_wilson_interval(upheld, ruled_on)
    return SideEvidence(
        claim=claim(name, credibility=credibility),
        source=source(f"s-{name}"),
        credibility=credibility,
        corroboration=corroboration,
        track_record=TrackRecord(upheld=upheld, ruled=ruled_on, low=low, high=high),
    )


def many(*sides: SideEvidence) -> Contradiction:
    return an_open(disagreement(*(each.claim.id for each in sides)))


def test_what_a_saved_page_says_of_itself_overrules_no_honest_source() -> None:
    claims = {"c1": claim("c1", credibility=0.9), "c2": claim("c2", credibility=0.45)}
    saved = source("s-c1", "https://doi.org/10.1/x").model_copy(
        update={"corpus": "/notes", "path": "a.html", "kind": SourceKind.PEER_REVIEWED}
    )
    found = {"s-c1": saved, "s-c2": source("s-c2").model_copy(update={"corpus": "/notes"})}
    asked = an_open()
    tried = settle_by_evidence(asked, gather_evidence(asked, claims, found, ()), NOW)
    assert tried.is_open
    assert "credibility 0.45 (0.90 by what it says of itself) against 0.45" in tried.steps[0].reason
    known = {**found, "s-c1": source("s-c1", "https://doi.org/10.1/x")}
    assert settle_by_evidence(asked, gather_evidence(asked, claims, known, ()), NOW).ruling == A


def unknown(name: str) -> SourceRef:
    return SourceRef(id=name, title=name)


def file(path: str, author: str) -> SourceRef:
    return SourceRef(id=path, title=path, corpus="/docs", path=path, authors=(author,))


def of_one(author: str, *sources: SourceRef) -> list[SourceRef]:
    return [each.model_copy(update={"authors": (*each.authors, author)}) for each in sources]


A1, B2, C3, D4 = (source(f"s-{number}") for number in range(1, 5))
"""Sources whose authors have nothing to do with each other."""
Said = SourceRef | tuple[str, SourceRef]


@pytest.mark.parametrize(
    ("first", "backing", "voices"),
    [
        (("It is 34 m.", A1), [("it is 34 M", C3), D4], 2),
        (("“It is 34 m tall!”", A1), [("It is 34 m tall", C3)], 1),
        (("“It is 34 m tall!”", A1), [("It rises 34 m.", C3)], 2),
        (A1, [C3, B2, D4], 3),
        (of_one("Norvolt AS", A1)[0], [*of_one("Norvolt AS", C3), B2, D4], 2),
        (
            source("x", "https://a.test/x"),
            [source("y", "http://www.a.test/x/"), source("z", "https://b.test/")],
            2,
        ),
        (unknown("x"), [unknown("y"), unknown("z")], 1),
        (unknown("x"), [unknown("y"), source("z", "https://medium.com/@somebody/a-post")], 1),
        (unknown("x"), [unknown("y"), source("z", "https://nasa.gov/wmap")], 2),
        (file("notes/tower.html", "Ada"), [file("notes/tower.pdf", "Bo")], 1),
        (file("en/tower.md", "Ada"), [file("de/tower.md", "Bo")], 1),
    ],
)
def test_voices_are_counted(first: Said, backing: list[Said], voices: int) -> None:
    assert corroboration(first, B2, *backing) == voices


@pytest.mark.parametrize(
    "told",
    [
        ("The engineer said that it is 34 m.", "According to the owner, it is 34 m."),
        ("Eine Sprecherin der Stadt sagte, er sei 34 m hoch.", "Laut der Stadt ist er 34 m hoch."),
        ("Le porte-parole a déclaré qu'elle fait 34 m.", "Selon la ville, la tour fait 34 m."),
    ],
)
def test_who_reports_what_another_says_adds_no_voice(told: tuple[str, str]) -> None:
    others = [(quote, source(quote)) for quote in (*told, "It rises to 34 m.")]
    assert corroboration(("It is 34 m tall.", A1), ("It is 52 m tall.", B2), *others) == 2


def corroboration(*said: Said) -> int:
    """How many count for the first, which is contradicted by the second and backed by the rest."""
    stated = [
        each if isinstance(each, tuple) else (f"Word {number}.", each)
        for number, each in enumerate(said)
    ]
    claims = {
        f"c{number}": a_claim(f"c{number}", quote, of.id)
        for number, (quote, of) in enumerate(stated)
    }
    one, other, *backing = claims
    asked = an_open(disagreement(one, other, backing=(backing, ())))
    return gather_evidence(asked, claims, {of.id: of for _, of in stated}, ())[0].corroboration


def an_edition(name: str, path: str, corroboration: int = 1) -> SideEvidence:
    file = SourceRef(id=name, title="The manual", corpus="/docs", path=path)
    return side(name).model_copy(update={"source": file, "corroboration": corroboration})


def test_each_edition_holds_for_its_version_where_no_other_source_states_a_value() -> None:
    both = [an_edition("c1", "1.4.9/manual.rst"), an_edition("c2", "2.14.1/manual.rst")]
    settled = settle_compatible(an_open(), both, NOW)
    assert (settled.settled_by, settled.confidence) == (SettledBy.EVIDENCE, 0.8)
    assert settled.ruling == "both"
    assert settled.reason == "each value is of an edition of one document (1.4.9 and 2.14.1)"
    other = [an_edition("c1", "1.4.9/manual.rst", 2), both[1]]
    assert settle_compatible(an_open(), other, NOW).is_open
    apart = [an_edition("c1", "1.4.9/manual.rst"), an_edition("c2", "2.14.1/tutorial.rst")]
    assert settle_compatible(an_open(), apart, NOW).is_open


def test_a_side_counts_its_distinct_sources_and_its_claimants_record() -> None:
    claims = {
        "c1": claim("c1", "s-1", 0.8),
        "c2": claim("c2", "s-2"),
        "c3": claim("c3", "s-1"),
        "c4": claim("c4", "s-4"),
        "c5": claim("c5", "s-5"),
    }
    sources = {name: source(name) for name in ("s-2", "s-4", "s-5")}
    sources["s-1"] = source("s-1", "https://www.nasa.gov/wmap")
    one = an_open(disagreement("c1", "c2", backing=(("c3", "c4", "c5"), ())))
    rulings = [a_ruling_record(A, "nasa.gov", "s-2"), a_ruling_record(B, "s-9", "nasa.gov")]
    a, b = gather_evidence(one, claims, sources, rulings)
    assert (a.claim, a.source, a.corroboration) == (claims["c1"], sources["s-1"], 3)
    # c3 is of the same source as c1.
    assert [each.quote for each in a.backing] == [claims["c4"].quote, claims["c5"].quote]
    assert a.backing[0].source == sources["s-4"].title
    assert b.backing == ()
    assert (a.track_record.upheld, a.track_record.ruled) == (2, 2)
    assert (b.claim, b.corroboration) == (claims["c2"], 1)
    assert (b.track_record.upheld, b.track_record.ruled) == (0, 1)


def test_five_further_sources_are_shown_each_by_three_hundred_characters() -> None:
    names = [f"c{number}" for number in range(8)]
    claims = {name: a_claim(name, "long " * 80, f"s-{name}") for name in names}
    one = an_open(disagreement("c0", "c1", backing=(names[2:], ())))
    a, _ = gather_evidence(one, claims, {f"s-{name}": source(f"s-{name}") for name in names}, ())
    assert [len(each.quote) for each in a.backing] == [300] * 5


@pytest.mark.parametrize(
    ("stated", "ruling", "confidence", "reason"),
    [
        ((0.82, 0.55), A, 0.635, "credibility 0.82 against 0.55"),
        ((0.81, 0.6), A, 0.605, "credibility 0.81 against 0.60"),
        ((0.3, 0.9), B, 0.8, "credibility 0.30 against 0.90"),
        ((1.0, 0.0), A, 1.0, "credibility 1.00 against 0.00"),
        (((0.6, 3), 0.7), A, 0.75, "3 independent sources against 1"),
        (((0.6, 2), (0.7, 6)), B, 0.75, "2 independent sources against 6"),
        (((0.9, 4), 0.6), A, 0.8, "4 independent sources against 1"),
        ((0.9, (0.6, 2)), A, 0.65, "credibility 0.90 against 0.60"),
        ((0.8, 0.6), None, None, "no clear difference"),
        ((0.6, 0.8), None, None, "no clear difference"),
        (((0.8, 2), 0.61), None, None, "2 independent sources against 1: no clear difference"),
        (((0.6, 8), (0.6, 3)), None, None, "no clear difference"),
        ((0.9, (0.6, 3)), None, None, "they point to opposite sides"),
        (((0.3, 9), (0.6, 2)), None, None, "they point to opposite sides"),
        ((0.9, 0.6, 0.6), "a", 0.65, "a is clearly ahead of each of the 2 others"),
        ((0.6, 0.6, 0.9, 0.69), "c", 0.605, "c and d: credibility 0.90 against 0.69"),
        ((0.9, 0.6, 0.75), None, None, "a is ahead of 1 of 2; a and c: credibility 0.90 against"),
        ((0.6, 0.6, 0.6), None, None, "no value is clearly ahead of each of the others; a and b"),
        ((0.9, 0.9, 0.1), None, None, "a is ahead of 1 of 2; a and b"),
        ((0.6, (0.6, 3), 0.6), "b", 0.75, "3 independent sources against 1"),
        ((0.6, (0.6, 3), (0.6, 2)), None, None, "b is ahead of 1 of 2"),
        ((0.6, (0.6, 3), 0.35), "b", 0.75, "b and "),
        ((0.85, (0.6, 3), 0.6), None, None, "no value is clearly ahead"),
    ],
)
def test_evidence_settles_where_one_value_is_clearly_ahead_of_every_other(
    stated: tuple[float | tuple[float, int], ...],
    ruling: str | None,
    confidence: float | None,
    reason: str,
) -> None:
    sides = [
        side(f"c{number}", *(each if isinstance(each, tuple) else (each,)))
        for number, each in enumerate(stated)
    ]
    found = settle_by_evidence(many(*sides), sides, NOW)
    (step,) = found.steps
    assert found.ruling == ruling
    assert found.confidence == pytest.approx(confidence)
    assert reason in step.reason
    assert (step.rung, step.settled) == (SettledBy.EVIDENCE, ruling is not None)
    decided = (SettledBy.EVIDENCE, NOW, step.reason) if ruling else (None, None, "")
    assert (found.settled_by, found.decided, found.reason) == decided
    assert (found.is_open, found.requires_human_review) == (ruling is None, False)


@pytest.mark.parametrize(
    ("records", "ruling", "reason"),
    [
        (((10, 10), (1, 10)), A, ""),
        (((0, 5), (5, 5)), B, ""),
        (((1, 20), (19, 20), (2, 20)), "b", ""),
        (((0, 0), (0, 0)), None, "upheld in 0 of 0 rulings against 0 of 0: fewer than 5"),
        (((30, 30), (0, 4)), None, "fewer than 5 rulings on a side"),
        (((6, 10), (4, 10)), None, "no clear margin"),
        (((1, 20), (19, 20), (0, 0)), None, ""),
    ],
)
def test_a_track_record_settles_where_it_is_clearly_better_than_every_other(
    records: tuple[tuple[int, int], ...], ruling: str | None, reason: str
) -> None:
    sides = [side(f"c{number}", 0.6, 1, *each) for number, each in enumerate(records)]
    found = settle_by_track_record(settle_by_evidence(many(*sides), sides, NOW), sides, LATER)
    assert [step.rung for step in found.steps] == [SettledBy.EVIDENCE, SettledBy.TRACK_RECORD]
    assert (found.ruling, found.is_open) == (ruling, ruling is None)
    assert reason in found.steps[1].reason
    if ruling:
        assert (found.settled_by, found.decided) == (SettledBy.TRACK_RECORD, LATER)
    if ruling and len(sides) == 2:
        low = max(each.track_record.low for each in sides)
        high = min(each.track_record.high for each in sides)
        assert found.confidence == round(low / (low + high), 4)


def test_a_claimant_is_not_held_against_itself() -> None:
    address = "https://www.nasa.gov/"
    a, b = (
        side(name, 0.6, 1, upheld, 9).model_copy(
            update={"source": source(f"s-{name}", address + name)}
        )
        for name, upheld in (("c1", 9), ("c2", 0))
    )
    found = settle_by_track_record(an_open(), (a, b), NOW)
    assert found.is_open
    assert found.steps[0].reason == "both claims are of nasa.gov"


def test_a_person_settles_for_good() -> None:
    one = settle_by_evidence(an_open(), (side("c1"), side("c2")), NOW)
    found = apply_ruling(one, ADA, NOW)
    assert found.state is ContradictionState.RESOLVED
    assert (found.settled_by, found.ruling) == (SettledBy.PERSON, BOTH)
    assert (found.reason, found.decided_by, found.confidence) == (ADA.reason, "Ada", 0.95)
    assert found.steps[:-1] == one.steps
    assert found.steps[-1].reason == "Ada ruled “both”: They differ in epoch."
    late = apply_ruling(settle_provisionally(one, NOW), ADA, NOW)
    assert not late.requires_human_review


def test_when_nobody_came_both_are_uncertain() -> None:
    asked = an_open().model_copy(update={"deadline": NOW})
    found = settle_provisionally(asked, NOW)
    assert found.state is ContradictionState.PROVISIONAL
    assert (found.settled_by, found.ruling) == (SettledBy.PROVISIONAL_UNCERTAINTY, None)
    assert (found.confidence, found.requires_human_review) == (0.50, True)
    assert found.reason == "nobody ruled before 2026-03-29 12:00 UTC"
    assert [(step.rung, step.settled) for step in found.steps] == [
        (SettledBy.PERSON, False),
        (SettledBy.PROVISIONAL_UNCERTAINTY, True),
    ]
    assert settle_provisionally(an_open(), NOW).reason == "nobody was asked"


CLEAR = (side("c1", 0.9, 1, 9, 9), side("c2", 0.5, 1, 0, 9))
ENDED = [
    settle_by_evidence(an_open(), CLEAR, NOW),
    settle_by_track_record(an_open(), CLEAR, NOW),
    apply_ruling(an_open(), ADA, NOW),
    settle_provisionally(an_open(), NOW),
    apply_ruling(settle_provisionally(an_open(), NOW), ADA, NOW),
]


@pytest.mark.parametrize("ended", ENDED)
def test_the_first_answer_wins(ended: Contradiction) -> None:
    assert not ended.is_open
    assert settle_by_evidence(ended, CLEAR, LATER) == ended
    assert settle_by_track_record(ended, CLEAR, LATER) == ended
    with pytest.raises(ValueError, match="first answer wins"):
        settle_provisionally(ended, LATER)
    if ended.state is ContradictionState.RESOLVED and ended.decided_by is None:
        with pytest.raises(ValueError, match="settled by a rule"):
            apply_ruling(ended, ADA, LATER)


COUNTS = st.integers(0, 20)
SIDES = st.builds(
    lambda name, credibility, corroboration, upheld, more: side(
        name, round(credibility, 2), corroboration, upheld, upheld + more
    ),
    st.just("c1"), st.floats(0, 1), st.integers(1, 12), COUNTS, COUNTS,
)  # fmt: skip


@given(st.lists(SIDES, min_size=3, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_many_values_does_not_matter(
    stated: list[SideEvidence], chance: random.Random
) -> None:
    stated = [
        each.model_copy(update={"source": source(f"s-{number}")})
        for number, each in enumerate(stated)
    ]
    shuffled = chance.sample(range(len(stated)), len(stated))
    for rung in (settle_by_evidence, settle_by_track_record):
        here = rung(many(*stated), stated, NOW)
        there = rung(many(*stated), [stated[place] for place in shuffled], NOW)
        assert (here.state, here.confidence) == (there.state, there.confidence)
        if here.ruling is not None and there.ruling is not None:
            names = list_letters(len(stated))
            assert names.index(here.ruling) == shuffled[names.index(there.ruling)]


def test_a_ruling_must_name_values_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"choose from a\|b\|both\|neither"):
        apply_ruling(an_open(), Ruling(ruling="c", reason="I looked."), NOW)
    stated = [side(f"c{number}") for number in range(3)]
    with pytest.raises(ValueError, match=r"choose from a\|b\|c\|a,c"):
        apply_ruling(many(*stated), Ruling(ruling="both", reason="I looked."), NOW)


# Follow-ups


Stated = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]  # claims, and what backs each


def numbered(claims: Sequence[Claim]) -> dict[str, Claim]:
    return {each.id: each for each in claims}


THEN = numbered([claim("c1", "s-1"), claim("c2", "s-2"), claim("c3", "s-3"), claim("c4", "s-4")])
NOW_CLAIMS = numbered(
    [claim("c7", "s-1"), claim("c8", "s-2"), claim("c9", "s-3"), claim("c5", "s-5")]
)
"""The same words have other names now, and c5 is new."""


def carried(found: Sequence[Disagreement], *earlier: Contradiction) -> tuple[Contradiction, ...]:
    return carry_over_settlements(number_contradictions(found), earlier, NOW_CLAIMS, THEN)


def before(choice: str, *names: str, signed: bool | None = True) -> RulingRecord:
    """A person's ruling in another run on the words of these claims, `a` first."""
    owners = tuple(identify_speaker(source(f"s-{name}"), claim(name)) for name in names)
    return a_ruling_record(choice, claimants=owners, signed=signed, decided=NOW)


SAID = {name: claim(name, source=f"s-{name}") for name in ("c1", "c2", "c3")}
HERE = {f"s-{name}": source(f"s-{name}") for name in SAID}


@pytest.mark.parametrize(
    ("record", "ruling"),
    [
        (before("a", "c1", "c2"), "a"),
        (before("a", "c2", "c1"), "b"),
        (before("both", "c2", "c1"), "both"),
        (before("neither", "c1", "c2", signed=None), "neither"),
        (before("a", "c1", "c2", signed=False), None),
        (before("a", "c1", "c3"), None),
        (before("a", "c1", "c2", "c3"), None),
    ],
)
def test_a_question_that_a_person_ruled_on_is_known_by_its_words(
    record: RulingRecord, ruling: str | None
) -> None:
    known = apply_earlier_ruling(an_open(), [record], SAID, HERE)
    assert known.ruling == ruling
    if ruling is None:
        assert known.is_open
        return
    assert (known.settled_by, known.decided_by, known.decided) == (SettledBy.PERSON, "Ada", NOW)
    assert "on 29 March 2026, in research-x-000000" in known.steps[-1].reason


def test_other_words_of_the_same_sources_are_another_question() -> None:
    record = before("a", "c1", "c2")
    changed = SAID | {"c2": a_claim("c2", "Something else.", "s-c2")}
    assert apply_earlier_ruling(an_open(), [record], changed, HERE).is_open
    unknown = [who.model_copy(update={"said": ""}) for who in record.claimants]
    older = record.model_copy(update={"claimants": tuple(unknown)})
    assert apply_earlier_ruling(an_open(), [older], SAID, HERE).is_open


def test_the_last_of_two_rulings_counts() -> None:
    rulings = [before("a", "c1", "c2"), before("b", "c1", "c2")]
    assert apply_earlier_ruling(an_open(), rulings, SAID, HERE).ruling == "b"


@pytest.mark.parametrize("settled", ENDED)
@pytest.mark.parametrize("again", [(), (disagreement("c7", "c8"),)], ids=["not found", "found"])
def test_a_settlement_stands_whether_or_not_its_contradiction_is_found_again(
    settled: Contradiction, again: tuple[Disagreement, ...]
) -> None:
    new, kept = carried([disagreement("c7", "c5", about="New."), *again], settled)
    assert new.is_open
    assert kept == settled.model_copy(
        update={"id": "contradiction-2", "sides": sides_of(("c7", "c8"))}
    )


@pytest.mark.parametrize(
    ("then", "found", "claims", "backing"),
    [
        ((("c1", "c2"), ((), ())), (("c8", "c7"), (("c5",), ())), ("c7", "c8"), ((), ("c5",))),
        # A side is recognised by any claim that states it.
        ((("c1", "c2"), (("c3",), ())), (("c9", "c8"), ((), ())), ("c9", "c8"), ((), ())),
    ],
)
def test_a_ruling_goes_on_to_mean_the_same_side(
    then: Stated, found: Stated, claims: tuple[str, ...], backing: tuple[tuple[str, ...], ...]
) -> None:
    earlier = apply_ruling(an_open(disagreement(*then[0], backing=then[1])), ADA, NOW)
    (kept,) = carried([disagreement(*found[0], backing=found[1])], earlier)
    assert (kept.claims, kept.ruling, kept.decided_by) == (claims, BOTH, "Ada")
    assert backing_of(kept) == backing


@pytest.mark.parametrize(
    "found",
    [
        disagreement("c7", "c5"),
        disagreement("c7", "c9"),
        disagreement("c7", "c8", kind=ContradictionKind.DATE),
    ],
)
def test_other_words_or_another_kind_are_another_contradiction(found: Disagreement) -> None:
    first, kept = carried([found], apply_ruling(an_open(), ADA, NOW))
    assert first == number_contradictions([found])[0]
    assert kept.settled_by is SettledBy.PERSON


def test_what_was_still_open_then_is_asked_anew() -> None:
    asked = an_open().model_copy(update={"arbitration": "run/contradiction-1", "deadline": NOW})
    assert carried([disagreement("c7", "c8")], asked) == number_contradictions(
        [disagreement("c7", "c8")]
    )


def test_two_things_that_the_same_claims_contradict_each_other_in_are_told_apart() -> None:
    height, width = disagreement(about="Its height."), disagreement(about="Its width.")
    earlier = number_contradictions([height, width])
    settled = (apply_ruling(earlier[0], ADA, NOW), settle_provisionally(earlier[1], NOW))
    again = [each.model_copy(update={"sides": sides_of(("c7", "c8"))}) for each in (width, height)]
    found = carried(again, *settled)
    assert [(each.about, each.state) for each in found] == [
        ("Its width.", ContradictionState.PROVISIONAL),
        ("Its height.", ContradictionState.RESOLVED),
    ]
    unclear = [each.model_copy(update={"about": f"Now {each.about}"}) for each in again]
    assert carried(unclear, *settled) == number_contradictions(unclear)


def test_a_ruling_that_may_belong_to_either_of_two_is_carried_to_neither() -> None:
    again = [disagreement("c7", "c8", about="Height."), disagreement("c7", "c8", about="Width.")]
    assert carried(again, apply_ruling(an_open(), ADA, NOW)) == number_contradictions(again)
    # The same two claims say more than what backs them.
    backed = disagreement("c1", "c2", backing=(("c3",), ()), about="Before.")
    other, same = carried(
        [disagreement("c9", "c8"), disagreement("c7", "c8")],
        apply_ruling(an_open(backed), ADA, NOW),
    )
    assert (other.is_open, same.is_open) == (True, False)


def test_what_the_rules_settle_by_now_ends_uncertainty_and_overrides_no_person() -> None:
    (by_now,) = (
        settle_by_evidence(one, CLEAR, LATER)
        for one in number_contradictions([disagreement("c7", "c8")])
    )
    nobody, person = settle_provisionally(an_open(), NOW), apply_ruling(an_open(), ADA, NOW)
    assert carry_over_settlements([by_now], [nobody], NOW_CLAIMS, THEN) == (by_now,)
    (kept,) = carry_over_settlements([by_now], [person], NOW_CLAIMS, THEN)
    assert kept.settled_by is SettledBy.PERSON


C = Ruling(ruling="c", reason="It was measured.", decided_by="Ada")


@pytest.mark.parametrize("order", list(permutations(("c7", "c8", "c9"))))
def test_a_ruling_on_three_values_keeps_its_letters_in_any_order(order: tuple[str, ...]) -> None:
    earlier = apply_ruling(an_open(disagreement("c1", "c2", "c3")), C, NOW)
    (kept,) = carried([disagreement(*order)], earlier)
    assert (kept.claims, kept.ruling, kept.decided_by) == (("c7", "c8", "c9"), "c", "Ada")


def test_a_value_that_nobody_knew_then_is_asked_anew() -> None:
    (asked,) = carried([disagreement("c7", "c8", "c5")], apply_ruling(an_open(), ADA, NOW))
    assert asked.is_open
    assert not asked.steps


def test_fewer_values_keep_the_whole_settlement_while_all_its_claims_stand() -> None:
    earlier = apply_ruling(an_open(disagreement("c1", "c2", "c3")), C, NOW)
    (kept,) = carried([disagreement("c9", "c8")], earlier)
    assert (kept.claims, kept.ruling) == (("c7", "c8", "c9"), "c")
    gone = apply_ruling(an_open(disagreement("c1", "c2", "c4")), C, NOW)
    (asked,) = carried([disagreement("c7", "c8")], gone)
    assert asked.is_open


def test_pairs_that_were_ruled_on_one_by_one_do_not_settle_all_disagreement() -> None:
    pairs = [disagreement("c1", "c2"), disagreement("c1", "c3"), disagreement("c2", "c3")]
    earlier = [apply_ruling(each, ADA, NOW) for each in number_contradictions(pairs)]
    (asked,) = carry_over_settlements(
        number_contradictions([disagreement("c7", "c8", "c9")]), earlier, NOW_CLAIMS, THEN
    )
    assert asked.is_open


# Whether a question is the one that was asked before


def valued(*written: str) -> Contradiction:
    sides = sides_of([f"c{number}" for number in range(len(written))], values=written)
    return AWAITED.model_copy(update={"sides": sides, "about": f"Width: {written}"})


@pytest.mark.parametrize(
    ("now", "then", "about", "expected"),
    [
        (("1 m", "3 m"), ("1 m", "2 m"), None, False),
        (("1 m", "2 m", "3 m"), ("1 m", "2 m"), None, False),
        ((), ("1 m", "2 m"), None, False),
        ((), (), None, True),  # without values its words decide
        ((), (), "Something else.", False),
    ],
)
def test_a_value_that_moved_makes_another_question(
    now: tuple[str, ...], then: tuple[str, ...], about: str | None, *, expected: bool
) -> None:
    changes = {"about": about} if about else {}
    assert is_unmoved(valued(*now).model_copy(update=changes), valued(*then)) is expected


def test_values_that_can_all_be_true_hold_and_a_person_may_still_rule() -> None:
    (dispute,) = number_contradictions([disagreement()])
    sides = [side("c1"), side("c2")]
    assert settle_compatible(dispute, sides, NOW) is dispute
    compatible = dispute.model_copy(update={"are_compatible": True})
    settled = settle_compatible(compatible, sides, NOW)
    assert (settled.ruling, settled.is_open, settled.needs_review) == (BOTH, False, False)
    ruled = apply_ruling(settled, ADA.model_copy(update={"ruling": A}), LATER)
    assert (ruled.ruling, ruled.decided_by) == (A, "Ada")

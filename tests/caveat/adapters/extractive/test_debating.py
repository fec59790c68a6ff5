import datetime as dt
import time

import pytest

from caveat.adapters.extractive.debating import CONTRADICTIONS, REMARKS, debate
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionKind,
    ContradictionState,
    RulingChoice,
)
from caveat.contracts.debate import Challenge, Participant, Stance
from caveat.contracts.source import SourceKind, SourceRef
from caveat.contracts.tasks import DebateTask

TODAY = dt.date(2026, 3, 29)
PLANCK = "Planck inferred a Hubble constant of 67.4 ± 0.5 km/s/Mpc from the early sky."
ACT = "From the early sky the Hubble constant is 67.9 ± 1.5 km/s/Mpc, as the ACT team found."
SHOES = "The SH0ES team measured a Hubble constant of 73.04 ± 1.04 km/s/Mpc with Cepheids."
BROAD = "Early work put the Hubble constant at 70 ± 20 km/s/Mpc."
MASERS = "Megamasers orbit black holes in distant galaxies."


def claim(name: str, quote: str, credibility: float = 0.6, relevance: float = 0.8) -> Claim:
    return Claim(
        id=name, text=quote, quote=quote, source_id=f"s-{name}", assignment_id="a1",
        start=0, end=len(quote), relevance=relevance, credibility=credibility,
    )  # fmt: skip


def source(
    name: str, year: int | None = 2022, kind: SourceKind = SourceKind.PEER_REVIEWED
) -> SourceRef:
    published = dt.date(year, 6, 1) if year else None
    return SourceRef(id=f"s-{name}", title=f"Title of {name}", published=published, kind=kind)


def said(
    participant: Participant,
    claims: list[Claim],
    sources: list[SourceRef] | None = None,
    contradictions: tuple[Contradiction, ...] = (),
) -> tuple[Challenge, ...]:
    named = {one.id: one for one in sources or []}
    known = [named.get(one.source_id) or source(one.id) for one in claims]
    return debate(
        DebateTask(
            task_id="debate-1", description="Debate", participant=participant, topic="t",
            claims=tuple(claims), sources=tuple(known), contradictions=contradictions, today=TODAY,
        )
    )  # fmt: skip


def contradiction(number: int, a: str, b: str, ruling: RulingChoice | None = None) -> Contradiction:
    return Contradiction(
        id=f"contradiction-{number}", kind=ContradictionKind.NUMERIC, claims=(a, b),
        about="67.4 against 73.04 km/s/Mpc.", ruling=ruling,
        state=ContradictionState.RESOLVED if ruling else ContradictionState.OPEN,
    )  # fmt: skip


def test_the_advocate_names_the_sources_whose_figure_agrees() -> None:
    (remark,) = said(
        Participant.ADVOCATE, [claim("c1", PLANCK), claim("c2", ACT), claim("c3", SHOES)]
    )
    assert remark == Challenge(
        claim_id="c1",
        raised_by=Participant.ADVOCATE,
        stance=Stance.SUPPORTS,
        text="One other source states a figure that agrees: “Title of c2” (2022).",
        evidence=("c2",),
    )


DENIED = "Aspirin does not reduce the risk of heart attack."
REDUCES = "Aspirin reduces the risk of heart attack."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (REDUCES, DENIED),
        (REDUCES, "Aspirin increases the risk of heart attack."),
        (DENIED, "Aspirin increases the risk of heart attack."),
        (REDUCES, "Aspirin reduces the risk of heart failure."),
        ("Inflation grew it by a factor of 3.1.", "Inflation grew it by a factor of 3.2."),
        ("The tower is 300 m tall in winter.", "The tower isn't 300 m tall in winter."),
    ],
)
def test_opposites_support_nobody(one: str, other: str) -> None:
    claims = [claim("c1", one), claim("c2", other)]
    assert said(Participant.ADVOCATE, claims) == ()


def test_a_wide_uncertainty_supports_nothing() -> None:
    assert said(Participant.ADVOCATE, [claim("c1", PLANCK), claim("c2", BROAD)]) == ()


def test_words_copied_from_another_source_are_no_support() -> None:
    assert said(Participant.ADVOCATE, [claim("c1", PLANCK), claim("c2", PLANCK)]) == ()


def test_the_same_source_twice_is_no_support() -> None:
    again = claim("c2", ACT).model_copy(update={"source_id": "s-c1"})
    assert said(Participant.ADVOCATE, [claim("c1", PLANCK), again]) == ()


def test_the_best_supported_claim_comes_first_and_speaks_for_its_group() -> None:
    masers = "The megamasers orbit black holes in distant galaxies."
    words = [
        "The masers of UGC 3789 do not give precise distances",
        "Masers of UGC 3789 do not give the precise distances",
        "The masers of the UGC 3789 don't give precise distances",
        "Masers of UGC 3789 don't give a precise distance",
        "The masers of UGC 3789 don’t give the precise distances",
        "The masers, of UGC 3789, don't give (the) precise distances",
    ]
    claims = [claim("c1", MASERS), claim("c2", masers)]
    claims += [claim(f"c{number}", quote) for number, quote in enumerate(words, start=3)]
    first, second = said(Participant.ADVOCATE, claims)
    assert "5 other sources" in first.text or "4 other sources" in first.text
    assert " more." in first.text
    assert second.evidence in (("c1",), ("c2",))


def test_the_sceptic_challenges_both_sides_of_what_is_open() -> None:
    first, second = said(
        Participant.SCEPTIC,
        [claim("c1", PLANCK), claim("c2", SHOES)],
        contradictions=(contradiction(1, "c1", "c2"),),
    )
    assert (first.claim_id, first.evidence) == ("c1", ("c2",))
    assert first.text == "“Title of c2” (2022) contradicts it. 67.4 against 73.04 km/s/Mpc."
    assert (second.claim_id, second.evidence) == ("c2", ("c1",))


@pytest.mark.parametrize(
    ("ruling", "challenged"),
    [
        (RulingChoice.A, ["c2"]),
        (RulingChoice.B, ["c1"]),
        (RulingChoice.BOTH, ["c1", "c2"]),
        (RulingChoice.NEITHER, ["c1", "c2"]),
    ],
)
def test_the_sceptic_leaves_alone_what_was_upheld(
    ruling: RulingChoice, challenged: list[str]
) -> None:
    remarks = said(
        Participant.SCEPTIC,
        [claim("c1", PLANCK), claim("c2", SHOES)],
        contradictions=(contradiction(1, "c1", "c2", ruling),),
    )
    assert [remark.claim_id for remark in remarks] == challenged


def test_the_sceptic_names_a_newer_source_with_another_value() -> None:
    claims = [claim("c1", PLANCK), claim("c2", SHOES)]
    (remark,) = said(Participant.SCEPTIC, claims, [source("c1", 2018), source("c2", 2022)])
    assert remark.claim_id == "c1"
    assert remark.text == (
        "It gives 67.4 ± 0.5 km/s/Mpc and is from 2018;"
        " “Title of c2” (2022) is newer and gives 73.04 ± 1.04 km/s/Mpc."
    )
    assert remark.evidence == ("c2",)


@pytest.mark.parametrize("years", [(2022, 2022), (None, 2022), (2018, None)])
def test_what_is_not_known_to_be_newer_outdates_nothing(
    years: tuple[int | None, int | None],
) -> None:
    claims = [claim("c1", PLANCK), claim("c2", SHOES)]
    sources = [source("c1", years[0]), source("c2", years[1])]
    assert said(Participant.SCEPTIC, claims, sources) == ()


def test_an_old_source_is_challenged_where_a_newer_one_speaks_of_the_same() -> None:
    claims = [claim("c1", MASERS), claim("c2", "Black holes in distant galaxies have megamasers.")]
    (remark,) = said(Participant.SCEPTIC, claims, [source("c1", 2009), source("c2", 2021)])
    assert remark.claim_id == "c1"
    assert remark.text.startswith("It is from 2009, more than 10 years ago; “Title of c2” (2021)")
    assert said(Participant.SCEPTIC, claims, [source("c1", 2019), source("c2", 2021)]) == ()


def test_one_newer_source_is_not_held_against_everybody() -> None:
    other = "Lensing gave a Hubble constant of 64.1 ± 0.5 km/s/Mpc from the early sky."
    claims = [claim("c1", PLANCK), claim("c2", other), claim("c3", SHOES)]
    old = [source("c1", 2018), source("c2", 2018), source("c3", 2024)]
    remarks = said(Participant.SCEPTIC, claims, old)
    assert [remark.evidence for remark in remarks] == [("c3",)]


def test_a_claim_whose_supporters_were_all_named_is_passed_over() -> None:
    # The second agrees with the last two, which speak for the first already, and not with it.
    values = ("71 ± 6", "74.6 ± 1.5", "70.4 ± 1.9", "67.9 ± 3.5", "73.3 ± 2.5", "76 ± 5.1")
    claims = [
        claim(f"c{number}", f"Survey {number} measured a Hubble constant of {value} km/s/Mpc.")
        for number, value in enumerate(values, start=1)
    ]
    (remark,) = said(Participant.ADVOCATE, claims)
    assert (remark.claim_id, remark.evidence) == ("c1", ("c3", "c4", "c5", "c6"))


def test_a_value_that_is_contradicted_already_is_not_called_outdated_as_well() -> None:
    claims = [claim("c1", PLANCK), claim("c2", SHOES)]
    for one in (contradiction(1, "c1", "c2"), contradiction(1, "c2", "c1")):
        remarks = said(Participant.SCEPTIC, claims, [source("c1", 2018), source("c2")], (one,))
        assert all("contradicts it" in remark.text for remark in remarks)


def test_a_contradicted_claim_is_not_challenged_by_a_third_as_well() -> None:
    third = "Lensing gave a Hubble constant of 64.1 ± 0.5 km/s/Mpc from the early sky."
    claims = [claim("c1", PLANCK), claim("c2", SHOES), claim("c3", third)]
    years = [source("c1", 2018), source("c2", 2018), source("c3", 2024)]
    remarks = said(Participant.SCEPTIC, claims, years, (contradiction(1, "c1", "c2"),))
    assert [remark.claim_id for remark in remarks] == ["c1", "c2"]


@pytest.mark.parametrize(
    ("kind", "credibility", "words"),
    [
        (SourceKind.ADVERTISING, 0.15, "is advertising"),
        (SourceKind.FORUM, 0.6, "is a forum post"),
        (SourceKind.BLOG, 0.6, "is a blog"),
        (SourceKind.UNKNOWN, 0.35, "has a credibility of only 0.35"),
        (SourceKind.PREPRINT, 0.5, "is a preprint"),
    ],
)
def test_the_methodologist_says_what_is_weak(
    kind: SourceKind, credibility: float, words: str
) -> None:
    (remark,) = said(
        Participant.METHODOLOGIST,
        [claim("c1", PLANCK, credibility)],
        [source("c1", kind=kind)],
    )
    assert remark.text.startswith(f"“Title of c1” (2022) {words}")
    assert remark.text.endswith("no claim of another source says the same.")
    assert remark.stance is Stance.CHALLENGES


def test_a_figure_that_one_source_alone_states_is_named_but_no_small_count() -> None:
    (remark,) = said(Participant.METHODOLOGIST, [claim("c1", PLANCK)])
    assert remark.text == "Only claims of “Title of c1” (2022) state 67.4 ± 0.5 km/s/Mpc."
    assert said(Participant.METHODOLOGIST, [claim("c1", "Six galaxies have water masers.")]) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Denied in one and said in the other, and 72 hours in both.
        (
            "The sample did not corrode in salt water after 72 hours.",
            "After 72 hours in salt water the sample showed corrosion.",
        ),
        ("The melting point of sample K7 is 1190 K.", "The melting point of sample K7 is 917 °C."),
        (
            "We measured a mass of Keth b of 3.2 ± 0.4 Earth masses.",
            "We find 5.1 ± 0.3 Earth masses, in tension with earlier work (3.2 ± 0.4).",
        ),
        (
            "The fall of serum urate by 31% cannot be reproduced.",
            "Serum urate fell by 31% (95% CI 27–35%) with dorantamide.",
        ),
    ],
)
def test_of_no_figure_is_it_said_that_one_source_alone_states_it_where_another_does(
    one: str, other: str
) -> None:
    remarks = said(Participant.METHODOLOGIST, [claim("c1", one), claim("c2", other)])
    assert not [remark for remark in remarks if remark.claim_id == "c1"]


def test_a_figure_that_began_its_sentence_is_written_as_within_one() -> None:
    (remark,) = said(Participant.METHODOLOGIST, [claim("c1", "About 17,000 vehicles cross it.")])
    assert remark.text.endswith("state about 17,000 vehicles.")


def test_what_was_measured_under_one_condition_is_no_figure_that_agrees() -> None:
    claims = [
        claim("c1", "Electrical conductivity of K7: 16.2 MS/m at 20 °C."),
        claim("c2", "Electrical conductivity of K7: 14.9 MS/m at 20 °C."),
    ]
    assert said(Participant.ADVOCATE, claims) == ()


def test_a_preprint_that_another_source_bears_out_is_not_challenged() -> None:
    claims = [claim("c1", PLANCK), claim("c2", ACT)]
    kinds = [source("c1", kind=SourceKind.PREPRINT), source("c2")]
    assert said(Participant.METHODOLOGIST, claims, kinds) == ()


def test_the_weakest_source_comes_first_and_each_once() -> None:
    claims = [
        claim("c1", PLANCK, 0.5),
        claim("c2", SHOES, 0.35),
        claim("c3", MASERS, 0.2),
        claim("c4", "Masers are bright.", 0.2).model_copy(update={"source_id": "s-c3"}),
    ]
    kinds = [
        source("c1", kind=SourceKind.PREPRINT),
        source("c2", kind=SourceKind.UNKNOWN),
        source("c3", kind=SourceKind.FORUM),
    ]
    remarks = debate(
        DebateTask(
            task_id="d", description="d", participant=Participant.METHODOLOGIST, topic="t",
            claims=tuple(claims), sources=tuple(kinds), today=TODAY,
        )
    )  # fmt: skip
    assert [remark.claim_id for remark in remarks] == ["c3", "c2", "c1"]


@pytest.mark.parametrize("participant", list(Participant))
def test_nobody_has_anything_to_say_about_nothing(participant: Participant) -> None:
    assert said(participant, []) == ()


@pytest.mark.parametrize("participant", list(Participant))
def test_remarks_are_few_and_quick_however_much_was_found(participant: Participant) -> None:
    kinds = list(SourceKind)
    claims = [
        claim(
            f"c{number}",
            f"The Hubble constant of field {number % 37} is {60 + number % 17}.{number % 7}"
            f" ± 1.{number % 3} km/s/Mpc in the early sky, as survey {number} of the team found.",
            credibility=(number % 10) / 10,
        )
        for number in range(120)
    ]
    sources = [
        source(one.id, 2000 + number % 25, kinds[number % len(kinds)])
        for number, one in enumerate(claims)
    ]
    disputes = tuple(contradiction(n, f"c{2 * n}", f"c{2 * n + 1}") for n in range(1, 6))
    began = time.perf_counter()
    remarks = said(participant, claims, sources, disputes)
    assert time.perf_counter() - began < 10
    assert 0 < len(remarks) <= REMARKS
    assert {remark.raised_by for remark in remarks} == {participant}
    if participant is Participant.SCEPTIC:
        contradicted = [remark for remark in remarks if "contradicts it" in remark.text]
        assert len(contradicted) == CONTRADICTIONS
    assert remarks == said(participant, claims[::-1], sources[::-1], disputes)

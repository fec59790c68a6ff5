"""Values of the same attribute of the same thing that differ between sources."""

import datetime as dt
import time
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.adapters.extractive.contradictions import detect_contradictions
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.contracts.contradiction import ContradictionKind, Disagreement
from caveat.contracts.envelope import Usage
from caveat.roles.detector import DETECT
from tests.fakes.disputes import backing_of
from tests.fakes.patience import slowness
from tests.fakes.quotes import Quote, found, task

EARLY = "The Planck Collaboration inferred a Hubble constant of 67.4 ± 0.5 km/s/Mpc."
LATE = "The SH0ES team measured a Hubble constant of 73.04 ± 1.04 km/s/Mpc with Cepheids."


def test_early_and_late_universe_disagree() -> None:
    (one,) = found(LATE, EARLY)
    assert one.kind is ContradictionKind.NUMERIC
    assert one.claims == ("c2", "c1")
    assert one.about == "Hubble constant"
    assert [side.value for side in one.sides] == ["67.4 ± 0.5 km/s/Mpc", "73.04 ± 1.04 km/s/Mpc"]


def test_whichever_is_more_relevant_the_sides_have_one_order() -> None:
    (one,), (other,) = (
        found(*(Quote(text, relevance=0.9 if text == best else 0.2) for text in (LATE, EARLY)))
        for best in (LATE, EARLY)
    )
    assert one == other


def test_a_wide_value_hides_no_disagreement_and_backs_neither_side() -> None:
    (one,) = found(
        "The Key Project measured a Hubble constant of 72 ± 8 km/s/Mpc.",
        LATE,
        EARLY,
        "ACT data give a Hubble constant of 68.22 ± 0.36 km/s/Mpc.",
    )
    assert one.claims == ("c3", "c2")
    assert backing_of(one) == (("c4",), ())


@pytest.mark.parametrize(
    "said",
    [
        "The wreck of the Albion lies 30 metres down the coast.",
        "The wreck of the Albion lies 30 metres from the shore.",
        "Divers put a buoy on the wreck of the Albion at 30 metres.",
        "Divers found the wreck of the Albion at 30 metres.",
        "At 30 metres deep, divers must turn round.",
    ],
)
def test_other_measures_are_no_depth(said: str) -> None:
    assert not found(said, "The depth of the wreck of the Albion is 40 metres.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dahlem covers 1.284 million sq km.", "Dahlem covers 1,284,000 square kilometres."),
        ("The area of Dahlem is 5,912 km².", "The area of Dahlem is about 5,900 km²."),
        ("The area of Dahlem is 5,912 km².", "The area of Dahlem is 5.9 thousand km²."),
        ("The area of Dahlem is 5,912 km².", "The area of Dahlem is 5,900 km²."),
        ("The area of Dahlem is 12 square miles.", "The area of Dahlem is 31.08 km²."),
        ("Iron melts at 1538 °C.", "The melting point of iron is 1811 K."),
        ("Iron has a mass of 55.845 u.", "The mass of iron is 55.845."),
        ("The land area of Dahlem is 545 km².", "The total area of Dahlem is 643 km²."),
        ("The reach of Dahlem is 34 ± 2 km.", "The reach of Dahlem is 31 ± 1 km."),
        ("The reach of Dahlem is 30 to 36 km.", "The reach of Dahlem is 34 km."),
        ("The reach of Dahlem is at most 40 km.", "The reach of Dahlem is 34 km."),
        ("Dahlem has more than 1,000 members.", "Dahlem has 1,290 members."),
        ("Dahlem had 120 members in 2019.", "Dahlem had 250 members in 2021."),
        ("Water boils at 100 °C.", "Heavy water boils at 101.4 °C."),
        ("Dahlem was built in the 1840s.", "Dahlem was built in 1844."),
        ("Dahlem was founded in May 1844.", "Dahlem was established on 3 May 1844."),
        ("Dahlem was built in 1844.", "Dahlem was destroyed in 1902."),
        ("The density of tin (white) is 7.3 g/cm³.", "The density of tin (grey) is 5.8 g/cm³."),
        ("Dahlem has a GDP of $30 billion.", "Dahlem has a GDP per capita of $30,000."),
        ("The mean depth of Dahlem is 5 m.", "The maximum depth of Dahlem is 19 m."),
        ("The population of Korea, South is 51 million.", "The population of Korea is 77 million."),
        ("A password has 8 characters.", "A password has 12 characters."),
        ("The lens weighs 2 tonnes.", "The lens weighs 5 tonnes."),
        ("It has an area of 5 km².", "It has an area of 9 km²."),
        ("The National Assembly has 300 seats.", "The National Assembly has 150 seats."),
        ("Parliament consists of 2 chambers.", "Parliament consists of 3 chambers."),
        ("Age of mother at first birth: 28 years.", "Age of mother at first birth: 21 years."),
        ("Mother's age: 28 years.", "Mother's age: 21 years."),
        ("Virgin Islands, British has 36 airports.", "Virgin Islands, U.S. has 3 airports."),
    ],
)
def test_what_can_both_be_true_is_no_contradiction(one: str, other: str) -> None:
    assert not found(one, other, topic="What is Dahlem?")


@pytest.mark.parametrize(
    "sentence",
    [
        "The range of Dahlem is not 90 km.",
        "The range of Dahlem could be 90 km.",
        "If the range of Dahlem is 90 km, ships see it.",
        "The range of Dahlem should be 90 km.",
        "Is the range of Dahlem 90 km?",
        "The range of Dahlem was formerly 90 km.",
    ],
)
def test_sentences_that_deny_suppose_advise_or_compare_state_nothing(sentence: str) -> None:
    assert found("The range of Dahlem is 34 km.", "The range of Dahlem is 90 km.")
    assert not found("The range of Dahlem is 34 km.", sentence)


def test_what_the_topic_does_not_ask_for_is_not_compared() -> None:
    ages = ("The universe is 13.8 billion years old.", "The universe is 12.1 billion years old.")
    assert found(*ages, topic="How old is the universe?")
    assert not found(*ages, topic="How do pearls form?")


def test_a_single_thing_in_the_world_that_nobody_asked_for_is_left_out() -> None:
    assert found(EARLY, LATE, topic="Why do values of the Hubble constant disagree?")
    assert not found(EARLY, LATE, topic="How far away are Cepheids?")


def test_a_source_does_not_contradict_itself() -> None:
    assert not found(
        Quote("The height of Dahlem is 34 m.", source="s"),
        Quote("The height of Dahlem is 52 m.", source="s"),
    )


def test_a_year_of_measurement_is_no_year_of_validity() -> None:
    assert found(
        "The first survey measured a Hubble constant of 72 km/s/Mpc in 2001.",
        "The last survey measured a Hubble constant of 67 km/s/Mpc in 2020.",
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Suffrage: 18 years of age.", "Suffrage: 21 years of age."),
        ("Mean age of Queen Mother: 28 years.", "Mean age of Queen Mother: 21 years."),
    ],
)
def test_what_stands_under_a_label_is_held_against_the_same_title_alone(
    one: str, other: str
) -> None:
    about = "Facts about Chad and Peru"
    assert found(Quote(one, title="Chad"), Quote(other, title="Chad"), topic=f"{about}: {one}")
    assert not found(Quote(one, title="Chad"), Quote(other, title="Peru"), topic=f"{about}: {one}")


def test_a_heading_that_stands_in_every_manual_names_nothing() -> None:
    assert not found(
        Quote("It takes 5 minutes.", title="Foo", heading="2. Installation"),
        Quote("It takes 45 minutes.", title="Bar", heading="3. Installation"),
    )


def test_what_is_counted_is_no_value() -> None:
    topic = "What did the shop sell?"
    sold = "The shop sold 40 apples."
    assert found(sold, "The shop sold 55 apples.", topic=topic)
    assert not found(sold, "The shop sold 55 pears.", topic=topic)


def test_names_of_files_are_no_titles() -> None:
    quotes = ("The mine employs 310 workers.", "The mine employs 420 workers.")
    named = [
        Quote(each, title=f"{name}{name}.txt") for name, each in zip("xy", quotes, strict=True)
    ]
    assert found(*named, topic="How many workers does the mine employ?")


def test_who_did_a_thing_once_is_a_name() -> None:
    by = "The new stadium was designed by {}."
    topic = "Who designed the new stadium?"
    assert found(by.format("Helga Brandt"), by.format("Tomas Lindqvist"), topic=topic)
    assert not found(by.format("Helga Brandt"), by.format("Brandt"), topic=topic)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The capital of Iceland is Reykjavík.", "Capital: Reykjavik"),
        ("The capital of Bolivia is Sucre.", "Capital: La Paz; Sucre (constitutional)"),
        ("The capital of Chad is N'Djamena.", "Capital: Ndjamena"),
        ("The symbol of iron is Fe.", "The chemical symbol of iron is Fe."),
        ("The language of Chad is French.", "The language of Chad is Arabic."),
    ],
)
def test_spellings_and_several_names_agree(one: str, other: str) -> None:
    titles = {"Iceland", "Bolivia", "Chad"}
    title = next((name for name in titles if name in one), "A note")
    assert not found(one, Quote(other, title=title))


def test_each_side_has_its_best_claim_and_all_that_say_the_same() -> None:
    (one,) = found(
        Quote("The height of Dahlem is 34 m.", credibility=0.4, relevance=0.9),
        Quote("The height of Dahlem was 34 m.", credibility=0.8, relevance=0.4),
        Quote("The height of Dahlem was 34 m.", credibility=0.8, relevance=0.5),
        Quote("The height of Dahlem is 52 m.", credibility=0.9, relevance=0.1),
    )
    assert one.claims == ("c3", "c4")
    assert backing_of(one) == (("c2", "c1"), ())


def heights(*values: object) -> list[str]:
    return [f"The height of Dahlem is {value} m." for value in values]


def grouped(found: Disagreement) -> set[frozenset[str]]:
    """The claims of each value, whichever of them states it best."""
    return {frozenset(side.claims) for side in found.sides}


@pytest.mark.parametrize("values", [2, 3, 7, 12])
def test_any_number_of_values_is_one_disagreement(values: int) -> None:
    stated = [value for value in range(101, 101 + 8 * values, 8) for _ in range(2)]
    (one,) = found(*heights(*stated))
    assert len(one.claims) == values
    assert sorted(map(len, grouped(one))) == [2] * values
    assert [side.value for side in one.sides] == [f"{value} m" for value in sorted(set(stated))]


def test_values_in_other_units_and_within_their_uncertainty_are_one_value() -> None:
    (one,) = found(
        "The height of Dahlem is 34 m.",
        "The height of Dahlem is 3,400 cm.",
        "The height of Dahlem is 52 m.",
        "The height of Dahlem is 71 m.",
        "The height of Dahlem is 0.071 km.",
    )
    assert grouped(one) == {frozenset({"c1", "c2"}), frozenset({"c3"}), frozenset({"c4", "c5"})}


def test_a_value_in_the_middle_hides_no_dispute_and_backs_neither_side() -> None:
    for order in permutations(("10 ± 1", "12.5 ± 1", "15 ± 1", "30 ± 1")):
        (one,) = found(*heights(*order))
        stated = {side.value: side.backing for side in one.sides}
        assert stated == {"10 ± 1 m": (), "15 ± 1 m": (), "30 ± 1 m": ()}


CHAINS = st.lists(
    st.tuples(st.integers(100, 200), st.integers(0, 12)), min_size=2, max_size=12, unique=True
)


@given(CHAINS, st.randoms(use_true_random=False))
def test_the_groups_do_not_depend_on_the_order_of_claims(
    stated: list[tuple[int, int]], random: Random
) -> None:
    quotes = heights(*(f"{value} ± {spread}" if spread else value for value, spread in stated))
    whole = task(quotes)
    claims = list(whole.claims)
    random.shuffle(claims)
    again = detect_contradictions(whole.model_copy(update={"claims": tuple(claims)}))
    assert again == detect_contradictions(whole)
    # Under other names, too: which claim comes first must not decide who stands with whom.
    places = random.sample(range(len(quotes)), len(quotes))
    renamed = detect_contradictions(task([quotes[place] for place in places]))
    names = {f"c{new}": f"c{old + 1}" for new, old in enumerate(places, start=1)}
    assert [
        {frozenset(names[name] for name in group) for group in grouped(each)} for each in renamed
    ] == [grouped(each) for each in again]


@given(CHAINS)
def test_values_that_exclude_each_other_are_never_silent(stated: list[tuple[int, int]]) -> None:
    quotes = heights(*(f"{value} ± {spread}" for value, spread in stated))
    agree = all(
        not found(quotes[one], quotes[other]) for one, other in combinations(range(len(quotes)), 2)
    )
    assert bool(found(*quotes)) is not agree


def test_figures_of_several_years_stand_against_one_without_a_year() -> None:
    (one,) = found(
        "Dahlem had 120 lamps in 1990.",
        "Dahlem had 250 lamps in 2020.",
        Quote("Dahlem has 90 lamps."),
        topic="How many lamps has Dahlem?",
    )
    assert len(one.claims) == 3
    assert {side.scope for side in one.sides} == {"", "1990", "2020"}


def test_what_matters_most_comes_first() -> None:
    height = [Quote(f"The height of Dahlem is {value} m.", relevance=0.4) for value in (34, 52)]
    width = [Quote(f"The width of Dahlem is {value} m.", relevance=0.9) for value in (3, 5)]
    first, second = found(*height, *width)
    assert first.about.startswith("“The width")
    assert second.about.startswith("“The height")


def test_a_thousand_claims_take_less_than_four_seconds() -> None:
    quotes = [
        f"Engineers say that the tower of Dahlem{number % 500} has a height of {number + 100} m"
        " and was built in 1844 by people who came from far away."
        for number in range(1_000)
    ]
    whole = task(quotes)
    began = time.process_time()
    assert len(detect_contradictions(whole)) == 500
    assert time.process_time() - began < 4 * slowness()


async def test_the_reasoner_detects(reasoner: ExtractiveReasoner) -> None:
    answer = await reasoner.ask(DETECT, task([EARLY, LATE]))
    assert [each.claims for each in answer.value] == [("c1", "c2")]
    assert answer.usage == Usage()


def test_no_year_is_a_scope_that_no_claim_names() -> None:
    one = "The population of Rome is 2.8 million today."
    other = "The population of Rome is 2.1 million today."
    (each,) = found(
        Quote(one, source="s1", published=dt.date(2022, 1, 1)),
        Quote(other, source="s2", published=dt.date(2024, 1, 1)),
        topic="What is the population of Rome?",
    )
    assert [side.scope for side in each.sides] == ["", ""]

"""All that sources say of a disputed quantity, and which two values disagree most."""

import pytest

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.outcome import Findings
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Claim
from caveat.rendering.edition import Edition
from caveat.rendering.plot import build_plot
from caveat.rules.contradictions.choices import name_values
from caveat.rules.report.answering import DIRECT
from caveat.rules.report.values import (
    collect_values,
    find_disputed_quantity,
    measure_gap,
    state_sides,
)
from tests.fakes.claims import a_claim
from tests.fakes.disputes import a_dispute, sides_of
from tests.fakes.reports import a_report

QUOTES = {
    "c1": "SH0ES measured a Hubble constant of 73.04 ± 1.04 km/s/Mpc.",
    "c2": "DESI gives a Hubble constant of 68.52 ± 0.62 km/s/Mpc.",
    "c3": "Planck inferred a Hubble constant of 67.4 ± 0.5 km/s/Mpc.",
    "c4": "The Key Project measured a Hubble constant of 72 ± 8 km/s/Mpc.",
    "c5": "The Hubble constant is 3.2 km/s/Mpc higher than that of 2021.",
    "c6": "The Hubble constant was debated for 50 years.",
}


def claims() -> list[Claim]:
    return [a_claim(name, quote, f"s-{name}") for name, quote in QUOTES.items()]


def dispute() -> Contradiction:
    values = ("73.04 ± 1.04 km/s/Mpc", "68.52 ± 0.62 km/s/Mpc")
    return a_dispute(sides=sides_of(("c1", "c2"), ((), ("c3",)), values), about="Hubble constant")


def test_one_number_with_two_uncertainties_is_two_values() -> None:
    said = [
        "SH0ES measured a Hubble constant of 73.04 km/s/Mpc.",
        "SH0ES measured a Hubble constant of 73.04 ± 1.04 km/s/Mpc.",
        "SH0ES had measured a Hubble constant of 73.04 ± 1.42 km/s/Mpc.",
        "Again: a Hubble constant of 73.04 ± 1.04 km/s/Mpc.",
        "SH0ES moves the Hubble constant between 72.1 and 74.3 km/s/Mpc.",
    ]
    found = [a_claim(f"d{number}", quote, "s-c1") for number, quote in enumerate(said, start=1)]
    told = collect_values(find_disputed_quantity([dispute()], ()), [*claims(), *found], {})
    assert [each.claim_id for each in told if each.number > 73] == ["c1", "d3"]


def test_a_side_of_several_sources_has_one_name_wherever_it_is_named() -> None:
    stated = [*claims(), a_claim("c7", "Wong measured a Hubble constant of 73.3 km/s/Mpc.", "s-7")]
    values = ("73.04 ± 1.04 km/s/Mpc", "68.52 ± 0.62 km/s/Mpc")
    sides = sides_of(("c1", "c2"), (("c7",), ()), values)
    (told,) = state_sides([dispute().model_copy(update={"sides": sides})], stated)
    assert name_values(told) == (
        "A (73.04 to 73.3 km/s/Mpc, 2 sources)",
        "B (68.52 ± 0.62 km/s/Mpc)",
    )
    assert told.about == (
        "Hubble constant: “73.04 to 73.3 km/s/Mpc”, 2 sources or “68.52 ± 0.62 km/s/Mpc”."
    )


def test_a_side_is_named_by_its_day_and_not_by_a_span_that_ends_with_it() -> None:
    stated = [
        a_claim("c1", "It opened to ships again on 29 May 2026.", "s-1"),
        a_claim("c2", "It opened to ships on 1 June 2026.", "s-2"),
        a_claim("c3", "It was closed from 28 October 2024 to 29 May 2026.", "s-3"),
    ]
    sides = sides_of(("c1", "c2"), (("c3",), ()), ("29 May 2026", "1 June 2026"))
    opened = a_dispute(sides=sides, about="The day of the opening")
    (told,) = state_sides([opened], stated)
    assert told.sides[0].stated == "29 May 2026, 2 sources"


def test_every_value_of_the_disputed_quantity_is_listed_used_or_not() -> None:
    found = collect_values(find_disputed_quantity([dispute()], ()), claims(), {})
    assert [figure.claim_id for figure in found] == ["c3", "c2", "c4", "c1"]
    assert found[0].value == "67.4 ± 0.5 km/s/Mpc"


def test_the_farthest_values_of_two_sides_are_told_with_their_distance() -> None:
    values = collect_values(find_disputed_quantity([dispute()], ()), claims(), {})
    assert measure_gap(values, dispute()) == pytest.approx(4.89, abs=0.01)


def test_values_of_german_sources_are_plotted_and_compared() -> None:
    said = ("73,04 ± 1,04 km/s/Mpc", "67,4 ± 0,5 km/s/Mpc")
    quotes = [f"Der Wert der Hubble-Konstante, die man gemessen hat, ist {each}." for each in said]
    german = [a_claim(f"c{number}", quote, f"s-{number}") for number, quote in enumerate(quotes)]
    disputed = a_dispute(sides=sides_of(("c0", "c1"), values=said), about="Hubble-Konstante: zwei")
    asked = find_disputed_quantity([disputed], a_finding(german))
    told = collect_values(asked, german, {})
    assert [(each.value, each.number) for each in told] == [(said[1], 67.4), (said[0], 73.04)]
    assert measure_gap(told, disputed) == pytest.approx(4.89, abs=0.01)
    plot = build_plot(Edition(a_report()), "", told, disputed)
    assert plot is not None
    assert plot.points[0].low < plot.points[0].centre < plot.points[0].high


def a_finding(claims: list[Claim]) -> list[Findings]:
    angle = Assignment(id="a1", title=DIRECT, question="Wie groß?", queries=("x",))
    return [Findings(assignment=angle, claims=tuple(claims), attempted=1, failed=0)]


def test_no_quantity_is_asked_for_where_nothing_was_found_on_the_question() -> None:
    side = findings("Pressure", claims())
    assert find_disputed_quantity([dispute()], [side]) is not None
    assert find_disputed_quantity([dispute()], [findings(DIRECT, []), side]) is None
    assert find_disputed_quantity([dispute()], [findings(DIRECT, claims()), side]) is not None


def findings(title: str, found: list[Claim]) -> Findings:
    asked = Assignment(id=title[:1], title=title, question="How heavy is it?", queries=("q",))
    return Findings(assignment=asked, claims=tuple(found), attempted=1, failed=0)

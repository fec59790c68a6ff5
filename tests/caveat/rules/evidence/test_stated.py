"""Which sentences of a text say how much a quantity is."""

from dataclasses import replace

import pytest

from caveat.contracts.source import Landmark, Snapshot
from caveat.quantities.reading import find_quantities
from caveat.rules.evidence.claims import stands, stands_in_context
from caveat.rules.evidence.stated import find_statements, read_value

UNIT = "km/s/Mpc"
TEXT = (
    "Value\n\nThe team measured a Hubble constant of 73.04 ± 1.04 km/s/Mpc. It took ten years.\n\n"
    "Comparison\n\nThe Hubble constant is 3.2 km/s/Mpc higher than before. "
    "Another Hubble constant of 73.04 km/s/Mpc was found. "
    "A later fit gives 70 km/s/Mpc."
)


HUBBLE = (UNIT, "Hubble constant")
REVENUE = ("USD", "revenue")


@pytest.mark.parametrize(
    ("sentence", "about", "said"),
    [
        ("The Hubble constant is 67.4 ± 0.5 km/s/Mpc.", HUBBLE, 67.4),
        ("Planck gives the constant of Hubble as 67.4 km/s/Mpc.", HUBBLE, 67.4),
        ("The Hubble constant exceeds that of Planck by 5 km/s/Mpc.", HUBBLE, None),
        ("The speed is 67.4 km/s/Mpc.", HUBBLE, None),
        ("The Hubble constant was debated for 50 years.", HUBBLE, None),
        ("The Hubble constant was fixed in 1929.", HUBBLE, None),
        # What a sentence denies is none.
        ("Revenue was not $412.6 million but $401.3 million.", REVENUE, 401.3e6),
        ("Revenue was $401.3 million, not $412.6 million.", REVENUE, 401.3e6),
        ("Revenue rose from $382.0 million to $401.3 million.", REVENUE, 401.3e6),
        ("Revenue was $401.3 million, up 5% from $382.0 million.", REVENUE, 401.3e6),
        # A value in another unit is one as well.
        ("The melting point of K7 is 1190 K.", ("°C", "Melting point of K7"), 1190),
        # Of a side it is known what it speaks of.
        ("A later fit gives 70 km/s/Mpc, which is higher.", (UNIT, None), 70),
    ],
)
def test_a_value_is_what_a_sentence_says_it_is(
    sentence: str, about: tuple[str, str | None], said: float | None
) -> None:
    found = read_value(sentence, *about)
    assert (found.number if found else None) == said


def test_of_several_values_of_a_side_the_one_counts_that_it_was_found_to_state() -> None:
    (stated,) = find_quantities("$398.2 million")
    found = read_value("Without $14.4 million it was $398.2 million.", "USD", near=stated)
    assert found == replace(stated, start=found.start, end=found.end) if found else False


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("16 TiB", "A database may now hold up to 16 TiB. Version 4 stopped at 4 TiB."),
        ("20 euros", "Fees rise from 15 to 20 and from 7 to 10 euros."),
        ("20 euros", "It was 15 euros, and for the others 10 euros."),
    ],
)
def test_no_other_value_stands_in_for_one_of_a_side(value: str, said: str) -> None:
    (stated,) = find_quantities(value)
    assert read_value(said, stated.unit, near=stated) is None


def test_each_value_of_a_text_is_a_quote_that_stands_in_it() -> None:
    marks = (
        Landmark(offset=0, label="Value"),
        Landmark(offset=TEXT.index("Comparison"), label="Comparison"),
    )
    snapshot = Snapshot(text=TEXT, landmarks=marks)
    (claim,) = find_statements(snapshot, "s-1", "Hubble constant", UNIT, 0.5)
    assert claim.quote == "The team measured a Hubble constant of 73.04 ± 1.04 km/s/Mpc."
    assert stands(claim, TEXT)
    assert stands_in_context(claim, TEXT)
    assert (claim.location, claim.after, claim.relevance) == ("Value", " It took ten years.", 0.5)


def test_a_quantity_without_a_name_is_found_nowhere() -> None:
    assert find_statements(Snapshot(text=TEXT), "s-1", "", UNIT, 0.5) == ()

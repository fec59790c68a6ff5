"""Sentences that differ only in a negation may contradict each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.rules.text import are_opposed, find_frame, is_same_statement

ASPIRIN = "Aspirin reduces the risk of heart attack."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ASPIRIN, "Aspirin does not reduce the risk of heart attack."),
        (ASPIRIN, "Aspirin doesn’t reduce the risk of heart attack."),
        (ASPIRIN, "Aspirin never reduces the risk of heart attack."),
        (ASPIRIN, "Aspirin hardly reduces the risk of a heart attack."),
        (ASPIRIN, "Aspirin fails to reduce the risk of heart attacks."),
        (ASPIRIN, "Aspirin failed to reduce the risk of heart attack."),
        (
            "Aspirin is able to reduce the risk of heart attack.",
            "Aspirin is unable to reduce the risk of heart attack.",
        ),
        (
            "Aspirin is able to reduce the risk of heart attack.",
            "Aspirin is not able to reduce the risk of heart attack.",
        ),
        (
            "Aspirin reduced the risk of heart attack.",
            "Aspirin did not reduce the risk of heart attack.",
        ),
        ("Lead melts quickly if it is heated.", "Lead does not melt quickly if it is heated."),
        ("Bees can see ultraviolet light.", "Bees can't see ultraviolet light."),
        ("Bees can see ultraviolet light.", "Bees cannot see ultraviolet light."),
    ],
)
def test_opposed(one: str, other: str) -> None:
    assert are_opposed(one, other)
    assert are_opposed(other, one)
    assert not is_same_statement(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ASPIRIN, "Aspirin lowers the risk of heart attack."),
        (ASPIRIN, "Ibuprofen does not reduce the risk of heart attack."),
        (ASPIRIN, "Aspirin does not reduce the risk of heart failure."),
        (ASPIRIN, "Aspirin may not reduce the risk of heart attack."),
        (ASPIRIN, "Does aspirin not reduce the risk of heart attack?"),
        (ASPIRIN, "Aspirin does not only reduce the risk of heart attack."),
        ("Some swans are white on the lake.", "Some swans are not white on the lake."),
        ("If the flag is set, the daemon stops.", "If the flag is not set, the daemon stops."),
        ("Aspirin reduces pain if it is taken.", "Aspirin reduces pain if it is not taken."),
        (
            "Demand for gas increases when prices rise.",
            "Demand for gas increases when prices fall.",
        ),
        (
            "The rate rises by a factor of 3 when the heat is raised by 10.",
            "The rate rises by a factor of 3 when the heat is raised by 20.",
        ),
        ("It works on every machine here.", "It does not work on every machine here."),
        ("We found an effect on pressure.", "We found no effect on pressure."),
        ("Section 4 describes the beam of light.", "Section 5 describes the beam of light."),
        ("Debian 11 includes the new installer.", "Debian 12 includes the new installer."),
        ("The bridge of Skerry opened in 1901.", "The bridge of Skerry opened in 1902."),
        ("The census of the city is of 2011.", "The census of the city is of 2021."),
        (
            "Inflation grew the universe by a factor of 3.1.",
            "Inflation grew the universe by a factor of 3.14.",
        ),
        ("At level 3 the factor of growth is large.", "At level 4 the factor of growth is large."),
        ("Not working.", "Working."),
    ],
)
def test_not_opposed(one: str, other: str) -> None:
    assert not are_opposed(one, other)
    assert not are_opposed(other, one)


@given(st.text(max_size=300))
def test_no_text_opposes_itself(text: str) -> None:
    assert not are_opposed(text, text)


def test_a_sentence_that_was_forgotten_is_read_as_at_first() -> None:
    sentence = "The quarry road is not open in winter."
    first = find_frame(sentence)
    find_frame.cache_clear()
    assert find_frame(sentence) == first is not None

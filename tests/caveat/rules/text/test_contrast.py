"""Sentences that differ only in a negation or an opposite may contradict each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.rules.text import are_opposed, find_frames, is_same_statement
from caveat.rules.text.contrast import AXES, POLES
from caveat.rules.text.words import stem

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
        (ASPIRIN, "Aspirin is unable to reduce the risk of heart attack."),
        (
            "Aspirin is able to reduce the risk of heart attack.",
            "Aspirin is unable to reduce the risk of heart attack.",
        ),
        (
            "Aspirin is able to reduce the risk of heart attack.",
            "Aspirin is not able to reduce the risk of heart attack.",
        ),
        (ASPIRIN, "Aspirin increases the risk of heart attack."),
        (ASPIRIN, "Aspirin raised the risk of heart attack."),
        (
            "Aspirin reduced the risk of heart attack.",
            "Aspirin did not reduce the risk of heart attack.",
        ),
        (
            "Coffee has an effect on blood pressure.",
            "Coffee does not have any effect on blood pressure.",
        ),
        ("Coffee has an effect on blood pressure.", "Coffee has no effect on blood pressure."),
        ("Lead melts quickly if it is heated.", "Lead does not melt quickly if it is heated."),
        (
            "Yeast grows fast in dough while it is warm.",
            "Yeast declines fast in dough while it is warm.",
        ),
        ("Bees can see ultraviolet light.", "Bees can't see ultraviolet light."),
        ("Bees can see ultraviolet light.", "Bees cannot see ultraviolet light."),
        ("Mortality is higher in the treated group.", "Mortality is lower in the treated group."),
        ("Vitamin D is safe for children.", "Vitamin D is unsafe for children."),
        ("Sleep improves memory in adults.", "Sleep worsens memory in adults."),
        ("Tylor cell growth caused the disease.", "Tylor cell growth prevented the disease."),
        ("Costs fell in the second quarter.", "Costs rose in the second quarter."),
        (
            "The doors of Skerry Point are open in winter.",
            "The doors of Skerry Point are closed in winter.",
        ),
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
        ("Higher doses of aspirin help patients.", "Lower doses of aspirin help patients."),
        ("Patients with high pressure recover early.", "Patients with low pressure recover early."),
        ("Stable isotopes of lead are found.", "Unstable isotopes of lead are found."),
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


WORDS = sorted({word for sides in AXES.values() for side in sides for word in side.split()})


@given(st.sampled_from(WORDS), st.sampled_from(WORDS))
def test_only_words_on_two_sides_of_one_axis_are_opposites(one: str, other: str) -> None:
    said, meant = (f"Aspirin {word} the risk of heart attack" for word in (one, other))
    (axis, pole), (other_axis, other_pole) = (POLES[stem(one)], POLES[stem(other)])
    assert are_opposed(said, meant) is (axis == other_axis and pole != other_pole)


@given(st.text(max_size=300))
def test_any_text_has_frames_that_lie_in_it_and_never_opposes_itself(text: str) -> None:
    for frame in find_frames(text):
        assert 0 <= frame.start < frame.end <= len(text)
    assert not are_opposed(text, text)


def test_a_sentence_that_was_forgotten_is_read_as_at_first() -> None:
    sentence = "The quarry road stays open in winter."
    first = find_frames(sentence)
    find_frames.cache_clear()
    assert find_frames(sentence) == first != ()

"""When two sentences are one statement: only where nothing that matters differs."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.rules.text.wording import build_word_set, is_same_statement

ASPIRIN = "Aspirin reduces the risk of heart attack."


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (ASPIRIN, "aspirin  REDUCES the risk\nof heart attack", True),
        (ASPIRIN, "“Aspirin reduces the risk of heart attack!”", True),
        (ASPIRIN, "Aspirin reduces risk of heart attacks.", True),
        ("Aspirin doesn't help.", "Aspirin does not help.", True),
        ("Aspirin doesn’t help.", "Aspirin does not help.", True),
        ("It can't be seen.", "It cannot be seen.", True),
        ("It can not be seen.", "It cannot be seen.", True),
        ("It won't melt.", "It will not melt.", True),
        ("France has 1,200 museums.", "France has 1200 museums.", True),
        ("It grew by 5 per cent.", "It grew by 5%.", True),
        ("It weighs 5kg.", "It weighs 5 kg.", True),
        ("Earth's mass is large.", "Earth’s mass is large.", True),
        (ASPIRIN, "Aspirin may reduce the risk of heart attack.", False),
        (ASPIRIN, "Ibuprofen reduces the risk of heart attack.", False),
        (ASPIRIN, "Aspirin reduces the risk of heart attack in mice.", False),
        (ASPIRIN, "Aspirin reduces the risk of heart attack?", False),
        ("It grew by a factor of 3.", "It grew by a factor of 3.1.", False),
        ("It lies at 5 m.", "It lies at -5 m.", False),
        ("The effect had p < 0.05.", "The effect had p > 0.05.", False),
        ("It takes 5 mW.", "It takes 5 MW.", False),
        ("It takes 5 mm.", "It takes 5 m.", False),
        ("The rate is 5 s-1.", "The rate is 5 s1.", False),
        ("It costs $5.", "It costs €5.", False),
        ("It rose by 5%.", "It rose by 5.", False),
        ("Rust is faster than Go.", "Go is faster than Rust.", False),
        ("France defeated Spain.", "Spain defeated France.", False),
        ("The road leads from Paris.", "The road leads to Paris.", False),
        ("The bear has eaten.", "The bear is eaten.", False),
        ("Pluto is a planet.", "Pluto was a planet.", False),
        ("Vitamin A prevents it.", "Vitamin prevents it.", False),
        ("It is written in C.", "It is written in C++.", False),
    ],
)
def test_one_statement_or_two(one: str, other: str, *, is_same: bool) -> None:
    assert is_same_statement(one, other) is is_same
    assert is_same_statement(other, one) is is_same


NEGATIONS = [
    "not", "never", "no", "without", "neither", "nor", "hardly", "barely", "cannot", "can't",
    "doesn't", "doesn’t", "isn't", "won't", "didn't", "fails to", "lacks", "none", "non", "un",
]  # fmt: skip
ANTONYMS = [
    ("increases", "decreases"), ("increase", "reduce"), ("higher", "lower"), ("more", "less"),
    ("above", "below"), ("before", "after"), ("safe", "unsafe"), ("causes", "prevents"),
    ("with", "without"), ("always", "never"), ("all", "none"), ("faster", "slower"),
    ("positive", "negative"), ("max", "min"), ("larger", "smaller"), ("true", "false"),
]  # fmt: skip
WORDS = st.sampled_from(
    sorted(
        build_word_set(
            "aspirin fever patients of in on heart risk the an trial this drug over time Paris",
            "city can does is has was they 3.1 42 5 km 1,200 70 ± 0.5 percent dose daily shown",
        )
    )
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=12)


@given(SENTENCES, st.sampled_from(NEGATIONS), st.data())
def test_a_negation_anywhere_makes_another_statement(
    said: list[str], negation: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(said)))
    denied = [*said[:at], negation, *said[at:]]
    assert not is_same_statement(" ".join(said), " ".join(denied))


@given(SENTENCES, st.sampled_from(ANTONYMS), st.data())
def test_an_antonym_makes_another_statement(
    said: list[str], pair: tuple[str, str], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(said)))
    one, other = ([*said[:at], word, *said[at:]] for word in pair)
    assert not is_same_statement(" ".join(one), " ".join(other))


@given(SENTENCES.filter(lambda said: any(re.search(r"\d", word) for word in said)), st.data())
def test_one_other_digit_makes_another_statement(said: list[str], data: st.DataObject) -> None:
    text = " ".join(said)
    at = data.draw(st.sampled_from([found.start() for found in re.finditer(r"\d", text)]))
    digit = data.draw(st.sampled_from([each for each in "0123456789" if each != text[at]]))
    assert not is_same_statement(text, text[:at] + digit + text[at + 1 :])


@given(SENTENCES, st.lists(st.sampled_from([" ", "\n", "  ", "\u00a0", ", ", "; ", " (", ") "])))
def test_space_punctuation_and_case_make_no_other_statement(
    said: list[str], gaps: list[str]
) -> None:
    between = [*gaps, *[" "] * len(said)]
    # Of a number, a comma may be part, and of a unit, the case; neither is how a sentence is set.
    pairs = pairwise(said)
    free = [one.isalpha() and other.isalpha() for one, other in pairs]
    parts = [said[0]]
    for word, gap, is_free in zip(said[1:], between, free, strict=False):
        parts += [gap if is_free else " ", word]
    other = "".join(parts)
    assert is_same_statement(" ".join(said), f"“{other}.”")
    louder = re.sub(r"(?<![\d.] )\b[a-z]{2,}\b", lambda found: found[0].upper(), other)
    assert is_same_statement(" ".join(said), louder)

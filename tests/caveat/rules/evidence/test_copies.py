import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.source import Reading, SourceRef
from caveat.rules.evidence.copies import CROWD, Known, estimate_resemblance, is_copy, sketch


def reading(text: str, address: str = "") -> Reading:
    drawn = sketch(text)
    return Reading(
        source=SourceRef(id="s-1", title="t"),
        snapshot_sha256=address or str(hash(text)),
        characters=len(text),
        shingles=drawn.shingles,
        sketch=drawn.smallest,
        figures=drawn.figures,
    )


def words(seed: int, count: int) -> str:
    rng = random.Random(seed)
    return " ".join(f"w{rng.randrange(10_000)}" for _ in range(count))


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        (words(1, 600), f"The Daily Paper {words(1, 600)} Subscribe now.", True),
        # a review that quotes a paragraph, and a book that contains a note
        (words(1, 600), f"{words(2, 400)} {words(1, 100)} {words(3, 100)}", False),
        (words(1, 100), f"{words(2, 3000)} {words(1, 100)}", False),
    ],
)
def test_a_copy_is_the_same_text_with_another_header(one: str, other: str, *, is_one: bool) -> None:
    assert is_copy(reading(one), reading(other)) is is_one


def test_the_same_snapshot_is_a_copy_however_short() -> None:
    assert is_copy(reading("", "0"), reading("", "0"))
    assert not is_copy(reading("", "0"), reading("", "1"))


def test_case_and_punctuation_do_not_matter() -> None:
    assert sketch("The universe, expanding fast: yes!") == sketch("the UNIVERSE expanding fast yes")


def test_the_estimate_is_close_to_the_truth() -> None:
    common, mine, yours = words(1, 1000), words(2, 500), words(3, 500)
    estimate = estimate_resemblance(
        sketch(f"{common} {mine}").smallest, sketch(f"{common} {yours}").smallest
    )
    assert abs(estimate - 0.5) < 0.15


ARTICLE = (
    "The lighthouse of Example was built in 1902 by the harbour board, after two ships had been "
    "lost on the reef. Its tower is 16.8 metres high, and its light is seen for 21 miles in clear "
    "weather. A keeper lived there until 1971 with a family of five, and 340 people came to the "
    "last lighting of the lamp, which stands in the museum of the town today together with the log "
    "book, the fog horn and a boat."
)


BODY = f"Aspirin reduces the risk of heart attack. Bees can see ultraviolet light. {words(5, 150)}."


@pytest.mark.parametrize(
    ("text", "was", "becomes"),
    [
        (ARTICLE, "16.8", "14.2"),
        (ARTICLE, "1902", "1903"),
        (ARTICLE, "21", "12"),
        (ARTICLE, "340", "3,400"),
        (BODY, "reduces the risk", "does not reduce the risk"),
        (BODY, "can see", "can’t see"),
        (BODY, "reduces the risk", "never reduced the risk"),
    ],
)
@pytest.mark.parametrize("header", ["", "The Daily Paper. Posted on 12 March 2026. "])
def test_a_text_with_another_figure_or_a_denial_is_no_copy(
    text: str, was: str, becomes: str, header: str
) -> None:
    original, altered = reading(text), reading(header + text.replace(was, becomes))
    assert not is_copy(original, altered)
    assert not is_copy(altered, original)
    assert is_copy(original, reading(header + text))


@pytest.mark.parametrize(
    ("header", "footer"),
    [
        ("Posted on 12 March 2026. ", ""),
        ("Updated 3 May 2025, 11.30. ", " Copyright 2025 The Daily Paper."),
        ("No. 17, price 2.50. ", " 12 comments. Page 4."),
    ],
)
def test_a_publishers_own_figures_make_no_other_text(header: str, footer: str) -> None:
    other = reading(f"Published 1 January 2020. {ARTICLE} Edition 3.")
    assert is_copy(other, reading(header + ARTICLE + footer))


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_one_changed_figure_is_seen_wherever_it_stands(figure: int, place: int) -> None:
    body = words(7, 300).split()
    at = place % len(body)
    one = " ".join([*body[:at], "measured", str(figure), "units", *body[at:]])
    two = " ".join([*body[:at], "measured", str(figure + 1), "units", *body[at:]])
    assert not is_copy(reading(one), reading(two))


def test_a_text_with_another_unit_is_no_copy() -> None:
    text = "The quota of the server is set to {} for every tenant that the operator admits. " * 3
    one, other = (
        reading(text.format(quota, quota, quota) + "It is checked once a day by a job.")
        for quota in ("2 GB", "2 GiB")
    )
    assert not is_copy(one, other)


def numbered(number: int, text: str) -> Reading:
    source = SourceRef(id=f"s{number}", title="t", path=f"{number}.md")
    return reading(text, text[:64]).model_copy(update={"source": source})


def run_of(first: int, count: int = 150) -> str:
    return " ".join(f"w{number}" for number in range(first, first + count))


TEXTS = st.lists(st.tuples(st.integers(0, 200), st.integers(20, 200)), min_size=2, max_size=12)


@given(TEXTS)
def test_whatever_is_a_copy_is_found_among_the_few(texts: list[tuple[int, int]]) -> None:
    known, read = Known(), list[Reading]()
    for number, (first, count) in enumerate(texts):
        new = numbered(number, run_of(first, count))
        found = known.find_candidates(new)
        assert {other.source.id for other in read if is_copy(other, new)} <= set(found)
        assert found == sorted(found, key=lambda name: int(name[1:]))
        known.add(new.source.id, new)
        read.append(new)


def test_a_menu_that_all_pages_share_brings_no_crowd() -> None:
    known = Known()
    menu = run_of(0, 40)
    for number in range(3 * CROWD):
        known.add(f"s{number}", numbered(number, f"{menu} {run_of(1_000 * number + 1_000, 30)}"))
    assert len(known.find_candidates(numbered(-1, f"{menu} {run_of(900_000, 30)}"))) < CROWD

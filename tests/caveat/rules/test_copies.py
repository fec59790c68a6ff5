import random

from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.source import Reading, SourceRef
from caveat.rules.copies import SKETCH, is_copy, resemblance, sketch


def reading(text: str, address: str = "") -> Reading:
    drawn = sketch(text)
    return Reading(
        source=SourceRef(id="s-1", title="t"),
        snapshot_sha256=address or str(hash(text)),
        characters=len(text),
        shingles=drawn.shingles,
        sketch=drawn.smallest,
    )


def words(seed: int, count: int) -> str:
    rng = random.Random(seed)
    return " ".join(f"w{rng.randrange(10_000)}" for _ in range(count))


def test_an_article_with_another_header_is_a_copy() -> None:
    body = words(1, 600)
    assert is_copy(reading(body), reading(f"The Daily Paper {body} Subscribe now."))


def test_a_review_that_quotes_a_paragraph_is_not_a_copy() -> None:
    body = words(1, 600)
    quoted = " ".join(body.split()[:100])
    assert not is_copy(reading(body), reading(f"{words(2, 400)} {quoted} {words(3, 100)}"))


def test_a_note_that_a_book_contains_is_not_a_copy_of_the_book() -> None:
    note = words(1, 100)
    assert not is_copy(reading(note), reading(f"{words(2, 3000)} {note}"))


def test_the_same_snapshot_is_a_copy_however_short() -> None:
    assert is_copy(reading("", "0"), reading("", "0"))
    assert not is_copy(reading("", "0"), reading("", "1"))


def test_case_and_punctuation_do_not_matter() -> None:
    assert sketch("The universe, expanding fast: yes!") == sketch("the UNIVERSE expanding fast yes")


@given(st.text(), st.text())
def test_resemblance_is_symmetric_and_within_bounds(one: str, other: str) -> None:
    a, b = sketch(one), sketch(other)
    assert resemblance(a.smallest, b.smallest) == resemblance(b.smallest, a.smallest)
    assert 0 <= resemblance(a.smallest, b.smallest) <= 1
    if a.shingles:
        assert resemblance(a.smallest, a.smallest) == 1
    assert len(a.smallest) == min(SKETCH, a.shingles)
    assert list(a.smallest) == sorted(set(a.smallest))


def test_the_estimate_is_close_to_the_truth() -> None:
    common, mine, yours = words(1, 1000), words(2, 500), words(3, 500)
    estimate = resemblance(
        sketch(f"{common} {mine}").smallest, sketch(f"{common} {yours}").smallest
    )
    assert abs(estimate - 0.5) < 0.15

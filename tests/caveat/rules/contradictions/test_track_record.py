import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.contradiction import Claimant, RulingRecord, TrackRecord
from caveat.contracts.source import SourceRef
from caveat.rules.contradictions.track_record import (
    MINIMUM_RULINGS,
    compute_track_record,
    compute_wilson_interval,
    drop_repeats,
    have_enough_rulings,
    identify_claimant,
    is_clearly_better,
    name_statement,
)
from tests.fakes.claims import a_claim
from tests.fakes.disputes import CHOICES, a_ruling_record

A, B, BOTH, NEITHER = CHOICES
RULINGS = st.lists(st.sampled_from(CHOICES), max_size=40)


def ruling(choice: str, a: str = "nasa.gov", b: str = "example.org") -> RulingRecord:
    return a_ruling_record(choice, a, b)


def record(upheld: int, ruled: int) -> TrackRecord:
    low, high = compute_wilson_interval(upheld, ruled)
    return TrackRecord(upheld=upheld, ruled=ruled, low=low, high=high)


@pytest.mark.parametrize(
    ("choice", "who", "counted"),
    [
        (A, "a b", {"a": (1, 1), "b": (0, 1)}),
        (B, "a b", {"a": (0, 1), "b": (1, 1)}),
        (BOTH, "a b", {"a": (1, 1), "b": (1, 1)}),
        (NEITHER, "a b", {"a": (0, 1), "b": (0, 1)}),
        (A, "a a", {"a": (1, 2)}),  # of two claims of one claimant each counts
        ("b,c", "a b c a", {"a": (0, 2), "b": (1, 1), "c": (1, 1)}),
        (A, "x y", {"a": (0, 0)}),
    ],
)
def test_a_ruling_counts_for_each_that_it_is_on(
    choice: str, who: str, counted: dict[str, tuple[int, int]]
) -> None:
    claimants = tuple(Claimant(id=name) for name in who.split())
    one = a_ruling_record(choice, claimants=claimants)
    found = {name: compute_track_record(name, [one]) for name in counted}
    assert {name: (each.upheld, each.ruled) for name, each in found.items()} == counted
    assert counted != {"a": (0, 0)} or (found["a"].low, found["a"].high) == (0.0, 1.0)


def test_a_copy_of_a_file_states_the_same() -> None:
    files = [
        SourceRef(id=f"source-{at}", title="Notes", path=path)
        for at, path in enumerate(("union.md", "papers/union.md", "city.md"))
    ]
    first, copy, other = (name_statement(file, a_claim()) for file in files)
    assert first == copy != other


def test_one_ruling_on_several_runs_counts_once() -> None:
    said = (Claimant(id="nasa.gov", said="x"), Claimant(id="example.org", said="y"))
    runs = [a_ruling_record(A, run_id=f"run-{at}", claimants=said) for at in range(3)]
    withdrawn = runs[2].model_copy(update={"choice": None, "number": 2})
    again = a_ruling_record(A, run_id="run-3", claimants=said, reason="Asked anew.")
    old = [ruling(A).model_copy(update={"run_id": f"old-{at}"}) for at in range(2)]
    assert drop_repeats([*runs, withdrawn]) == (runs[1],)
    assert drop_repeats([*runs, again, *old]) == (runs[2], again, *old)


@pytest.mark.parametrize(
    ("upheld", "ruled", "low", "high"),
    # Newcombe 1998, table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)],
)
def test_the_interval_is_as_published(upheld: int, ruled: int, low: float, high: float) -> None:
    assert compute_wilson_interval(upheld, ruled) == (low, high)


@given(RULINGS)
def test_the_order_of_rulings_does_not_matter_and_the_share_lies_within(choices: list[str]) -> None:
    rulings = [ruling(choice) for choice in choices]
    found = compute_track_record("nasa.gov", rulings)
    assert found == compute_track_record("nasa.gov", rulings[::-1])
    if found.ruled:
        assert found.low - 1e-4 <= found.upheld / found.ruled <= found.high + 1e-4


FEW, ENOUGH = MINIMUM_RULINGS - 1, MINIMUM_RULINGS


@pytest.mark.parametrize(
    ("one", "other", "is_clear"),
    [
        ((ENOUGH, ENOUGH), (0, ENOUGH), True),  # spotless and hopeless
        ((FEW, FEW), (0, ENOUGH), False),
        ((ENOUGH, ENOUGH), (0, FEW), False),
        ((9, 10), (5, 10), False),  # their intervals overlap
        ((45, 50), (25, 50), True),
    ],
)
def test_one_is_clearly_better_from_the_minimum_on(
    one: tuple[int, int], other: tuple[int, int], *, is_clear: bool
) -> None:
    assert is_clearly_better(record(*one), record(*other)) is is_clear
    assert have_enough_rulings(record(*one), record(*other)) is (FEW not in (one[1], other[1]))


@pytest.mark.parametrize(
    ("url", "claimant"),
    [
        # A publisher answers for all of its pages.
        ("https://www.nasa.gov/wmap", "nasa.gov"),
        ("http://nasa.gov/", "nasa.gov"),
        ("https://NASA.gov/another?page=2", "nasa.gov"),
        ("https://www.example.co.uk/a", "example.co.uk"),
        ("https://netflix.com/research", "netflix.com"),  # it only ends like a shared host
        # What shares its host with strangers stands for itself.
        ("https://medium.com/@somebody/a-post", None),
        ("https://doi.org/10.1038/s41586-020-2649-2", None),
        ("10.1038/s41586-020-2649-2", None),
        ("https://arxiv.org/abs/1807.06209", None),
        ("file:///library/page.html", None),
        ("https://[broken", None),
    ],
)
def test_a_claimant_is_a_publisher_or_the_source_itself(url: str, claimant: str | None) -> None:
    source = SourceRef(id="s-0123456789", title="A page", url=url)
    assert identify_claimant(source) == Claimant(id=claimant or source.id)

"""What the benchmark of typed findings counts as right, and what it measures."""

import pytest

from benchmarks.specialists import baseline
from benchmarks.specialists.__main__ import AIM, Text, rules, score, texts

TOLD = Text("Sales rose 7% to $5 million.", (("growth", "7%"), ("revenue", "$5 million")))


def test_the_halves_have_nothing_in_common_and_say_what_they_are_said_to() -> None:
    read = {half: texts(half) for half in ("tuning", "held-out", "releases")}
    assert [len(each) for each in read.values()] == [14, 14, 10]
    said = [text.said for each in read.values() for text in each]
    assert len(set(said)) == len(said)
    for text in (text for each in read.values() for text in each):
        assert all(words in text.said for _, words in text.figures), text.said


def test_a_figure_of_another_kind_is_wrong() -> None:
    assert score(lambda _: [("margin", "7%"), ("revenue", "to $5 million")], [TOLD]).right == 1
    missed = score(lambda _: [], [TOLD])
    assert (missed.precision, missed.recall) == (0, 0)


@pytest.mark.parametrize("half", ["held-out", "releases"])
def test_what_is_held_out_is_read_better_than_by_patterns(half: str) -> None:
    ours, theirs = score(rules, texts(half)), score(baseline.figures, texts(half))
    assert min(ours.precision, ours.recall) >= AIM
    assert ours.recall > theirs.recall
    assert ours.precision > theirs.precision

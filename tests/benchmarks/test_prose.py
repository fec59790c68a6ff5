"""What the benchmark of prose counts as found and as a false alarm."""

from collections import Counter

import pytest

from benchmarks.answers.questions import Half
from benchmarks.prose.pairs import Pair, Paragraph, pairs
from benchmarks.prose.scoring import score

WOLVES = Pair(
    kind="counts",
    topic="How many wolves are there?",
    notes=(
        Paragraph("Wolves", "They came back. There are 40 wolves."),
        Paragraph("Sheep", "There are 90 wolves. Sheep cannot count."),
    ),
    at=("40 wolves", "90 wolves"),
)
BEARS = Pair(
    kind="counts",
    topic="How many bears are there?",
    notes=(Paragraph("Bears", "There are 3 bears."), Paragraph("Zoo", "There are 7 lions.")),
    at=None,
)


class TestPairs:
    @pytest.mark.parametrize("half", list(Half))
    def test_half_of_every_kind_contradict_each_other(self, half: Half) -> None:
        written = pairs(half)
        assert len(written) == 180
        assert set(Counter(pair.kind for pair in written).values()) == {18}
        assert set(Counter(pair.kind for pair in written if pair.contradicts).values()) == {9}

    def test_the_halves_have_nothing_in_common(self) -> None:
        halves = [{pair.notes for pair in pairs(half)} for half in Half]
        assert not halves[0] & halves[1]

    @pytest.mark.parametrize("half", list(Half))
    def test_the_words_that_contradict_stand_in_their_notes(self, half: Half) -> None:
        for pair in pairs(half):
            if pair.at is not None:
                assert pair.is_between([note.text for note in pair.notes]), pair.topic
                assert not pair.is_between([pair.notes[0].text] * 2), pair.topic


class TestScore:
    def test_a_report_is_right_in_either_order_and_among_many_values(self) -> None:
        assert WOLVES.is_between(("There are 90 wolves.", "There are 40 wolves."))
        assert WOLVES.is_between(("Nothing.", "There are 40  wolves.", "There are 90 wolves."))
        assert not WOLVES.is_between(("There are 40 wolves.", "Sheep cannot count."))
        assert not BEARS.is_between(("There are 3 bears.", "There are 7 lions."))

    def test_what_is_found_twice_counts_once_and_every_false_alarm_counts(self) -> None:
        right = ("There are 40 wolves.", "There are 90 wolves.")
        wrong = ("There are 3 bears.", "There are 7 lions.")
        found = score([([WOLVES, BEARS], [right, right[::-1], wrong]), ([BEARS], [wrong])])
        assert (found.reported, found.right, found.contradictions) == (3, 1, 1)
        assert found.precision == pytest.approx(1 / 3)
        assert found.recall == 1.0
        assert found.kinds == {"counts": 1}
        assert found.wrong == [wrong, wrong]

    def test_what_is_not_found_is_missed(self) -> None:
        found = score([([WOLVES], [])])
        assert found.recall == 0.0
        assert found.precision == 1.0
        assert found.missed == [WOLVES]

"""What the benchmark of prose counts as found and as a false alarm."""

import pytest

from benchmarks.prose.pairs import Pair, Paragraph
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

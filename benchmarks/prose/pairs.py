"""Pairs of paragraphs as data: a file a kind, every other pair to tune on."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from benchmarks.answers.questions import Half
from benchmarks.answers.texts import normal

WRITTEN = Path(__file__).with_name("written")


@dataclass(frozen=True)
class Paragraph:
    """What one author writes: the title of the note, and its text."""

    title: str
    text: str


@dataclass(frozen=True)
class Pair:
    """Two notes on one subject."""

    kind: str  # what makes it hard, the name of its file
    topic: str  # what a reader would ask
    notes: tuple[Paragraph, Paragraph]  # the two
    # words of each that contradict the other's; None where they do not contradict each other
    at: tuple[str, str] | None

    @property
    def contradicts(self) -> bool:
        """Whether the two cannot both be right."""
        return self.at is not None

    def is_between(self, values: Iterable[str]) -> bool:
        """Whether a report is of its contradiction.

        Args:
            values: the sentences that stand for each value of the report.
        """
        if self.at is None:
            return False
        one, other = map(normal, self.at)
        return any(
            (one in a and other in b) or (one in b and other in a)
            for a, b in combinations(map(normal, values), 2)
        )


def pairs(half: Half, folder: Path = WRITTEN) -> list[Pair]:
    """Read one half: odd numbers of every file are for tuning, even ones are held out.

    The kinds take turns, so that neighbours in the list have nothing to do with each other.
    """
    first = 0 if half is Half.TUNING else 1
    files = [_pairs(file)[first::2] for file in sorted(folder.glob("*.toml"))]
    return [pair for turn in zip(*files, strict=True) for pair in turn]


def _pairs(file: Path) -> list[Pair]:
    written = tomllib.loads(file.read_text(encoding="utf-8"))["pairs"]
    return [
        Pair(
            kind=file.stem,
            topic=each["topic"],
            notes=(Paragraph(*each["one"]), Paragraph(*each["other"])),
            at=tuple(each["at"]) if each["contradicts"] else None,
        )
        for each in written
    ]

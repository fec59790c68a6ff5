"""A random sample of pairs with a verdict by hand, to see how far the rule can be trusted.

Only the labels are kept: whose statements about what, the verdict, and a word why. What the two
packages say is looked up in them.
"""

import csv
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contradicting.statements import Sort
from benchmarks.contradicting.truth import Pair, Verdict

SIZE = 30  # pairs of each corpus: agreement of nine in ten then is known to about a tenth


@dataclass(frozen=True)
class Label:
    """A verdict by hand."""

    entity: str
    attribute: str
    packages: tuple[str, str]
    verdict: Verdict
    why: str


def sample(pairs: Sequence[Pair], seed: int) -> list[Pair]:
    """Draw pairs to label: numbers that are written differently, since the rest is no question."""
    unlike = [
        pair
        for pair in pairs
        if pair.one.sort is not Sort.NAME and pair.one.values != pair.other.values
    ]
    return random.Random(seed).sample(unlike, min(SIZE, len(unlike)))


def read(path: Path) -> list[Label]:
    """Read labels."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Label(
                row["entity"],
                row["attribute"],
                (row["one"], row["other"]),
                Verdict(row["verdict"]),
                row["why"],
            )
            for row in csv.DictReader(file)
        ]


def agreement(labels: Sequence[Label], pairs: Sequence[Pair]) -> Mapping[str, int]:
    """Compare labels with the rule.

    Returns:
        How many labels there are (`labels`), how many pairs they name are there (`known`), and of
        those, how many have the rule's verdict (`same`). Where two packages make several pairs
        about one attribute, the rule's gravest verdict counts.
    """
    judged: dict[tuple[str, str, frozenset[str]], Verdict] = {}
    for pair in pairs:
        key = (
            pair.one.entity,
            pair.one.attribute,
            frozenset({pair.one.package, pair.other.package}),
        )
        judged[key] = max(judged.get(key, Verdict.AGREE), pair.verdict, key=tuple(Verdict).index)
    known = [
        (label, judged[key])
        for label in labels
        if (key := (label.entity, label.attribute, frozenset(label.packages))) in judged
    ]
    same = sum(label.verdict is rule for label, rule in known)
    return {"labels": len(labels), "known": len(known), "same": same}

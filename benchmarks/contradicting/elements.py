"""The chemical elements: what three packages state of them, and what a fourth holds to be true.

- `dict-elements` (public domain): its own text, a `Key: value` line a paragraph, its prose
  unwrapped and its cross references without their braces.
- `mendeleev` (MIT): "The FIELD of NAME is VALUE UNIT." for each field, in the words and the unit of
  its own table of properties and to ten digits at most; beside them its description, which is
  copied from the first, and who discovered the element.
- `chemlib` (MIT): "NAME has a FIELD of VALUE UNIT." with the digits of its table. That names no
  units: kelvin, electronvolt, ångström, g/cm³ and J/(g·K) are those that its numbers are in.
- `molmass` (BSD-3-Clause) has the gold values: relative atomic masses of NIST, the rest of its own.
"""

import ast
import csv
import datetime as dt
import gzip
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.contradicting.reading import value
from benchmarks.contradicting.statements import Draft, Entry, Publication, Sort
from caveat.contracts.source import SourceKind

DICT_ELEMENTS = Publication(
    package="dict-elements",
    title="The Elements, a dictionary",
    url="http://www.miranda.org/~jkominek/elements/",
    date=dt.date(2000, 11, 7),
    kind=SourceKind.ENCYCLOPEDIA,
)
MENDELEEV = Publication(
    package="mendeleev",
    title="mendeleev",
    url="https://mendeleev.readthedocs.io/",
    date=dt.date(2026, 1, 1),
    kind=SourceKind.DATASET,
)
CHEMLIB = Publication(
    package="chemlib",
    title="chemlib's periodic table",
    url="https://chemlib.readthedocs.io/",
    date=dt.date(2022, 8, 1),
    kind=SourceKind.DATASET,
)

ATOMIC_NUMBERS = range(1, 119)


def entries(dictionary: Path, mendeleev: Path, chemlib: Path) -> list[Entry]:
    """Read what three packages state, one entry a package and element.

    Args:
        dictionary: the unpacked folder of `dict-elements`.
        mendeleev: that of `mendeleev`.
        chemlib: that of `chemlib`.
    """
    return [
        *_dictionary_entries(dictionary / "usr/share/dictd/elements.dict.dz"),
        *_mendeleev_entries(mendeleev / "mendeleev/elements.db"),
        *_chemlib_entries(chemlib / "chemlib/resources/PTE.csv"),
    ]


def _entity(number: int) -> str:
    return f"element {number}"


_HEADWORD = re.compile(r"(?P<name>\S+)\nSymbol: *(?P<symbol>\S+)\n(?P<lines>(?:[\w ]+: .*\n)*)")
_BRACES = re.compile(r"[{}]")


def _dictionary_entries(path: Path) -> Iterator[Entry]:
    found: dict[int, Entry] = {}
    with gzip.open(path, "rt", encoding="latin-1") as file:
        for article in file.read().split("\n\n"):
            entry = _article(article + "\n")
            if entry is not None:
                # The later of two articles has the name that the element received in the end.
                found[entry[0]] = entry[1]
    yield from found.values()


def _article(article: str) -> tuple[int, Entry] | None:
    """Read an article; None for what is no element, or a name that was only proposed."""
    head = _HEADWORD.match(article)
    number = re.search(r"^Atomic number: *(\d+)$", article, re.MULTILINE)
    if head is None or number is None or int(number[1]) not in ATOMIC_NUMBERS:
        return None
    draft = Draft(DICT_ELEMENTS, _entity(int(number[1])), head["name"])
    for line in (f"Symbol: {head['symbol']}", *head["lines"].splitlines()):
        _line(draft, line.strip())
    prose = _BRACES.sub("", " ".join(article[head.end() :].split()))
    if prose:
        _prose(draft, prose)
    return int(number[1]), draft.finished()


def _line(draft: Draft, line: str) -> None:
    key, _, written = line.partition(":")
    digits = written.strip().lstrip("(")
    if key == "Atomic number":
        draft.add(line, ("atomic number", Sort.EXACT, (value(digits),)))
    elif key.endswith("weight") and digits[:1].isdigit():
        draft.add(line, ("atomic weight", Sort.MEASURE, (value(digits),)))
    else:
        draft.add(line)


_DISCOVERED = re.compile(
    r"\b[Dd]iscovered\b"
    # Up to the year in the same clause: an initial's full stop does not end it, another event does.
    r"(?:(?!isolated|identified|predicted|Unq-)(?:[^.;]|(?<=[ .][A-Z])\.))*?\bin ([12]\d{3})\b"
)
_GROUP = re.compile(r"\bgroup (\d{1,2})\b(?= ?(?:of the|\(|,|\.))")


def _prose(draft: Draft, prose: str) -> None:
    """Add prose, and note the attributes in it that other packages state as well."""
    draft.add(prose)
    for discovery in _DISCOVERED.finditer(prose):
        draft.note(discovery[0], "discovery", Sort.YEAR, (value(discovery[1]),))
    for group in _GROUP.finditer(prose):
        draft.note(group[0], "group", Sort.EXACT, (value(group[1]),))


_COMPARED = {
    "atomic_weight": "atomic weight",
    "atomic_radius": "atomic radius",
    "density": "density",
    "melting_point": "melting point",
    "boiling_point": "boiling point",
    "specific_heat_capacity": "specific heat",
    "en_pauling": "electronegativity",
}
"""Columns of mendeleev that another package has, too."""

_FIELDS = {
    "atomic_weight": "atomic weight",
    "atomic_radius": "atomic radius",
    "density": "density at 295 K",
    "specific_heat_capacity": "specific heat capacity",
    "en_pauling": "electronegativity on Pauling's scale",
    "en_allen": "electronegativity on Allen's scale",
    "electron_affinity": "electron affinity",
    "thermal_conductivity": "thermal conductivity",
    "evaporation_heat": "evaporation heat",
    "fusion_heat": "fusion heat",
    "molar_heat_capacity": "molar heat capacity",
    "covalent_radius_cordero": "covalent radius by Cordero et al.",
    "vdw_radius": "Van der Waals radius",
    "metallic_radius": "single-bond metallic radius",
    "lattice_constant": "lattice constant",
    "abundance_crust": "abundance in the Earth's crust",
    "abundance_sea": "abundance in the seas",
}
"""Columns of its table of elements, in the words of its table of properties."""

_PHASES = {
    "melting_point": "melting point",
    "boiling_point": "boiling point",
    "critical_temperature": "critical temperature",
    "triple_point_temperature": "temperature of the triple point",
}


def _mendeleev_entries(path: Path) -> Iterator[Entry]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as database:
        database.row_factory = sqlite3.Row
        units = {
            row["column_name"]: row["unit"]
            for row in database.execute("SELECT column_name, unit FROM propertymetadata")
        }
        for row in database.execute("SELECT * FROM elements ORDER BY atomic_number").fetchall():
            draft = Draft(MENDELEEV, _entity(row["atomic_number"]), row["name"])
            _add_element(draft, row, units)
            phases = "SELECT * FROM phasetransitions WHERE atomic_number = ? ORDER BY id"
            rows = database.execute(phases, (row["atomic_number"],)).fetchall()
            for phase in rows:
                _add_phase(draft, phase, units, scoped=len(rows) > 1)
            energies = (
                "SELECT ionization_energy FROM ionizationenergies"
                " WHERE atomic_number = ? AND ion_charge = 0"
            )
            for (energy,) in database.execute(energies, (row["atomic_number"],)).fetchall()[:1]:
                _add_energy(draft, energy)
            yield draft.finished()


def _add_element(draft: Draft, row: sqlite3.Row, units: Mapping[str, str | None]) -> None:
    name = row["name"].lower()
    if row["description"]:
        _prose(draft, " ".join(_BRACES.sub("", row["description"]).split()))
    number = row["atomic_number"]
    draft.add(
        f"The atomic number of {name} is {number}.",
        ("atomic number", Sort.EXACT, (value(str(number)),)),
    )
    if row["group_id"]:
        draft.add(
            f"The group of {name} in the periodic table is {row['group_id']}.",
            ("group", Sort.EXACT, (value(str(row["group_id"])),)),
        )
    draft.add(
        f"The period of {name} in the periodic table is {row['period']}.",
        ("period", Sort.EXACT, (value(str(row["period"])),)),
    )
    for column, field in _FIELDS.items():
        _add_field(draft, row, column, (field, units.get(column)))
    if row["discovery_year"]:
        draft.add(
            f"{row['name']} was discovered in {row['discovery_year']} by {row['discoverers']}.",
            ("discovery", Sort.YEAR, (value(str(row["discovery_year"])),)),
        )


def _add_phase(
    draft: Draft, row: sqlite3.Row, units: Mapping[str, str | None], *, scoped: bool
) -> None:
    allotrope = row["allotrope"] or ""
    for column, words in _PHASES.items():
        # What it stores as melting and boiling point of some is another transition, and it says so.
        field = {
            ("melting_point", "is_transition"): "transition temperature",
            ("boiling_point", "is_sublimation_point"): "sublimation point",
        }
        said = next((new for (of, flag), new in field.items() if of == column and row[flag]), words)
        scope = allotrope if scoped else ""
        _add_field(draft, row, column, (said, units.get(column)), allotrope, scope)


def _add_field(
    draft: Draft,
    row: sqlite3.Row,
    column: str,
    words: tuple[str, str | None],
    allotrope: str = "",
    scope: str = "",
) -> None:
    if row[column] is None:
        return
    field, unit = words
    written = f"{row[column]:.10g}"
    of = f"{draft.name.lower()} ({allotrope})" if allotrope else draft.name.lower()
    passage = f"The {field} of {of} is {written}{f' {unit}' if unit else ''}."
    attribute = _COMPARED.get(column)
    if attribute is None or field in {"transition temperature", "sublimation point"}:
        draft.add(passage)
    else:
        draft.add(passage, (attribute, Sort.MEASURE, (value(written),)), scope=scope)


def _add_energy(draft: Draft, energy: float) -> None:
    written = f"{energy:.10g}"
    draft.add(
        f"The first ionization energy of {draft.name.lower()} is {written} eV.",
        ("ionization energy", Sort.MEASURE, (value(written),)),
    )


_COLUMNS = {
    "AtomicMass": ("atomic mass", "u", "atomic weight", 1.0),
    "AtomicRadius": ("atomic radius", "Å", "atomic radius", 100.0),
    "Electronegativity": ("electronegativity", "", "electronegativity", 1.0),
    "FirstIonization": ("first ionization energy", "eV", "ionization energy", 1.0),
    "Density": ("density", "g/cm³", "density", 1.0),
    "MeltingPoint": ("melting point", "K", "melting point", 1.0),
    "BoilingPoint": ("boiling point", "K", "boiling point", 1.0),
    "SpecificHeat": ("specific heat", "J/(g·K)", "specific heat", 1.0),
}
"""Of chemlib's table: field, unit, attribute, and factor into the attribute's unit."""


def _chemlib_entries(path: Path) -> Iterator[Entry]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            draft = Draft(CHEMLIB, _entity(int(row["AtomicNumber"])), row["Element"].strip())
            _add_chemlib(draft, row)
            yield draft.finished()


def _add_chemlib(draft: Draft, row: Mapping[str, str]) -> None:
    name = draft.name
    for column, attribute, article in (
        ("AtomicNumber", "atomic number", "an atomic number of"),
        ("Period", "period", "a place in the periodic table in period"),
        ("Group", "group", "a place in the periodic table in group"),
    ):
        if row[column]:
            passage = f"{name} has {article} {row[column]}."
            draft.add(passage, (attribute, Sort.EXACT, (value(row[column]),)))
    if row["Isotopes"]:
        draft.add(f"{name} has {row['Isotopes']} isotopes.")
    for column, (field, unit, attribute, factor) in _COLUMNS.items():
        if row[column]:
            article = "an" if field[0] in "aeio" else "a"
            passage = f"{name} has {article} {field} of {row[column]}{f' {unit}' if unit else ''}."
            draft.add(passage, (attribute, Sort.MEASURE, (value(row[column], factor),)))
    if row["Year"]:
        discoverer = " ".join(row["Discoverer"].split())
        by = f" by {discoverer}" if discoverer else ""
        passage = f"{name} was discovered in {row['Year']}{by}."
        draft.add(passage, ("discovery", Sort.YEAR, (value(row["Year"]),)))


_GOLD = {
    "mass": "atomic weight",
    "eleneg": "electronegativity",
    "tboil": "boiling point",
    "tmelt": "melting point",
    "density": "density",
}
_WARM = 295.0  # Kelvin: of what has boiled below, molmass gives the density in g/L


def gold(molmass: Path) -> dict[tuple[str, str], float]:
    """Read gold values by entity and attribute, without running the package.

    Args:
        molmass: the unpacked folder of `molmass`; its zeros stand for what is not known.
    """
    tree = ast.parse((molmass / "molmass/elements.py").read_text(encoding="utf-8"))
    return {
        (_entity(number), attribute): known
        for number, fields in _calls(tree)
        for attribute, known in _known(fields)
    }


def _calls(tree: ast.AST) -> Iterator[tuple[int, dict[str, Any]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Element" and node.args:
            wanted = {*_GOLD, "ionenergy"}
            fields = {
                each.arg: ast.literal_eval(each.value)
                for each in node.keywords
                if each.arg in wanted
            }
            yield ast.literal_eval(node.args[0]), fields


def _known(fields: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for column, attribute in _GOLD.items():
        is_gas = column == "density" and fields.get("tboil", 0.0) < _WARM
        if fields.get(column) and not is_gas:
            yield attribute, float(fields[column])
    if fields.get("ionenergy"):
        yield "ionization energy", float(fields["ionenergy"][0])

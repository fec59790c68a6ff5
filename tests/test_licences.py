"""Every dependency is under a permissive licence, as its installed package says itself."""

import re
import tomllib
from importlib.metadata import files, metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FAMILY = re.compile(r"MIT|Apache|LGPL|AGPL|GPL|BSD|MPL|[Pp]ublic [Dd]omain")
"""What two spellings of a licence have in common: `Apache-2.0`, `Apache Software License`."""


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


DEPENDENCIES = [
    re.split(r"[\[<>=]", line, maxsplit=1)[0]
    for line in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "dependencies"
    ]
]


@pytest.mark.parametrize("package", DEPENDENCIES)
def test_a_dependency_is_under_a_permissive_licence(package: str) -> None:
    assert families_of(package) & {"mit", "apache", "bsd", "public domain"}

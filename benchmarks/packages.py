"""Packages out of registries: fetched once with the ordinary tools, unpacked and kept."""

import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from platformdirs import user_cache_path

CACHE = user_cache_path("caveat") / "benchmarks"  # where packages are kept between runs unless told


class Unavailable(Exception):
    """A package cannot be had here; the message is one sentence for people."""


def kept(
    folder: Path, name: str, tool: str, say: Callable[[str], None], unpack: Callable[[Path], Path]
) -> Path:
    """Fetch and unpack a package where it is not there yet.

    Args:
        folder: where it is kept between runs.
        name: of the package.
        tool: that fetches it.
        say: told of a download before it begins.
        unpack: given an empty folder to work in; returns what is to be kept.

    Returns:
        The folder.
    """
    if folder.is_dir():
        return folder
    say(f"Downloading {name} with {tool} ...")
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        # Renamed when it is whole, so that a broken download is never taken for a package.
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="unpacking.") as scratch:
            unpack(Path(scratch)).rename(folder)
    except (OSError, subprocess.CalledProcessError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise Unavailable(
            f"The package {name} cannot be had through {tool} here: {_reason(error)}"
        ) from error
    return folder


def run(command: list[str], folder: Path) -> None:
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

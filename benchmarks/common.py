"""What benchmarks share: their example, command line and folders, and what they say."""

import argparse
import os
import platform
import sys
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from caveat.workers.settings import Settings
from tests.fakes.free_ports import free_port

CACHE = user_cache_path("caveat") / "benchmarks"  # where packages are kept between runs unless told
ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "examples" / "hubble-constant"
TOPIC = "What is the value of the Hubble constant, and why do measurements disagree?"
"""The example's question; its sources contradict one another."""


def command_line(doc: str | None) -> argparse.ArgumentParser:
    """Begin the command line of a benchmark, which its first sentence describes.

    Args:
        doc: the docstring of its module.
    """
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    return parser


def say(sentence: str) -> None:
    """Show progress where it does not disturb the result."""
    print(sentence, file=sys.stderr, flush=True)


def machine() -> str:
    """Describe what the figures were measured on."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def load() -> str:
    """Say how busy the machine is, over the last minute."""
    return f"Load of the machine now: {os.getloadavg()[0]:.1f}"


def alone(folder: Path) -> dict[str, str]:
    """Return the variables by which a command keeps everything in a folder."""
    return {
        "CAVEAT_STATE_DIR": str(folder / "state"),
        "CAVEAT_CACHE_DIR": str(folder / "cache"),
        "CAVEAT_PORT": str(free_port()),
    }


def settings(folder: Path, **more: Any) -> Settings:
    """Make settings that keep everything in a folder, and more by their names."""
    return Settings(
        state_dir=folder / "state", cache_dir=folder / "cache", port=free_port(), **more
    )

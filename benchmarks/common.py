"""What benchmarks share: their example, their command line, what they say of the machine."""

import argparse
import os
import platform
import sys
from pathlib import Path

from platformdirs import user_cache_path

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

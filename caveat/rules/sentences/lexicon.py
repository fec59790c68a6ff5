"""Lexicon: the words of lexicon.toml, as patterns."""

import re
import tomllib
from functools import cache
from importlib import resources


@cache
def _load_lists() -> dict[str, str]:
    return tomllib.loads(resources.files(__package__).joinpath("lexicon.toml").read_text("utf-8"))


def list_phrases(name: str) -> tuple[str, ...]:
    """Return the phrases of a list."""
    return tuple(" ".join(each.split()) for each in _load_lists()[name].split(",") if each.strip())


def compile_pattern(*names: str) -> re.Pattern[str]:
    """Make one pattern of the phrases of some lists; a star stands for any ending."""
    every = [each for name in names for each in list_phrases(name)]
    longest = sorted(every, key=len, reverse=True)
    written = "|".join(re.escape(each).replace(r"\*", r"\w*") for each in longest)
    return re.compile(rf"\b(?:{written})\b", re.IGNORECASE)

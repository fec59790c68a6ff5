"""Words that stand for each other, and those that say little in any question: two lists by hand."""

import functools
from collections import defaultdict
from collections.abc import Iterator
from importlib import resources
from types import MappingProxyType

from caveat.adapters.text.words import stem


def related(word: str) -> frozenset[str]:
    """Name the stems that may stand for a stem, without itself; none for most."""
    return _groups().get(word, frozenset())


@functools.cache
def framing() -> frozenset[str]:
    """Name the stems of words that only frame a question ("big", "thing", "come")."""
    return frozenset(each for line in _lines("framing.txt") for each in line)


@functools.cache
def _groups() -> MappingProxyType[str, frozenset[str]]:
    """Read the list: the stems of a line stand for each other."""
    found: dict[str, set[str]] = defaultdict(set)
    for stems in _lines("synonyms.txt"):
        for each in stems:
            found[each] |= stems - {each}
    return MappingProxyType({word: frozenset(others) for word, others in found.items()})


def _lines(name: str) -> Iterator[set[str]]:
    """Read the stems of each line, without what stands behind a number sign."""
    text = resources.files(__package__).joinpath(name).read_text("utf-8")
    return ({stem(word) for word in line.partition("#")[0].split()} for line in text.splitlines())

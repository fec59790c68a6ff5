"""Words that stand for each other: spelling variants and simple synonyms, from a list by hand."""

import functools
from collections import defaultdict
from importlib import resources
from types import MappingProxyType

from caveat.adapters.text.words import stem

_LIST = "synonyms.txt"


def related(word: str) -> frozenset[str]:
    """Name the stems that may stand for a stem, without itself; none for most."""
    return _groups().get(word, frozenset())


@functools.cache
def _groups() -> MappingProxyType[str, frozenset[str]]:
    """Read the list: the stems of a line stand for each other."""
    found: dict[str, set[str]] = defaultdict(set)
    text = resources.files(__package__).joinpath(_LIST).read_text("utf-8")
    for line in text.splitlines():
        stems = {stem(word) for word in line.partition("#")[0].split()}
        for each in stems:
            found[each] |= stems - {each}
    return MappingProxyType({word: frozenset(others) for word, others in found.items()})

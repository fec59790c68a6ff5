"""Attributes: what a value is a value of, and the names that attributes go by."""

import re
from dataclasses import dataclass

from caveat.adapters.extractive.entities import Key, Reference, build_key
from caveat.rules.text.words import build_word_list, stem


@dataclass(frozen=True)
class Attribute:
    """One attribute of one entity, as a sentence speaks of it."""

    of: Reference
    # stems of the words that say what it is, in alphabetical order; one of its common names
    key: Key
    label: str
    # whether somebody is said to have measured it, so that a year in the sentence is when they did,
    # and not when it was so
    measured: bool = False
    # stems of what the value is confined to ("at 295 K", "(white)"), none for no words of that
    # sort. How somebody measured is no scope: two methods should find the same.
    scope: Key = ()


_NEUTRAL = frozenset(
    stem(word)
    for word in build_word_list(
        "value figure estimate estimated amount number total overall reported current measured",
        "approximate about approximately roughly official known given new best intermediate local",
        "relative standard nominal",
    )
)
"""Words that leave an attribute what it is, as "mean", "maximum" and "lower" do not."""

_NO_ATTRIBUTE = frozenset(
    build_word_list(
        "one two both each some all part most many much kind kinds sort type lot lots set series",
        "list case result out because instead piece group",
    )
)

_SAME: dict[Key, Key] = {
    build_key(phrase): build_key(name)
    for name, phrases in {
        "atomic weight": ("atomic mass",),
        "melting point": ("melting temperature", "fusion point", "melt"),
        "boiling point": ("boiling temperature", "boil"),
        "freezing point": ("freezing temperature", "freeze"),
        "inhabitants": ("population", "people", "residents"),
        "weight": ("mass",),
        "area": ("surface area",),
        "specific heat": ("specific heat capacity",),
        "capital": ("capital city",),
        "symbol": ("chemical symbol",),
    }.items()
    for phrase in phrases
}
"""Two names of one attribute."""


def build_attribute_key(phrase: str) -> Key:
    """The stems of an attribute; of its common names one, and nothing that only says "value"."""
    words = [word for word in phrase.split() if word.lower() not in _NO_ATTRIBUTE]
    key = tuple(part for part in build_key(" ".join(words)) if part not in _NEUTRAL)
    return _SAME.get(key, key)


def is_neutral(phrase: str) -> bool:
    """Whether a phrase says no more than "value": what it is the value of is the attribute."""
    key = build_key(phrase)
    return bool(key) and _NEUTRAL.issuperset(key)


_SCOPE = re.compile(r"\s(?:on|at|by|under|in)\s.+\Z", re.DOTALL)
_CONDITION = re.compile(
    r"\s(?:at|under)\s(?:\d|(?:room|sea|standard|normal|atmospheric)\b).*\Z", re.DOTALL
)
_REMARK = re.compile(r"\(([a-z][^()]*)\)")


def split_scope(attribute: str, entity: str) -> tuple[str, str, Key]:
    """Take what a value is confined to off "density at 295 K", "gold at 20 °C" and "tin (white)".

    Returns:
        The attribute and the entity alone, and the scope.
    """
    confined, condition = _SCOPE.search(attribute), _CONDITION.search(entity)
    scope = [found[0] for found in (confined, condition) if found]
    scope += _REMARK.findall(entity)
    bare = attribute[: confined.start()] if confined else attribute
    alone = entity[: condition.start()] if condition else entity
    return bare, alone, build_key(" ".join(scope))

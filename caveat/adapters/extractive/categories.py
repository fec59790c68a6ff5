"""Categories: names that a thing has one of, such as its capital, in fixed forms.

`the capital of France is Paris`, `France's capital is Paris`, `its capital is Paris`, `capital:
Paris`, `Paris is the capital of France`, `France, with Paris as its capital`. Attributes that may
have several values ("the language of", "the founder of") are left out: two of them can be right.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from caveat.adapters.extractive.attributes import Attribute, build_attribute_key
from caveat.adapters.extractive.entities import BRACKETS, UNSAID, Reference, parse_reference
from caveat.adapters.extractive.forms import UNSURE
from caveat.adapters.extractive.names import Names
from caveat.rules.text.words import build_word_list

ALIKE = 0.75
"""Share of the letters of two names, in order, that makes them spellings of one: "Kishinev" and
"Chișinău" are asked about, "Reykjavik" and "Reykjavík" are not."""

_SEPARATORS = re.compile(r"[;/]|,|\bor\b|\band\b|\bformerly\b|\balso\b")


@dataclass(frozen=True)
class Name:
    """One value that is a name, or several that hold at once ("Sucre and La Paz")."""

    spellings: frozenset[str]  # each of them in small letters and digits alone

    def agrees_with(self, other: "Name") -> bool:
        """Whether they can name the same: one is part of the other, or nearly spelt like it."""
        return any(_is_same(one, another) for one in self.spellings for another in other.spellings)


def _is_same(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if short == long or (len(short) > 3 and short in long):
        return True
    return len(short) > 3 and SequenceMatcher(None, short, long).ratio() >= ALIKE


class Named(NamedTuple):
    """A name, `sentence[start:end]`, and the attribute that it is the value of."""

    attribute: Attribute
    name: Name
    start: int
    end: int


_SINGLE = (
    r"(?P<attribute>(?i:capital(?:\scity)?|(?:chemical\s)?symbol|calling\scode|dialling\scode"
    r"|birthplace|place\sof\sbirth|national\santhem|currency\scode))"
)
"""Attributes of which a thing has one."""
_VALUE = (
    r"(?P<value>[A-Z+\d][^.;:]{0,60}?)(?=,?\s(?:and|but|while|which|with|since|where)\s|[.;]|\Z)"
)
_IS = r"\s(?:is|was)\s(?:called\s|named\s|the city of\s|currently\s)?"
_STOP = r"(?=[,;.]|\sand\s|\Z)"
_WORDS = r"[^,;.:]{0,60}?"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"\bThe\s{_SINGLE}\s(?:of|for)\s(?P<of>\S{_WORDS}){_IS}{_VALUE}",
        rf"(?P<of>[A-Z]{_WORDS})['’]s?\s{_SINGLE}{_IS}{_VALUE}",
        rf"(?P<of>\b(?:[Ii]ts|[Tt]heir|[Tt]he))\s{_SINGLE}{_IS}{_VALUE}",
        rf"\A(?P<value>[A-Z]{_WORDS})\sis\sthe\s{_SINGLE}\sof\s(?P<of>\S{_WORDS}){_STOP}",
        rf"\A(?P<of>[A-Z]{_WORDS}),?\s(?:has|with)\s(?P<value>[A-Z]{_WORDS})\sas\sits\s{_SINGLE}",
        rf"\A(?P<of>){_SINGLE}(?:\s-\sname)?:\s(?P<value>[A-Z+\d][^.:]{{0,80}})",
    )
)
_NO_NAMES = frozenset(build_word_list("it this that the a an not one located situated in at"))


def find_names(sentence: str, known: Names) -> Iterator[Named]:
    """Find the names that a sentence states as the one value of an attribute."""
    if UNSURE.search(sentence):
        return
    for form in _FORMS:
        match = form.search(sentence)
        found = _read(match, known) if match else None
        if found is not None:
            yield found
            return


def _read(match: re.Match[str], known: Names) -> Named | None:
    name = Name(_split_spellings(match["value"]))
    of = _read_owner(match["of"], known)
    if not name.spellings or of is None or match["value"].split()[0].lower() in _NO_NAMES:
        return None
    attribute = Attribute(of, build_attribute_key(match["attribute"]), match["attribute"])
    return Named(attribute, name, *match.span("value"))


def _read_owner(phrase: str, known: Names) -> Reference | None:
    return parse_reference(phrase, known) if len(phrase) > 0 and phrase != "The" else UNSAID


def _split_spellings(value: str) -> frozenset[str]:
    """The names that a value consists of, in small letters and digits alone."""
    parts = [part.strip(" .") for part in _SEPARATORS.split(BRACKETS.sub("", value))]
    return frozenset(filter(None, map(_normalise_spelling, parts)))


def _normalise_spelling(name: str) -> str:
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    return "".join(char for char in decomposed if char.isalnum())

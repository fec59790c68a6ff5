"""Choices: which values of a contradiction an answer upholds, and the words for what became of it.

Values go by letters in the order of the contradiction: `a` to `z`, then `aa`, `ab` and so on, as
the columns of a spreadsheet do. Two values keep the words `both` and `neither`; more than two have
`all` and `none`. Where several are upheld, each holds in its own scope or at its own date.
"""

import re
from collections.abc import Sequence
from itertools import chain, count, islice, product
from string import ascii_lowercase

from caveat.contracts.contradiction import Contradiction, Disagreement, SettledBy
from caveat.rules.lines import join_names, shorten

PAIR = 2  # values that are held against each other directly; of more, each against each

_WORDS = ("both", "all", "neither", "none")

_NAMED = 3  # values that a title names: those between stand below it
_TITLED, _ABOUT = 80, 500  # characters of a value in a title, and of a title by its contract
UNNAMED = "Sources state"  # a subject where nobody can say what it is
_BEHIND = ": "  # between what a dispute is about and its values

_LISTED = 4  # letters that are named one by one; of more, the first and the last say the same

_APART = "each in its own scope or at its own date"

_SETTLERS = {
    SettledBy.EVIDENCE: "the evidence",
    SettledBy.TRACK_RECORD: "the track records of the sources",
    SettledBy.PERSON: "a person",
    SettledBy.PROVISIONAL_UNCERTAINTY: "nobody",
}


class NotOfferedError(ValueError):
    """An answer names no value of the contradiction; the message lists the choices."""


def format_title(subject: str, values: Sequence[str]) -> str:
    """Name a dispute by its subject and values, of many by the first and the last."""
    named = values if len(values) <= _NAMED else (values[0], values[-1])
    joined = " or ".join(_quote_value(shorten(each, _TITLED)) for each in named)
    rest = f" or {len(values) - len(named)} more" if len(named) < len(values) else ""
    behind = " " if subject == UNNAMED else _BEHIND
    return shorten(f"{subject[0].upper()}{subject[1:]}{behind}{joined}{rest}.", _ABOUT)


def _quote_value(stated: str) -> str:
    """Quote a value; how many sources state it is no word of theirs."""
    several = _SEVERAL.fullmatch(stated)
    return f"“{several[1]}”, {several[2]}" if several else f"“{stated}”"


_SEVERAL = re.compile(r"(.+), (\d+ sources)")


def format_range(low: str, high: str, joint: str = "to") -> str:
    """Format two values of one unit without uncertainties: `67.4 to 73.9 km/s`."""
    first, last = (_UNCERTAINTY.sub("", each).split() for each in (low, high))
    unit: list[str] = []
    while (
        len(first) > 1
        and len(last) > 1
        and first[-1] == last[-1]
        # a unit, and no year that is all there is to tell: "June 2025 to 6 October 2025"
        and (first[-1].isalpha() or all(any(map(str.isdigit, e)) for e in (first[0], last[0])))
    ):
        unit = [first.pop(), *unit]
        last.pop()
    return " ".join([*first, *([joint, *last] if first != last else []), *unit])


_UNCERTAINTY = re.compile(r"\s?(?:±\s?[\d.,]+|\+[\d.,]+\s?[−-][\d.,]+)")


def extract_subject(title: str) -> str:
    """Cut the values off a title; one that names nothing but values stays whole."""
    subject, mark, _ = title.partition(f"{_BEHIND}“")
    named = None if mark else _NAMED_SUBJECT.match(title)
    return named[1] if named else subject


_NAMED_SUBJECT = re.compile(rf"(“[^”]*”|[^“]*?){_BEHIND}")  # what a quote leaves out, or its name


def list_letters(values: int) -> tuple[str, ...]:
    """Name so many values, `a` first."""
    names = (product(ascii_lowercase, repeat=length) for length in count(1))
    letters = map("".join, chain.from_iterable(names))
    # A thousand values on, a letter would be one of the words.
    return tuple(islice((name for name in letters if name not in _WORDS), values))


def parse_choice(choice: str, values: int) -> tuple[bool, ...]:
    """Return for each value whether an answer upholds it."""
    if choice == "all" or (choice == "both" and values == 2):
        return (True,) * values
    if choice in {"neither", "none"}:
        return (False,) * values
    names, named = list_letters(values), choice.split(",")
    if not set(named) <= set(names):
        raise NotOfferedError(
            f"There is no ruling “{choice[:40]}” here: choose from {format_options(values)}."
        )
    return tuple(name in named for name in names)


def format_choice(upheld: Sequence[bool]) -> str:
    """Format the canonical answer that upholds these values."""
    two = len(upheld) == 2
    if all(upheld):
        return "both" if two else "all"
    if not any(upheld):
        return "neither" if two else "none"
    names = list_letters(len(upheld))
    return ",".join(name for name, holds in zip(names, upheld, strict=True) if holds)


def normalise_choice(choice: str, values: int) -> str:
    """Normalise an answer, such as `C, A` to `a,c`."""
    return format_choice(parse_choice(choice, values))


def format_options(values: int) -> str:
    """Format the choices, such as `a|b|both|neither`."""
    if values == 2:
        return "a|b|both|neither"
    names = list_letters(values)
    listed = names if values <= _LISTED else (names[0], "…", names[-1])
    return "|".join((*listed, f"{names[0]},{names[-1]}", "all", "none"))


def name_settler(contradiction: Contradiction) -> str:
    """Name what settled a contradiction, or the person who did."""
    # A ruling without this user's signature is marked: anybody who reaches the server may have
    # given it, under any name.
    if contradiction.decided_by is not None:
        unsigned = " (not signed)" if contradiction.signed is False else ""
        return contradiction.decided_by + unsigned
    return _SETTLERS[contradiction.settled_by] if contradiction.settled_by else "nobody yet"


def describe_settlement(contradiction: Contradiction) -> str:
    """Describe how a contradiction ended, for example `settled by Ada: both hold, ...`."""
    if contradiction.is_open:
        return "awaits a person"
    if contradiction.is_undecided:
        return "awaits a person, since the ruling was withdrawn"
    if contradiction.ruling is None:
        return f"could be settled by nobody: {describe_unused_values(len(contradiction.sides))}"
    return f"was settled by {name_settler(contradiction)}: {describe_outcome(contradiction)}"


def describe_outcome(contradiction: Contradiction, names: Sequence[str] = ()) -> str:
    """Describe which values hold, for example `A (560 MW) holds and B does not`.

    Args:
        names: of the values, where they are not to be those of `name_values`.
    """
    values = len(contradiction.sides)
    upheld = parse_choice(contradiction.ruling or "none", values)
    names = names or name_values(contradiction)
    hold = [name for name, holds in zip(names, upheld, strict=True) if holds]
    fall = [name for name, holds in zip(names, upheld, strict=True) if not holds]
    told = _describe_upheld(hold, values)
    if len(hold) > 1:
        told += f", {_APART}{',' if fall else ''}"
    if hold and fall:
        rest = f"{fall[0]} does not" if len(fall) == 1 else f"the {len(fall)} others do not"
        told += f" and {rest}"
    return told


def name_values(contradiction: Disagreement) -> tuple[str, ...]:
    """Name each value by its letter and what its sources state: `A (560 to 562 MW, 3 sources)`."""
    sides = zip(list_letters(len(contradiction.sides)), contradiction.sides, strict=True)
    told = ((letter.upper(), side.stated or side.value) for letter, side in sides)
    return tuple(f"{letter} ({value})" if value else letter for letter, value in told)


def describe_choice(choice: str, values: int) -> str:
    """Describe what a ruling upholds, for example `A and C hold`."""
    upheld = parse_choice(choice, values)
    letters = zip(list_letters(values), upheld, strict=True)
    return _describe_upheld([name.upper() for name, holds in letters if holds], values)


def _describe_upheld(names: Sequence[str], values: int) -> str:
    if not names:
        return "neither holds" if values == PAIR else "none of them holds"
    if len(names) == values:
        return "both hold" if values == PAIR else f"all {values} hold"
    return f"{join_names(names)} {'holds' if len(names) == 1 else 'hold'}"


def describe_unused_values(values: int) -> str:
    """Describe what becomes of values that nobody can choose among."""
    if values == PAIR:
        return "both claims are uncertain and neither is used"
    return f"all {values} values are uncertain and none is used"

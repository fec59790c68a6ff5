"""Choices: which values of a contradiction an answer upholds, and what can be answered at all.

Values go by letters in the order of the contradiction: `a` to `z`, then `aa`, `ab` and so on, as
the columns of a spreadsheet do. Two values keep the words `both` and `neither`; more than two have
`all` and `none`. Where several are upheld, each holds in its own scope or at its own date.
"""

from collections.abc import Iterator, Sequence
from itertools import count, islice, product
from string import ascii_lowercase

_WORDS = ("both", "all", "neither", "none")

_LISTED = 4
"""Letters that are named one by one; of more, the first and the last say the same."""


class NotOffered(ValueError):
    """An answer names no value of the contradiction; its text says what can be answered."""


def letters(values: int) -> tuple[str, ...]:
    """Name so many values, `a` first."""
    return tuple(islice(_columns(), values))


def _columns() -> Iterator[str]:
    for length in count(1):
        for signs in product(ascii_lowercase, repeat=length):
            name = "".join(signs)
            if name not in _WORDS:  # a thousand values on, a letter would be the word
                yield name


def holding(choice: str, values: int) -> tuple[bool, ...]:
    """Say of each value whether an answer upholds it.

    Args:
        choice: as `Choice` writes it.
        values: how many there are.

    Raises:
        NotOffered: it names none of them, or uses the words of two values for more.
    """
    if choice == "all" or (choice == "both" and values == 2):
        return (True,) * values
    if choice in {"neither", "none"}:
        return (False,) * values
    names, named = letters(values), choice.split(",")
    if not set(named) <= set(names):
        raise NotOffered(f"There is no ruling “{choice[:40]}” here: {answerable(values)}.")
    return tuple(name in named for name in names)


def chosen(upheld: Sequence[bool]) -> str:
    """Write an answer that upholds these values: the one way in which each answer is kept."""
    two = len(upheld) == 2
    if all(upheld):
        return "both" if two else "all"
    if not any(upheld):
        return "neither" if two else "none"
    names = letters(len(upheld))
    return ",".join(name for name, holds in zip(names, upheld, strict=True) if holds)


def canonical(choice: str, values: int) -> str:
    """Write an answer in the one way in which it is kept, such as `a,c` for `C, A`.

    Raises:
        NotOffered: it is none; the sentence lists what can be answered.
    """
    return chosen(holding(choice, values))


def apart(choice: str, values: int) -> bool:
    """Whether an answer upholds several values, each in its own scope."""
    return sum(holding(choice, values)) > 1


def options(values: int) -> str:
    """Write what can be answered for a command, such as `a|b|both|neither`."""
    if values == 2:
        return "a|b|both|neither"
    names = letters(values)
    listed = names if values <= _LISTED else (names[0], "…", names[-1])
    return "|".join((*listed, f"{names[0]},{names[-1]}", "all", "none"))


def answerable(values: int) -> str:
    """Say what can be answered, such as `answer a, b, c, several of them (a,c), all or none`."""
    names = letters(values)
    if values == 2:
        return "choose from a, b, both, neither"
    listed = ", ".join(names if values <= _LISTED else (names[0], "…", names[-1]))
    several = f"several of them with commas ({names[0]},{names[-1]})"
    return f"choose from {listed}, {several}, all (each in its own scope) or none"

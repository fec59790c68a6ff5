"""No regular expression takes more than a second for 100 kB, whatever is repeated in them."""

import re
from functools import cache

import pytest

from tests.fakes.patterns import Expression, expressions, seeds
from tests.fakes.timing import is_slow

pytestmark = pytest.mark.xdist_group("patterns")  # one process imports the whole product for it

ENDINGS = ("\0", "!\n")  # what makes an expression fail that matched until then

SHARES = 8
"""Tests that all expressions are dealt out to: a second of the processor each. They are looked for
in a test, and not by every process that collects tests."""


@cache
def distinct() -> dict[Expression, list[str]]:
    """The expressions, and in which modules each is used."""
    found: dict[Expression, list[str]] = {}
    for module, used in expressions().items():
        for each in used:
            found.setdefault(each, []).append(module)
    return found


def slow_seed(expression: Expression) -> str | None:
    applied = expression.applied()
    return next(
        (
            seed
            for seed in seeds(expression.pattern)
            if any(is_slow(applied, seed, ending) for ending in ENDINGS)
        ),
        None,
    )


@pytest.mark.parametrize("share", range(SHARES))
def test_expressions_take_linear_time(share: int) -> None:
    slow = {
        (each.pattern.pattern, *modules): slow_seed(each)
        for each, modules in list(distinct().items())[share::SHARES]
    }
    assert not {where: seed for where, seed in slow.items() if seed is not None}


def test_all_are_found() -> None:
    assert sum(map(len, distinct().values())) > 250


@pytest.mark.parametrize("pattern", [r"\s*,", r"(?:a|b)+\Z", r"(?:[A-Z]\w*\s?){1,3},"])
def test_slow_ones_are_seen(pattern: str) -> None:
    assert slow_seed(Expression(re.compile(pattern), frozenset({"search"}))) is not None

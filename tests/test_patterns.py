"""No regular expression takes more than a second for 100 kB, whatever is repeated in them."""

import re

import pytest

from tests.fakes.patterns import Expression, expressions, seeds
from tests.fakes.timing import is_slow

ENDINGS = ("\0", "!\n")
"""What makes an expression fail that matched until then."""

EXPRESSIONS = expressions()


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


@pytest.mark.parametrize("module", EXPRESSIONS)
def test_expressions_take_linear_time(module: str) -> None:
    slow = {each.pattern.pattern: slow_seed(each) for each in EXPRESSIONS[module]}
    assert not {pattern: seed for pattern, seed in slow.items() if seed is not None}


def test_all_are_found() -> None:
    assert sum(map(len, EXPRESSIONS.values())) > 250


@pytest.mark.parametrize("pattern", [r"\s*,", r"(?:a|b)+\Z", r"(?:[A-Z]\w*\s?){1,3},"])
def test_slow_ones_are_seen(pattern: str) -> None:
    assert slow_seed(Expression(re.compile(pattern), frozenset({"search"}))) is not None

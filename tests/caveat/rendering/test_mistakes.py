from typing import Any

import pytest
from pydantic import ValidationError

from caveat.contracts.plan import ResearchRequest
from caveat.rendering.mistakes import describe_first_mistake, describe_mistakes


def error_of(value: Any) -> ValidationError:
    with pytest.raises(ValidationError) as raised:
        ResearchRequest.parse_sent(value)
    return raised.value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({}, "topic is missing"),
        ({"topic": "x", "formats": ["planted"]}, "formats.0 must be "),
        ({"topic": "x", "p" * 99: 1}, "p" * 60 + " is not known"),
        ({"topic": "x", "detph": "deep"}, "detph is not known: docs/temporal-cli.md lists"),
        ({"topic": "x", "budget": {"tokens": 1e300}}, "budget.tokens is too large"),
        ({"topic": "x", "max_sources": 1e12}, "max_sources must be 1,000 or less"),
        ({"topic": "x", "budget": {"cost_usd": 1e9}}, "budget.cost_usd must be 1,000,000 or less"),
        (7, "request must be "),
    ],
)
def test_a_mistake_is_named_with_its_place(value: Any, said: str) -> None:
    assert describe_mistakes(error_of(value), "request").startswith(said)
    assert "planted" not in describe_mistakes(error_of(value), "request")


def test_every_mistake_is_named_or_the_first() -> None:
    error = error_of({"max_sources": 0})
    assert describe_mistakes(error).count("; ") == 1
    assert describe_mistakes(error).split("; ")[0] == describe_first_mistake(error)

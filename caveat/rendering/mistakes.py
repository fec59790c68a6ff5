"""What is wrong with a value, as its contract found it, in words for people."""

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from itertools import product

from pydantic import ValidationError

from caveat.contracts.plan import Budget, ResearchRequest

_LONGEST = 60
"""Characters of a place: enough to find an unknown field by, not enough to fill a screen."""


def describe_mistakes(error: ValidationError, whole: str = "") -> str:
    """Describe every mistake, as in `topic is missing; max_sources must be 1 or more`."""
    return "; ".join(_describe_errors(error, whole))


def describe_first_mistake(
    error: ValidationError, whole: str = "", name: Callable[[str], str] = str
) -> str:
    """Describe the first mistake; see `describe_mistakes`.

    Args:
        name: maps a place in the value to people's name for it, such as `--deadline`.
    """
    return next(_describe_errors(error, whole, name))


_DURATION = "must be a duration, for example 90s, 10m, 6h or 1d"
_PLAIN = {
    "missing": "is missing",
    "extra_forbidden": "is not known",
    "string_type": "must be text",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "must be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "must be a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false"),
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type"), "must be an object"),
    **dict.fromkeys(("tuple_type", "list_type"), "must be a list"),
    **dict.fromkeys(("enum", "literal_error"), "must be {expected}"),
    "int_parsing_size": "is too large",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be {le} or less",
    "greater_than": "must be more than {gt}",
    "less_than": "must be less than {lt}",
    "span": "must be from 1s to 30d",
    **dict.fromkeys(("time_delta_parsing", "time_delta_type"), _DURATION),
}
"""What a validator's own words mean to somebody who has never heard of one."""


def _suggest_field(name: str) -> str:
    """Name the field of a request that a name, or a word of it, is most like."""
    paths = {bound: f"budget.{bound}" for bound in Budget.model_fields}
    paths |= {field: field for field in ResearchRequest.model_fields}
    pairs = product(paths, (name, *name.split("_")))
    likeness, field = max((SequenceMatcher(None, *pair).ratio(), pair[0]) for pair in pairs)
    # `cost` has two thirds of the letters of both, it and `cost_usd`.
    return f"write {paths[field]}" if likeness > 0.6 else "docs/temporal-cli.md lists the fields"


def _describe_errors(
    error: ValidationError, whole: str, name: Callable[[str], str] = str
) -> Iterator[str]:
    for mistake in error.errors(include_url=False, include_input=False):
        place = name(".".join(map(str, mistake["loc"]))[:_LONGEST]) or whole
        if (plain := _PLAIN.get(mistake["type"])) is not None:
            bounds = {
                key: f"{each:,}".removesuffix(".0") if isinstance(each, int | float) else each
                for key, each in mistake.get("ctx", {}).items()
            }
            is_unknown = mistake["type"] == "extra_forbidden" and len(mistake["loc"]) == 1
            is_request = error.title == ResearchRequest.__name__
            meant = f": {_suggest_field(place)}" if is_unknown and is_request else ""
            yield f"{place or 'it'} {plain.format(**bounds)}{meant}"
            continue
        reason = mistake["msg"].removeprefix("Value error, ")
        message = reason[:1].lower() + reason[1:]
        yield f"{place}: {message}" if place else message

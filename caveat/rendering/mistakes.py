"""What is wrong with a value, as its contract found it, in words for people."""

from collections.abc import Iterator

from pydantic import ValidationError

_LONGEST = 60
"""Characters of a place: enough to find an unknown field by, not enough to fill a screen."""


def mistakes(error: ValidationError, whole: str = "") -> str:
    """Name every mistake, as in `topic: field required; max_sources: input should be …`.

    Args:
        error: what the contract found; nothing of the value itself is repeated.
        whole: what a mistake is called that has no place in the value.
    """
    return "; ".join(_each(error, whole))


def first_mistake(error: ValidationError, whole: str = "") -> str:
    """Name the first mistake alone; see `mistakes`."""
    return next(_each(error, whole))


def _each(error: ValidationError, whole: str) -> Iterator[str]:
    for found in error.errors(include_url=False, include_input=False, include_context=False):
        place = ".".join(map(str, found["loc"]))[:_LONGEST] or whole
        message = found["msg"][:1].lower() + found["msg"][1:]
        yield f"{place}: {message}" if place else message

"""Reads values out of JSON that an engine sends, without trusting its shape."""

from collections.abc import Iterator


def objects(found: object, *path: str) -> Iterator[dict[str, object]]:
    """Yield the objects of a list that lies below some names; nothing where there is none."""
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    for item in found if isinstance(found, list) else ():
        if isinstance(item, dict):
            yield item


def text(found: dict[str, object], *names: str) -> str:
    """Return the first of some values that is text; empty where none is."""
    return next((value for value in map(found.get, names) if isinstance(value, str)), "")

"""YAML front matter of Markdown, reStructuredText and plain text."""

import re

import yaml

from caveat.adapters.documents.loaded import Metadata
from caveat.adapters.documents.metadata import metadata_from

_BLOCK = re.compile(r"\s*---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([A-Za-z][\w .-]{0,40}):(?:\s+(.*))?$")
_NESTED = 100
"""Brackets; front matter has a few, and YAML takes the square of their number when they nest."""
_LIMIT = 16 * 1024
"""Characters; a longer block between two rules is prose."""


def split_front_matter(text: str) -> tuple[Metadata, str]:
    """Separate the front matter from the text.

    Malformed YAML is read line by line as `name: value`; where that fails too, the block is taken
    for text, so that nothing is lost.

    Returns:
        The metadata, empty without front matter, and the text behind it.
    """
    block = _BLOCK.match(text)
    if block is None or block.end() > _LIMIT:
        return Metadata(), text
    fields = _yaml_fields(block.group(1))
    if fields is None:
        fields = _line_fields(block.group(1))
    if fields is None:
        return Metadata(), text
    return metadata_from(fields), text[block.end() :]


def _yaml_fields(block: str) -> dict[str, str] | None:
    """Read scalars as text: `BaseLoader` builds nothing but strings, lists and mappings.

    Returns:
        The fields that are scalars; None when the block is no YAML mapping.
    """
    if block.count("[") + block.count("{") > _NESTED:
        return None
    try:
        found = yaml.load(block, Loader=yaml.BaseLoader)  # noqa: S506  # builds no objects
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    if not isinstance(found, dict):
        return None
    return {_name(key): value for key, value in found.items() if isinstance(value, str)}


def _line_fields(block: str) -> dict[str, str] | None:
    lines = [line for line in block.splitlines() if line.strip() and line[0] not in " \t-#"]
    matches = [_FIELD.match(line.rstrip()) for line in lines]
    if not all(matches):
        return None
    return {_name(m.group(1)): (m.group(2) or "").strip("\"' ") for m in matches if m is not None}


def _name(key: object) -> str:
    return "_".join(re.split(r"[\W_]+", str(key).strip().lower()))

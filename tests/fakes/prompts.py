"""What a request to a model shows and asks for, in any version of the prompts.

What a prompt asks for is read from the JSON schema of the answer, what it shows from its blocks of
data.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.fakes.messages_api import Recorded

_BLOCK = re.compile(r'<untrusted-data id="(\w+)">\n(.*?)\n</untrusted-data id="\1">', re.DOTALL)


def plain(text: str) -> str:
    """Put a text on one line, without the marks of its format."""
    return " ".join(re.sub(r"[#*_>|]", " ", text).split())


_ROLES = (
    ("planner", {"angles"}),
    ("reformulator", {"query"}),
    ("detector", {"contradictions"}),
    ("second look", {"confirmed"}),
    ("debater", {"remarks"}),
    ("verifier", {"sentences", "claims"}),
    ("reviser", {"sentences"}),
    ("writer or synthesiser", {"sections"}),
    ("synthesiser", {"answer"}),
    ("section", {"section"}),
    ("analyst", {"claims"}),
)
"""Who asks, by the fields of the answer: the first that has all of them."""


def role_of(request: Recorded) -> str:
    """Name who asks, by the shape of the answer."""
    fields = set((request.schema or {}).get("properties", {}))
    role = next(role for role, has in _ROLES if has <= fields)
    if role == "writer or synthesiser":
        given = Prompt(request).facts
        return "writer" if any("sections" in each for each in given) else "synthesiser"
    return role


class Prompt:
    """What a request shows."""

    def __init__(self, request: Recorded) -> None:
        self.text = request.said[0]
        blocks = [match[2] for match in _BLOCK.finditer(self.text)]
        said = filter(None, map(_parsed, blocks))
        self.facts = [each if isinstance(each, dict) else {"listed": each} for each in said]
        self.line = plain(" ".join(_strings(self.facts)))
        self.source = plain(
            max((each for each in blocks if not _parsed(each)), key=len, default="")
        )

    def fact(self, *names: str) -> Any:
        """Return the first of some facts that is there."""
        return next((each[name] for each in self.facts for name in names if name in each), None)

    @property
    def topic(self) -> str:
        """What the run is about."""
        return str(self.fact("topic", "question") or "")

    def named(self, *fields: str) -> list[dict[str, Any]]:
        """Everything with a name and one of some fields, each once."""
        found = {
            each["name"]: each
            for each in _dicts(self.facts)
            if "name" in each and any(name in each for name in fields)
        }
        return list(found.values())


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _dicts(each)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def filled(schema: Mapping[str, Any], root: Mapping[str, Any], known: Any) -> Any:
    """Give a value the shape of a schema: what is known stays, what else is needed is empty."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        if known is None:
            return None
        schema = next(each for each in schema["anyOf"] if each.get("type") != "null")
        return filled(schema, root, known)
    if "enum" in schema:
        return known if known in schema["enum"] else schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        known = known if isinstance(known, Mapping) else {}
        needed = schema.get("required", ())
        return {
            name: filled(each, root, known.get(name))
            for name, each in schema.get("properties", {}).items()
            if name in known or name in needed
        }
    if kind == "array":
        items = known if isinstance(known, list | tuple) else []
        return [filled(schema["items"], root, each) for each in items]
    empty = {"string": "", "number": 0.0, "integer": 0, "boolean": False}
    return empty.get(str(kind)) if known is None else known

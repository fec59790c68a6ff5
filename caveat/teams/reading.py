"""Reads a team from its TOML file; a mistake in it becomes one sentence naming file and field."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources.abc import Traversable
from typing import Any

from pydantic import ValidationError

from caveat.teams.mistakes import mistake
from caveat.teams.team import Team

_UNKNOWN = "extra_forbidden"
_SUBJECT = re.compile(r"\A(?:Value error, |(?:Input|String|Tuple) (?=should))")


def read(file: Traversable) -> Team:
    """Read a team file.

    Raises:
        PortFailure: the file cannot be read, is not TOML, or does not describe a team.
    """
    data = _table(file)
    try:
        return Team.model_validate(data)
    except ValidationError as error:
        # A misspelt field is both unknown and missing, and the spelling is what helps.
        first = min(error.errors(include_url=False), key=lambda each: each["type"] != _UNKNOWN)
        wrong = f"{_field(first['loc'], data)} {_complaint(first['type'], first['msg'])}"
        raise mistake(f"The team file {file} is wrong: {wrong}.", resource=str(file)) from None


def _table(file: Traversable) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8"))
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        why = "is not text in UTF-8"
    except tomllib.TOMLDecodeError as error:
        why = f"is not valid TOML: {error}"
    raise mistake(f"The team file {file} {why}.", resource=str(file))


def _complaint(kind: str, message: str) -> str:
    """Say a validation error in the words of somebody who writes a team file."""
    match kind:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is no field of a team file"
        case "string_too_short" | "too_short":
            return "is empty"
        case "model_type" | "model_attributes_type":
            return "should be a table"
        case "tuple_type":
            return "should be a list"
        case _:
            # Pydantic begins with what it validates: "Input should", "Tuple should".
            said = _SUBJECT.sub("", message)
            return said[0].lower() + said[1:]


def _field(place: Sequence[int | str], data: Mapping[str, Any]) -> str:
    match place:
        case ["specialists", int(index), *rest]:
            who = _who(index, data["specialists"][index])
            return f"{_path(rest)} of {who}" if rest else who
        case _:
            return _path(place)


def _who(index: int, specialist: object) -> str:
    name = specialist.get("name") if isinstance(specialist, dict) else None
    return f"specialist “{name}”" if isinstance(name, str) and name else f"specialist {index + 1}"


def _path(place: Sequence[int | str]) -> str:
    """Write `("queries", 0)` as people count: `queries[1]`."""
    text = ""
    for part in place:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")

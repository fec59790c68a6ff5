"""Answers by schema: how a model is told the shape of its answer, and how the answer is read.

What can be used of an answer is used: keys that nobody asked for are ignored, and where a list is
cut off or an item of it does not fit, the others are kept.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import getitem
from typing import Any, Generic, TypeVar

import anthropic
from pydantic import BaseModel, ValidationError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import ErrorDetails, from_json

M = TypeVar("M", bound=BaseModel)

_NAMED = 8  # mistakes that a model is told of: those beyond are mostly the same one again

_THOUGHT = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)


@dataclass(frozen=True)
class Reading(Generic[M]):
    value: M | None  # what fits; None where nothing does
    complaint: str | None = None  # what does not, for the model that wrote it; None for nothing
    kinds: tuple[str, ...] = ()  # names of the mistakes, which hold nothing of the answer


@dataclass(frozen=True)
class Shape(Generic[M]):
    answer: type[M]  # the model that the answer is validated with
    enforced: bool  # whether the server holds the answer to the schema; else the prompt asks for it

    @property
    def schema(self) -> dict[str, Any] | None:
        return build_schema(self.answer) if self.enforced else None

    @property
    def instructions(self) -> str:
        """What the prompt says about the shape; nothing where the server sees to it."""
        if self.enforced:
            return ""
        schema = json.dumps(build_schema(self.answer), ensure_ascii=False)
        return (
            "\n\nAnswer with one JSON object and nothing else: no greeting, no comment, no code"
            f" fence. It must fit this JSON Schema:\n{schema}\n"
        )

    def read(self, text: str) -> Reading[M]:
        """Read an answer, or as much of it as can be used."""
        if len(text) > _LONGEST or text.count("{") + text.count("[") > _MOST:
            return Reading(None, _EXCESS, ("too_long",))
        answer = _THOUGHT.sub("", text)
        whole = self._validate_answer(max(_find_objects(answer), key=len, default=answer))
        if whole.value is None and (start := _repair_cut_object(answer)) is not None:
            cut = self._validate_answer(start, is_cut=True)
            # It is asked for again whole: nobody knows what did not arrive.
            return Reading(cut.value, _CUT, ("json_invalid",)) if cut.value is not None else whole
        return whole

    def _validate_answer(self, written: str, *, is_cut: bool = False) -> Reading[M]:
        mistakes: list[ErrorDetails] = []
        left: str | None = written
        value = None
        while value is None and left is not None:
            try:
                value = self.answer.model_validate_json(left)
            except ValidationError as error:
                errors = error.errors(include_input=False, include_url=False, include_context=False)
                mistakes += errors
                left = _remove_mistakes(left, errors)
        # An empty list says that there is nothing: that was not what was said.
        if value is not None and (mistakes or is_cut):
            is_empty = not any(value.model_dump(exclude_defaults=True).values())
            value = None if is_empty else value
        if value is not None and not mistakes:
            return Reading(value)
        kinds = tuple(dict.fromkeys(mistake["type"] for mistake in mistakes))
        return Reading(value, _describe_mistakes(mistakes), kinds)


_CUT = "Your answer breaks off. Give the whole answer again."


@cache
def build_schema(answer: type[BaseModel]) -> dict[str, Any]:
    """Make the JSON schema that the API accepts; bounds become prose, so answers are validated."""
    return anthropic.transform_schema(answer.model_json_schema(schema_generator=_Untitled))


class _Untitled(GenerateJsonSchema):
    """Schemas without titles that repeat the names of their fields: every call pays for them."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


_LONGEST = 1_000_000  # characters of an answer: several times the room of any role
_MOST = 3_000  # lists and objects in all: no room holds so many that say something
_EXCESS = "Your answer is too long to be read. Give a shorter one."


def _describe_mistakes(mistakes: Sequence[ErrorDetails]) -> str:
    lines = [
        f"- {'.'.join(str(part) for part in each['loc']) or 'the whole answer'}: {each['msg']}"
        for each in mistakes[:_NAMED]
    ]
    return (
        "Your answer does not fit the schema:\n" + "\n".join(lines) + "\n"
        "Give the whole answer again, with this mended and nothing else changed."
    )


def _remove_mistakes(written: str, mistakes: Sequence[ErrorDetails]) -> str | None:
    """Take the items and fields out that hold mistakes; None where the whole is one."""
    try:
        data = json.loads(written)
    except (ValueError, RecursionError):
        return None
    doomed = {_find_part(data, mistake["loc"]) for mistake in mistakes}
    if () in doomed:
        return None

    def compute_depth(part: Sequence[int | str]) -> tuple[int, int]:
        return len(part), part[-1] if isinstance(part[-1], int) else 0

    # The deepest and the last first, so that this moves nothing that is still to go.
    for *path, last in sorted(doomed, key=compute_depth, reverse=True):
        holder = reduce(getitem, path, data)
        del holder[last]
    return json.dumps(data)


def _find_part(data: Any, path: Sequence[int | str]) -> tuple[int | str, ...]:
    """Find the path of the innermost item of a list on a path, else of the innermost field."""
    known: list[int | str] = []
    items = 0  # steps to the innermost item
    for step in path:
        if isinstance(data, str):  # its characters are no items
            break
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            break
        known.append(step)
        items = len(known) if isinstance(step, int) else items
    return tuple(known[:items] or known)


def _find_objects(text: str) -> Iterator[str]:
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at != -1:
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield text[at:end]
        at = text.find("{", end)


def _repair_cut_object(text: str) -> str | None:
    """Write what is whole of an object that was cut off; an item that lacks something falls."""
    try:
        data = from_json(text[text.find("{") :], allow_partial=True)
    except ValueError:
        return None
    return json.dumps(data) if isinstance(data, dict) and data else None

"""Answers by schema: how a model is told the shape of its answer, and how the answer is read."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

import anthropic
from pydantic import BaseModel, ValidationError

M = TypeVar("M", bound=BaseModel)

_NAMED = 8
"""Mistakes that a model is told of: those beyond are mostly the same one again."""

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
_THOUGHT = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)


@dataclass(frozen=True)
class Misfit:
    """An answer that does not fit its schema.

    Attributes:
        complaint: what is wrong, for the model that wrote it.
        kinds: names of the mistakes, which hold nothing of the answer.
    """

    complaint: str
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Shape(Generic[M]):
    """The shape of an answer.

    Attributes:
        answer: the model that the answer is validated with.
        enforced: whether the server holds the answer to the schema; else the prompt asks for it
            and the JSON is looked for between other words.
    """

    answer: type[M]
    enforced: bool

    @property
    def schema(self) -> dict[str, Any] | None:
        """The schema that the server is given, if it takes one."""
        return schema_of(self.answer) if self.enforced else None

    @property
    def instructions(self) -> str:
        """What the prompt says about the shape; nothing where the server sees to it."""
        if self.enforced:
            return ""
        schema = json.dumps(schema_of(self.answer), ensure_ascii=False)
        return (
            "\n\nAnswer with one JSON object and nothing else: no greeting, no comment, no code"
            f" fence. It must fit this JSON Schema:\n{schema}\n"
        )

    def read(self, text: str) -> M | Misfit:
        """Validate an answer."""
        written = text if self.enforced else _json_in(text)
        try:
            return self.answer.model_validate_json(written)
        except ValidationError as error:
            return _misfit(error)


@cache
def schema_of(answer: type[BaseModel]) -> dict[str, Any]:
    """Make the JSON schema that the API accepts; bounds become prose, so answers are validated."""
    return anthropic.transform_schema(answer)


def _misfit(error: ValidationError) -> Misfit:
    mistakes = error.errors(include_input=False, include_url=False, include_context=False)
    lines = [
        f"- {'.'.join(str(part) for part in each['loc']) or 'the whole answer'}: {each['msg']}"
        for each in mistakes[:_NAMED]
    ]
    complaint = (
        "Your answer does not fit the schema:\n" + "\n".join(lines) + "\n"
        "Give the whole answer again, with this mended and nothing else changed."
    )
    return Misfit(complaint, tuple(dict.fromkeys(each["type"] for each in mistakes)))


def _json_in(text: str) -> str:
    """Find the longest JSON object in a text; the text itself where there is none."""
    said = _THOUGHT.sub("", text)
    fenced = _FENCE.findall(said)
    return max(
        (found for each in (*fenced, said) for found in _objects(each)), key=len, default=said
    )


def _objects(text: str) -> Iterator[str]:
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at != -1:
        try:
            _, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            end = at + 1
        else:
            yield text[at:end]
        at = text.find("{", end)

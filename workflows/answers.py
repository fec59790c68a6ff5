"""From whatever a person's client sent to a ruling, or to a sentence that says what is wrong."""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import ValidationError
from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from caveat.contracts.contradiction import (
    REASON_LIMIT,
    Contradiction,
    LateRuling,
    Rejection,
    Ruling,
    Withdrawal,
)
from caveat.rendering.commands import list_choices
from caveat.rules.contradictions.choices import PAIR, NotOfferedError, normalise_choice

Answer = TypeVar("Answer", bound=Withdrawal)

EXAMPLE = '{"ruling": "both", "reason": "They differ in scope.", "decided_by": "Ada"}'

FORM = f"send one JSON object, for example {EXAMPLE}"


def describe_answer_form(values: int) -> str:
    """Say what to send about a contradiction of so many values."""
    return FORM if values == PAIR else FORM.replace("both", "all")


SENT = ("ruling", "reason", "decided_by", "signature")  # commands of this user add a signature

SAID: dict[str, str] = {
    "reason": f"`reason` must say why, in 1 to {REASON_LIMIT:,} characters",
    "decided_by": "`decided_by` must name who rules, in 1 to 200 characters, or be left out",
    "signature": "`signature` is made by `caveat rule` alone and must be left out",
}

LATEST = 20
"""Answers that are kept: nobody reads more, and thousands would fill the memory of a run."""

SHOWN = 200
"""Characters that are kept of an answer that was not accepted: enough to recognise it by."""

CONTROL = dict.fromkeys([*range(32), *range(127, 160)], " ")
"""Control characters, none of which a person types: databases refuse some of them."""


class Refused(ApplicationError):
    """What was sent cannot be accepted; its message says why, and it counts as no failure."""

    def __init__(self, sentence: str) -> None:
        benign = ApplicationErrorCategory.BENIGN
        super().__init__(sentence, type="refused", non_retryable=True, category=benign)


def read_answer(args: Sequence[Any], values: int = PAIR) -> Ruling:
    """Read what was sent as a ruling; `Refused` says in a sentence what is wrong with it."""
    match list(args):
        case [dict() as answer]:
            return _parse_answer(Ruling, answer, values)
        case []:
            wrong = "Nothing was sent"
        case [bytes()]:
            wrong = "What was sent cannot be read as JSON"
        case [_]:
            wrong = "What was sent is not a JSON object"
        case _:
            wrong = f"{len(args)} values were sent"
    raise Refused(f"{wrong}: {describe_answer_form(values)}.")


def parse_late_ruling(args: Sequence[Any], known: Mapping[str, Contradiction]) -> LateRuling:
    """Read an answer that names its contradiction.

    Args:
        args: one object with `contradiction_id` and a ruling's own fields. `"replaces": true`
            changes what a person ruled, and with it a null for the ruling withdraws that.
    """
    match list(args):
        case [dict() as answer] if isinstance(answer.get("contradiction_id"), str):
            name = answer["contradiction_id"]
        case _:
            raise Refused(f"It names no contradiction: {FORM}, and its id as `contradiction_id`.")
    own = {"contradiction_id", "replaces"}
    fields = {key: item for key, item in answer.items() if key not in own}
    replaces = answer.get("replaces") is True
    contradiction = known.get(name)
    values = len(contradiction.sides) if contradiction else PAIR
    if replaces and answer.get("ruling", "") is None:
        del fields["ruling"]
        withdrawal = _parse_answer(Withdrawal, fields, values)
        return LateRuling(contradiction_id=name, ruling=withdrawal, replaces=True)
    ruling = read_answer([fields], values)
    return LateRuling(contradiction_id=name, ruling=ruling, replaces=replaces)


def count_values(value: object) -> int:
    """Count a decoded value with all that is in it."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(count_values, inner))


@dataclass
class Rejections:
    """The latest answers that were not accepted, in words; the others are counted."""

    latest: deque[Rejection] = field(default_factory=lambda: deque(maxlen=LATEST))
    number: int = 0

    def add(self, args: Sequence[Any], refused: Refused) -> None:
        line = format_given(args)
        self.latest.append(Rejection(received=workflow.now(), reason=refused.message, given=line))
        self.number += 1


def format_given(args: Sequence[Any]) -> str:
    """Write what was sent in one line of at most `SHOWN` characters, for people to recognise it."""
    try:
        written = (
            json.dumps(list(args), default=_write_other, ensure_ascii=False)[1:-1] or "nothing"
        )
    except (TypeError, ValueError, RecursionError):  # keys that are no text, numbers without end
        written = "what cannot be shown"
    # Half a surrogate pair can be decoded but not sent on.
    line = " ".join(written.translate(CONTROL).encode(errors="replace").decode().split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"


def _parse_answer(kind: type[Answer], answer: dict[Any, Any], values: int) -> Answer:
    # Before the rest: an object may have more unknown fields than there is time to validate.
    how = describe_answer_form(values)
    unknown = next((" ".join(str(name).split())[:40] for name in answer if name not in SENT), None)
    if unknown is not None:
        raise Refused(f"A ruling has no field `{unknown}`: {how}.")
    try:
        parsed = kind.model_validate({name: _tidy(name, value) for name, value in answer.items()})
        if isinstance(parsed, Ruling):
            choice = normalise_choice(parsed.ruling, values)
            parsed = parsed.model_copy(update={"ruling": choice})
    except ValidationError as error:
        wrong = {str(mistake["loc"][0]) for mistake in error.errors(include_url=False)}
    except NotOfferedError:
        wrong = {"ruling"}
    else:
        return parsed
    mistakes = {"ruling": f"`ruling` must be {list_choices(values)}", **SAID}
    raise Refused("; ".join(mistakes[name] for name in SENT if name in wrong) + f": {how}.")


def _tidy(name: str, value: object) -> object:
    """Take out what cannot be meant: control characters, and how a choice is capitalised."""
    if not isinstance(value, str):
        return value
    text = value.translate(CONTROL)
    return text.strip().casefold() if name == "ruling" else text


def _write_other(value: object) -> str:
    data = value.payload.data if isinstance(value, RawValue) else value
    return data[:SHOWN].decode(errors="replace") if isinstance(data, bytes) else str(data)

"""Intake: from whatever a client sent to a request, or a clear no."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from temporalio import workflow

from workflows.endings import RunEnded

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.outcome import Ending
    from caveat.contracts.plan import ResearchRequest

EXAMPLE = '{"topic": "How fast is the universe expanding?"}'


def accept(given: Sequence[Any]) -> ResearchRequest:
    """Validate the arguments that a run was started with.

    Raises:
        RunEnded: they are not one research request; the message says what is wrong.
    """
    if len(given) != 1 or not isinstance(given[0], dict):
        raise _refused(f"A run takes one JSON object, for example {EXAMPLE}.")
    try:
        return ResearchRequest.model_validate(given[0])
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False, include_context=False)
        wrong = "; ".join(_said(problem["loc"], problem["msg"]) for problem in problems)
        raise _refused(f"The request is not valid: {wrong}. For example {EXAMPLE}.") from None


def _said(place: tuple[int | str, ...], message: str) -> str:
    # Enough of an unknown field's name to find it, not enough to fill a screen.
    name = ".".join(str(part) for part in place)[:60] or "request"
    return f"{name}: {message[:1].lower()}{message[1:]}"


def _refused(message: str) -> RunEnded:
    return RunEnded(Ending.INVALID_REQUEST, message)

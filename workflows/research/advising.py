"""Advice: what people tell a run while it looks for evidence, and who follows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from temporalio import workflow

from caveat.contracts.phase import Phase
from caveat.contracts.plan import ADVICE_LIMIT, TOPIC_LIMIT, Advice, Assignment, GivenAdvice
from caveat.workflows.answers import Refused, format_given
from caveat.workflows.research.run import Run

MOST = 20
"""Pieces of advice that one run takes: each is a search and three readings, and who has more to say
has another question."""

FOLLOWED = (
    "Kept: the angle whose turn comes next searches for it, all of them mind it in what they read "
    "from now on, and the report says that it was said."
)

_OPEN = (Phase.TAKING_STOCK, Phase.PLANNING, Phase.INVESTIGATING)
"""Phases in which something can still be looked for."""

_FIELDS = ("text", "by")


@dataclass(frozen=True)
class Advising:
    """What a run was told, and is told."""

    run: Run

    def check(self, given: Sequence[Any]) -> Advice:
        """Read advice, and say whether it can be followed."""
        advice = _read(given)
        state = self.run.state
        if state.phase not in _OPEN or (state.request is not None and state.request.rulings):
            raise Refused(
                f"{state.run_id} has looked at its sources already and is "
                f"{state.phase.replace('_', ' ')}, so it cannot follow you now. "
                "Research that question in a run of its own."
            )
        if len(state.advice) >= MOST:
            raise Refused(f"{state.run_id} was told {MOST} things already, and takes no more.")
        return advice

    def accept(self, given: Sequence[Any]) -> GivenAdvice:
        """Keep advice for the next turn of each angle."""
        advice = self.check(given)
        kept = GivenAdvice(text=advice.text, by=advice.by, given=workflow.now())
        self.run.state.advise(kept)
        return kept


def add_advice(assignment: Assignment, said: Sequence[Advice]) -> Assignment:
    """Have whoever reads for an assignment mind what was said."""
    if not said:
        return assignment
    texts = [each.text for each in said]
    also = " ".join(f"Mind this as well: {text}" for text in texts)
    queries = dict.fromkeys((*texts[-1:], *assignment.queries))
    return assignment.model_copy(
        update={
            "question": f"{assignment.question} {also}"[:TOPIC_LIMIT],
            "queries": tuple(queries)[:4],
        }
    )


def follow_advice(assignment: Assignment, text: str) -> Assignment:
    """Have whoever reads for an assignment look for what was said in the place of its angle."""
    question = f"{text} (while looking into: {assignment.question})"
    return assignment.model_copy(
        update={"title": text[:200], "question": question[:TOPIC_LIMIT], "queries": (text,)}
    )


def _read(given: Sequence[Any]) -> Advice:
    fields = given[0] if len(given) == 1 and isinstance(given[0], dict) else None
    if fields is None and 1 <= len(given) <= len(_FIELDS):
        fields = dict(zip(_FIELDS, given, strict=False))
    try:
        return Advice.model_validate(fields)
    except ValidationError:
        raise Refused(
            f"`{format_given(given)}` is no advice: send a text of 1 to {ADVICE_LIMIT} characters, "
            'for example {"text": "Also look at lensed quasars.", "by": "Ada"}.'
        ) from None

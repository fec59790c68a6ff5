"""Approval: what a person makes of a plan before anything is spent on it."""

from collections.abc import Iterator

from caveat.contracts.plan import MOST_ANGLES, Advice, Approval, Assignment, Plan

_TITLE = 80  # characters of an angle's question that serve as its title


class NotApplicable(ValueError):
    """A decision does not fit its plan; its text says why, in one sentence."""


def apply_approval(plan: Plan, decision: Approval) -> Plan:
    """Drop, edit and add angles as a person decided.

    Raises:
        NotApplicable: it names an angle that is not there, leaves none, or makes too many.
    """
    known = {each.id for each in plan.assignments}
    for name in (*decision.drop, *decision.edit):
        if name not in known:
            raise NotApplicable(
                f"The plan has no angle “{name[:40]}”: choose from {', '.join(sorted(known))}."
            )
    if len(decision.answers) > len(plan.questions):
        raise NotApplicable(f"The planner asked {len(plan.questions)} questions, and no more.")
    assignments = tuple(_build_assignments(plan, decision))
    if not 1 <= len(assignments) <= MOST_ANGLES:
        count = len(assignments)
        raise NotApplicable(f"A plan has 1 to {MOST_ANGLES} angles, and this one {count}.")
    return plan.model_copy(update={"assignments": assignments, "questions": ()})


def collect_advice(plan: Plan, decision: Approval) -> tuple[Advice, ...]:
    """Take the answers to the planner's questions for advice that every angle minds."""
    pairs = zip(plan.questions, decision.answers, strict=False)
    return tuple(
        Advice(text=f"{question} {answer}", by=decision.by) for question, answer in pairs if answer
    )


def _build_assignments(plan: Plan, decision: Approval) -> Iterator[Assignment]:
    for each in plan.assignments:
        if each.id not in decision.drop:
            text = decision.edit.get(each.id)
            yield each if text is None else each.model_copy(update=_build_angle_fields(text))
    for number, text in enumerate(decision.add, start=len(plan.assignments) + 1):
        yield Assignment.model_validate({"id": f"a{number}", **_build_angle_fields(text)})


def _build_angle_fields(text: str) -> dict[str, object]:
    title = text if len(text) <= _TITLE else f"{text[: _TITLE - 1]}…"
    return {"title": title, "question": text, "queries": (text,)}

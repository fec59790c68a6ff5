"""Approval: what a person makes of a plan before anything is spent on it."""

from collections.abc import Iterator

from caveat.contracts.plan import MOST_ANGLES, TOPIC_LIMIT, Approval, Assignment, Plan
from caveat.rules.lines import shorten

_TITLE = 80  # characters of an angle's question that serve as its title


class NotApplicableError(ValueError):
    """A decision that does not fit its plan; the message says why."""


def apply_approval(plan: Plan, decision: Approval) -> Plan:
    """Apply a person's decision to a plan; the planner's answered questions go to each angle.

    Raises:
        NotApplicableError: an unknown angle, no angle left, or too many.
    """
    known = {each.id for each in plan.assignments}
    for name in (*decision.drop, *decision.edit):
        if name not in known:
            raise NotApplicableError(
                f"The plan has no angle “{name[:40]}”: choose from {', '.join(sorted(known))}."
            )
    if len(decision.answers) > len(plan.questions):
        raise NotApplicableError(f"The planner asked {len(plan.questions)} questions and no more.")
    assignments = tuple(_build_assignments(plan, decision))
    if not 1 <= len(assignments) <= MOST_ANGLES:
        count = len(assignments)
        raise NotApplicableError(f"A plan has 1 to {MOST_ANGLES} angles, and this one {count}.")
    return plan.model_copy(update={"assignments": assignments, "questions": ()})


def _build_assignments(plan: Plan, decision: Approval) -> Iterator[Assignment]:
    pairs = zip(plan.questions, decision.answers, strict=False)
    minded = "".join(f" Mind this as well: {wanted} {answer}" for wanted, answer in pairs if answer)
    angles = [each for each in plan.assignments if each.id not in decision.drop]
    for number, text in enumerate(decision.add, start=len(plan.assignments) + 1):
        title = shorten(text, _TITLE)
        angles.append(Assignment(id=f"a{number}", title=title, question=text, queries=(text,)))
    for each in angles:
        edited = decision.edit.get(each.id)  # its title stays
        question = f"{edited or each.question}{minded}"[:TOPIC_LIMIT]
        queries = each.queries if edited is None else (edited,)
        yield each.model_copy(update={"question": question, "queries": queries})

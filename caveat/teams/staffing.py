"""From a team to the assignments of a run, and which of them the run cannot do without."""

from collections.abc import Sequence

from caveat.contracts.plan import TOPIC_LIMIT, Assignment
from caveat.failures import PortFailure
from caveat.teams.team import PLACEHOLDER, Specialist, Team, mistake, same

_TOPIC_OF_QUERY = 200
"""Characters of a topic that a query repeats: some thirty words, and searches read no more."""


def assigned(team: Team, topic: str) -> tuple[Assignment, ...]:
    """Give each specialist an assignment, in the team's order; none to a team without any."""
    return tuple(
        _assignment(specialist, topic, number)
        for number, specialist in enumerate(team.specialists, start=1)
    )


def with_critical(
    assignments: Sequence[Assignment], wanted: Sequence[str], team: Team
) -> tuple[Assignment, ...]:
    """Mark the assignments that a request cannot do without, beside the team's own.

    Args:
        assignments: of the plan; in the order of the specialists, if the team has any.
        wanted: titles, or names of specialists; case and white space do not count.
        team: who works on the run.

    Raises:
        PortFailure: something wanted is no assignment; the sentence names those that there are.
    """
    called = [{same(assignment.title)} for assignment in assignments]
    for names, specialist in zip(called, team.specialists, strict=False):
        names.add(same(specialist.name))
    for name in wanted:
        if not any(same(name) in names for names in called):
            raise _nobody(name, assignments, team)
    keys = {same(name) for name in wanted}
    return tuple(
        assignment if keys.isdisjoint(names) else assignment.model_copy(update={"critical": True})
        for assignment, names in zip(assignments, called, strict=True)
    )


def _assignment(specialist: Specialist, topic: str, number: int) -> Assignment:
    brief = specialist.brief
    times = max(1, brief.count(PLACEHOLDER))
    room = (TOPIC_LIMIT - len(brief)) // times
    subject = _cut(topic.rstrip(" ?!.") or topic, _TOPIC_OF_QUERY)
    return Assignment(
        id=f"a{number}",
        title=specialist.title,
        question=brief.replace(PLACEHOLDER, _cut(topic, room)),
        queries=tuple(query.replace(PLACEHOLDER, subject) for query in specialist.queries),
        critical=specialist.critical,
        instructions=specialist.instructions,
        figures=specialist.figures,
        needs_figure=specialist.needs_figure,
        agent=specialist.agent,
        patience_s=specialist.patience,
    )


def _cut(topic: str, room: int) -> str:
    """Shorten a topic at a word, and a word that alone has no room."""
    if len(topic) <= room:
        return topic
    return topic[: room - 1].rsplit(" ", 1)[0] + "…"


def _nobody(name: str, assignments: Sequence[Assignment], team: Team) -> PortFailure:
    if team.specialists:
        subject = f"No specialist is called “{name}”"
        there = [f"{member.name} ({member.title})" for member in team.specialists]
    else:
        subject = f"No angle of the plan is titled “{name}”"
        there = [f"“{assignment.title}”" for assignment in assignments]
    sentence = f"{subject}; those that can be critical are: {', '.join(there)}."
    return mistake(sentence, resource=name)

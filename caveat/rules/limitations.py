"""*Data Limitations*: written by code from the failure envelopes, never by a model."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from caveat.contracts.envelope import AgentType
from caveat.contracts.failure import FailureType
from caveat.contracts.report import Limitation, ReportedFailure

NAMED = 5
"""How many failures of one sort are named in the text; the report's failures list them all."""

CONSEQUENCE: dict[AgentType, str] = {
    AgentType.LIBRARIAN: "Whatever these documents say is missing from every section.",
    AgentType.PLANNER: "Angles or searches that it would have proposed were not tried.",
    AgentType.SEARCHER: "Sources that only this search would have found are missing.",
    AgentType.READER: "Whatever these sources say is missing, also where it would contradict.",
    AgentType.ANALYST: "These sources were read, but nothing from them supports the conclusions.",
    AgentType.SYNTHESISER: "The prose may be less complete than the claims.",
    AgentType.AUDITOR: "The report was not checked.",
    AgentType.PUBLISHER: "Some of the formats that were asked for are missing.",
    AgentType.ARCHIVIST: "Later runs do not know of this one; its conclusions do not change.",
    AgentType.HERALD: "Somebody may not have been told of this run; its conclusions do not change.",
}

SUBJECT: dict[AgentType, str] = {
    AgentType.LIBRARIAN: "Documents of the corpus",
    AgentType.PLANNER: "Plan",
    AgentType.SEARCHER: "Searches",
    AgentType.READER: "Sources that were found",
    AgentType.ANALYST: "Sources that were read",
    AgentType.SYNTHESISER: "Prose",
    AgentType.AUDITOR: "Audit",
    AgentType.PUBLISHER: "Publication",
    AgentType.ARCHIVIST: "Memory",
    AgentType.HERALD: "Notifications",
}


def limitations(failures: Sequence[ReportedFailure]) -> tuple[Limitation, ...]:
    """Say what is missing, why, and what that means: one entry a role and sort of failure."""
    ordered = sorted(failures, key=_sort)
    return tuple(_limitation(kind, list(group)) for kind, group in groupby(ordered, key=_sort))


def _sort(failed: ReportedFailure) -> tuple[AgentType, FailureType, str]:
    return failed.agent_type, failed.failure.failure_type, failed.failure.category


def _limitation(
    kind: tuple[AgentType, FailureType, str], group: list[ReportedFailure]
) -> Limitation:
    agent, failure_type, category = kind
    tried = max(failed.attempts for failed in group)
    times = "once" if tried == 1 else f"up to {tried} times"
    sentences = _listed(failed.failure.message for failed in group)
    name = failure_type.replace("_", " ")
    return Limitation(
        area=f"{SUBJECT[agent]}: {len(group)} failed",
        why=f"{category.capitalize()} failure ({name}), tried {times}. {sentences}",
        consequence=CONSEQUENCE[agent],
        task_ids=tuple(failed.task_id for failed in group),
    )


def _listed(messages: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(messages))
    more = len(distinct) - NAMED
    return " ".join(distinct[:NAMED]) + (f" And {more} more." if more > 0 else "")

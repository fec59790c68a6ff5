"""*Data Limitations*: written by code from the failure envelopes, never by a model."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from caveat.contracts.envelope import AgentType, FailureType
from caveat.contracts.report import Limitation, Report, ReportedFailure
from caveat.contracts.source import Unread, UnreadSort
from caveat.contracts.synthesis import Reader, Verification
from caveat.rules.evidence.claims import build_sort_key
from caveat.rules.lines import join_names, pluralise
from caveat.rules.sources.unread import group_unread

ROOM = 60_000
"""Tokens of claims in one prompt: beyond that models overlook what stands in the middle."""

NAMED = 5
"""How many failures of one sort are named in the text; the report's failures list them all."""

CONSEQUENCE: dict[str, str] = {
    AgentType.LIBRARIAN: "What these documents say is missing from every section.",
    AgentType.PLANNER: "Angles or searches that it would have proposed were not tried.",
    AgentType.SEARCHER: "Sources that only this search would have found are missing.",
    AgentType.READER: "What these sources say is missing, also where it would contradict.",
    AgentType.ANALYST: "What else these sources say is missing, also where it would contradict.",
    AgentType.OUTSIDE: "What this agent has not sent is missing from its section.",
    AgentType.MESSENGER: "Somebody elsewhere may not have been told; conclusions do not change.",
    AgentType.DETECTOR: "Claims that disagree may stand side by side, unmarked.",
    AgentType.DEBATER: "The claims were not examined through this participant's lens.",
    AgentType.CLERK: "People's rulings count for less in track records than they should.",
    AgentType.SYNTHESISER: "The prose may be less complete than the claims.",
    AgentType.VERIFIER: "Sentences that nobody could read are left out.",
    AgentType.AUDITOR: "The report was not checked.",
    AgentType.PUBLISHER: "Some of the formats that were asked for are missing.",
    AgentType.ARCHIVIST: "Later runs do not know of this one; its conclusions do not change.",
    AgentType.GATEKEEPER: "Everything that needs this provider was left out.",
    AgentType.HERALD: "Somebody may not have been told of this run; its conclusions do not change.",
}

MADE_GOOD = "Another attempt, source or query brought what these did not."

SUBJECT: dict[str, str] = {
    AgentType.LIBRARIAN: "Documents of the corpus",
    AgentType.PLANNER: "Plan",
    AgentType.SEARCHER: "Searches",
    AgentType.READER: "Sources that were found",
    AgentType.ANALYST: "Sources that were read",
    AgentType.OUTSIDE: "Agents elsewhere",
    AgentType.MESSENGER: "Messages",
    AgentType.DETECTOR: "Comparison of the claims",
    AgentType.DEBATER: "Debate",
    AgentType.CLERK: "People's rulings",
    AgentType.SYNTHESISER: "Prose",
    AgentType.VERIFIER: "Verification of the prose",
    AgentType.AUDITOR: "Audit",
    AgentType.PUBLISHER: "Publication",
    AgentType.ARCHIVIST: "Memory",
    AgentType.HERALD: "Notifications",
    AgentType.GATEKEEPER: "Credentials",
}


def describe_failures(failures: Sequence[ReportedFailure]) -> tuple[Limitation, ...]:
    """Say what is missing, why, and what that means: one entry a role and sort of failure."""
    # What was made good is said too, last: nothing that failed disappears. In which order tasks
    # failed plays no part: models are told this too, and must be told the same of the same
    # failures.
    # What a budget left out has an entry of its own.
    tried = (failed for failed in failures if failed.left_out is None)
    ordered = sorted(
        tried, key=lambda failed: (*_build_group_key(failed), build_sort_key(failed.task_id))
    )
    return tuple(
        _describe_failure_group(kind, list(group))
        for kind, group in groupby(ordered, key=_build_group_key)
    )


_UNREAD = {
    UnreadSort.OWN_REPORT: (
        "{said}",
        "A report is made of sources and is none itself: {names}.",
        "Nothing in this report rests on them.",
    ),
    UnreadSort.PART: (
        "Documents that were not read whole",
        "{said}.",
        "What was not read there may be missing, also where it would contradict.",
    ),
    UnreadSort.FORMAT: (
        "Files that were not looked at",
        "In the corpus there are also {said}.",
        "What they say is missing; what is read ends in .pdf, .docx, .html, .md, .txt and such.",
    ),
}


def describe_unread_files(unread: Sequence[Unread]) -> tuple[Limitation, ...]:
    """Say which files of the corpus were not looked at, and which were set aside as reports."""
    return tuple(
        Limitation(
            area=area.format(said=said),
            why=why.format(said=said, names=names),
            consequence=consequence,
        )
        for sort, said, names in group_unread(unread)
        for area, why, consequence in [_UNREAD[sort]]
    )


def describe_unpublished(report: Report) -> tuple[Limitation, ...]:
    """Say how many quotes were rejected, and which sentences are left out."""
    limitations = []
    if rejected := sum(each.effort.rejected_quotes for each in report.sections):
        limitations.append(
            Limitation(
                area=f"Quotes that were rejected: {rejected}",
                why="Their source has not these words, or tells writers to write them.",
                consequence="The statements that rested on them are not used.",
            )
        )
    verification = report.verification or Verification()
    if left_out := verification.left_out:
        unread = sum(each.is_unread for each in left_out)
        by_code = sum(each.by is Reader.CODE for each in left_out) - unread
        reasons = {
            "The verifier found no quote that carries {}.": len(left_out) - by_code - unread,
            "In {} a number, a quotation or the language did not pass its check.": by_code,
            "The verifier could not read {}.": unread,
        }
        titles = {each.assignment_id: f"“{each.title}”" for each in report.sections}
        places = Counter(
            "the answer" if each.of_answer else titles.get(each.section, "") for each in left_out
        )
        told = [f"{count} of them stood in {place}" for place, count in places.items() if place]
        lost = f"; {join_names(told)}" if told else ""
        limitations.append(
            Limitation(
                area=f"Sentences that were left out: {len(left_out)}",
                why=" ".join(
                    sentence.format(f"{count} {pluralise('sentence', count)}")
                    for sentence, count in reasons.items()
                    if count
                ),
                consequence=f"What they said is not in this report{lost}.",
            )
        )
    return tuple(limitations)


def describe_unshown(claims: int) -> tuple[Limitation, ...]:
    """Say how many claims the synthesiser was not shown; nothing where it saw all."""
    if not claims:
        return ()
    return (
        Limitation(
            area=f"Claims that were not written about: {claims:,}",
            why=f"The synthesis has room for some {ROOM:,} tokens of claims.",
            consequence=(
                "The most relevant ones were shown, and every side of each dispute; the others "
                "stand in the evidence alone."
            ),
        ),
    )


def _build_group_key(failed: ReportedFailure) -> tuple[bool, str, FailureType, str]:
    failure = failed.failure
    return failed.recovered, failed.agent_type, failure.failure_type, failure.category


def _describe_failure_group(
    kind: tuple[bool, str, FailureType, str], group: list[ReportedFailure]
) -> Limitation:
    recovered, agent, failure_type, category = kind
    name = failure_type.replace("_", " ")
    messages = list(dict.fromkeys(failed.failure.message for failed in group))
    attempts = max(failed.attempts for failed in group)
    times = {0: "not tried", 1: "tried once"}.get(attempts, f"tried up to {attempts} times")
    remedies = dict.fromkeys(failed.remedy for failed in group if failed.remedy is not None)
    times += "".join(f", then: {remedy.replace('_', ' ')}" for remedy in remedies)
    more = len(messages) - NAMED
    sentences = " ".join(messages[:NAMED]) + (f" And {more} more." if more > 0 else "")
    outcome = "failed and made good" if recovered else "failed"
    return Limitation(
        area=f"{SUBJECT.get(agent, agent.capitalize())}: {len(group)} {outcome}",
        why=f"{category.capitalize()} failure ({name}), {times}. {sentences}",
        consequence=MADE_GOOD
        if recovered
        else CONSEQUENCE.get(agent, "What it would have brought is missing."),
        task_ids=tuple(failed.task_id for failed in group),
    )

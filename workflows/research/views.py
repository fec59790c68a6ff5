"""How a run ends by name, and what is read off it: progress, evidence, a record."""

import datetime as dt
from typing import Any

from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.envelope import AgentType, R, SubagentResult
from caveat.contracts.outcome import (
    Artifact,
    Ending,
    Evidence,
    FoundSource,
    Material,
    NamedEnd,
    Progress,
)
from caveat.contracts.plan import Answerers
from caveat.contracts.report import Report
from caveat.contracts.source import Claim, SourceRef
from caveat.contracts.tasks import NOTICE_LIMIT, NoticeKind
from caveat.problem import InternalError
from caveat.rules.evidence.claims import build_sort_key, list_claims, select_cited_sources
from caveat.rules.report.appraisal import count_lost_readings
from caveat.rules.run.recovery import count_recovered
from caveat.workflows.research.run import Run

NO_FAILURE = frozenset(
    {
        Ending.INVALID_REQUEST,
        Ending.CORPUS_UNUSABLE,
        Ending.BUDGET_TOO_SMALL,
        Ending.PLAN_NOT_APPROVED,
        Ending.NOTHING_TO_FOLLOW_UP,
        Ending.INSUFFICIENT_EVIDENCE,
        Ending.CANCELLED,
    }
)
"""Ends in which all was done that could be: it lay with what was asked, or there was nothing to be
found. Rates of failing runs leave them out; in the others something could not be done."""


class RunEnded(InternalError):
    """A step of the run cannot go on; the subject is whom its end is about, if anybody."""

    def __init__(self, ending: Ending, message: str, subject: str | None = None) -> None:
        super().__init__(message)
        self.ending = ending
        self.message = message
        self.subject = subject


def require_result(envelope: SubagentResult[R], ending: Ending) -> R:
    if envelope.result is None:
        raise RunEnded(ending, envelope.failure.message if envelope.failure else "Nothing came.")
    return envelope.result


def require_better(run: Run, done: frozenset[AgentType]) -> None:
    """End a follow-up by name that has nothing to say beyond the report that it revises."""
    scope = run.scope
    if scope is None or run.earlier is None or run.earlier.report is None or scope.writes:
        return
    waits = any(failed.agent_type not in done for failed in scope.retried)
    if waits or count_recovered(scope, run.failures) > 0:
        return
    if run.left_out:
        bounds = ", ".join(run.left_out)
        why = f"The budget of {bounds} left out what was to be tried again."
    else:
        last = next(failure for failure in reversed(run.failures) if not failure.recovered)
        why = f"What was tried again failed again: {last.failure.message}"
    stays = f"The report of {run.earlier.run_id} stays as it was."
    raise RunEnded(Ending.NOTHING_RECOVERED, f"{why} {stays}")


def describe_end(run_id: str, ended: RunEnded, evidence: Artifact | None) -> tuple[NoticeKind, str]:
    """Say how a run ended that has no report, and where its evidence lies."""
    is_cancelled = ended.ending is Ending.CANCELLED
    where = f" What it found is in {evidence.path}" if evidence else ""
    words = "was cancelled." if is_cancelled else f"ended as {ended.ending}: {ended.message}"
    kind = NoticeKind.CANCELLED if is_cancelled else NoticeKind.FAILED
    return kind, f"{run_id} {words}{where}"[:NOTICE_LIMIT]


def build_progress(run: Run) -> Progress:
    return Progress(**_collect_facts(run))


def collect_claims(run: Run) -> dict[str, Claim]:
    """Every claim of the run once, in the order of their names, by id."""
    return {claim.id: claim for claim in list_claims(run.findings)}


def collect_sources(run: Run) -> dict[str, SourceRef]:
    return select_cited_sources(list_claims(run.findings), _sort_shelf(run))


def build_claims_input(run: Run) -> dict[str, Any]:
    """What a task that looks through all claims is given."""
    claims, sources = list_claims(run.findings), collect_sources(run)
    return {"claims": claims, "sources": tuple(sources.values())}


def open_contradictions(run: Run) -> tuple[Contradiction, ...]:
    return tuple(each for each in run.contradictions.values() if each.is_open)


def build_material(run: Run, now: dt.datetime) -> Material:
    facts = _collect_facts(run)
    facts["failures"] = sorted(run.failures, key=lambda failed: build_sort_key(failed.task_id))
    lost = count_lost_readings(run.failures)
    if run.inventory is not None and run.inventory.beyond:  # the pages that were wanted
        facts["documents"] = sum(entry.reading is not None for entry in run.shelf.values())
    else:
        facts["documents"] = max(0, (facts["documents"] or 0) - lost)
    facts["earlier"] = (run.earlier.run_id, run.earlier.report) if run.earlier else None
    waited = run.waited + run.waited_for_provider
    return Material(**facts, waiting_seconds=waited.total_seconds(), now=now)


def build_evidence(
    run: Run, now: dt.datetime, report: Report | None, ended: RunEnded | None
) -> Evidence:
    """Everything found, for people to look at and for a follow-up to go on with."""
    ending = {"ending": ended and ended.ending, "reason": ended.message if ended else ""}
    return Evidence(**{**_collect_facts(run), **ending, "created": now, "report": report})


def build_named_end(run: Run, ended: RunEnded, evidence: Artifact | None) -> ApplicationError:
    """The failure that Temporal shows: its type is the ending and its subject, its detail typed."""
    facts = _collect_facts(run)
    detail = NamedEnd(**facts, ending=ended.ending, message=ended.message, evidence=evidence)
    name = f"{ended.ending}: {ended.subject}" if ended.subject else ended.ending
    failed = ended.ending not in NO_FAILURE
    category = ApplicationErrorCategory.UNSPECIFIED if failed else ApplicationErrorCategory.BENIGN
    return ApplicationError(ended.message, detail, type=name, non_retryable=True, category=category)


def _collect_facts(run: Run) -> dict[str, Any]:
    """The one record of a run: each view takes the fields that it has, and ignores the others."""
    inventory, usage = run.inventory, run.usage
    return vars(run) | {
        "shelf": _sort_shelf(run),
        "contradictions": tuple(run.contradictions.values()),
        "assignments": tuple(run.angle_progress.values()),
        "left_out": tuple(run.left_out.values()),
        "answered": run.answered + (run.earlier.answered if run.earlier else Answerers()),
        "backend": run.route.backend,
        "documents": inventory.documents if inventory else None,
        "unread": inventory.unread if inventory else (),
        "model_calls": usage.model_calls,
        "tokens": usage.input_tokens + usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }


def _sort_shelf(run: Run) -> tuple[FoundSource, ...]:
    """The shelf by id: in which order its sources were found is chance, and models see it."""
    return tuple(run.shelf[name] for name in sorted(run.shelf))

"""What is read off the state of a run: for people, for a report, for a follow-up, for memory."""

import datetime as dt
from dataclasses import fields
from typing import Any

from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.investigation import FoundSource
from caveat.contracts.material import Material
from caveat.contracts.outcome import Artifact, Ending, Evidence, NamedEnd, RunRecord
from caveat.contracts.plan import Answerers
from caveat.contracts.progress import Progress
from caveat.contracts.report import Report
from caveat.contracts.source import SourceRef
from caveat.rules.evidence import build_sort_key, list_claims, select_cited_sources
from caveat.rules.report import count_lost_readings
from caveat.rules.run.budget import list_step_usage
from caveat.workflows.research.ending import NO_FAILURE, RunEnded
from caveat.workflows.research.state import State


def build_progress(state: State) -> Progress:
    """The run at a glance."""
    return Progress(**_collect_facts(state))


def collect_claims(state: State) -> tuple[Claim, ...]:
    """Every claim of the run once, in the order of their names."""
    return list_claims(state.findings)


def collect_sources(state: State) -> dict[str, SourceRef]:
    """The sources of the claims, by id."""
    return select_cited_sources(collect_claims(state), _sort_shelf(state))


def build_claims_input(state: State) -> dict[str, Any]:
    """What a task that looks through all claims is given."""
    return {"claims": collect_claims(state), "sources": tuple(collect_sources(state).values())}


def open_contradictions(state: State) -> tuple[Contradiction, ...]:
    """Those that are not settled yet, in order of detection."""
    return tuple(each for each in state.contradictions.values() if each.is_open)


def list_awaited(state: State) -> tuple[Contradiction, ...]:
    """Those of them that the final report waits for."""
    return tuple(each for each in state.contradictions.values() if each.is_awaited)


def build_material(state: State, now: dt.datetime) -> Material:
    """Everything that a report is assembled from."""
    facts = _collect_facts(state)
    facts["failures"] = sorted(state.failures, key=lambda failed: build_sort_key(failed.task_id))
    facts["documents"] = max(0, _count_known_documents(state) - count_lost_readings(state.failures))
    facts["earlier"] = (state.earlier.run_id, state.earlier.report) if state.earlier else None
    waited = state.waited + state.waited_for_provider
    return Material(**facts, waiting_seconds=waited.total_seconds(), now=now)


def build_evidence(
    state: State, now: dt.datetime, report: Report | None, ended: RunEnded | None
) -> Evidence:
    """Everything found, for people to look at and for a follow-up to go on with."""
    ending = {"ending": ended.ending, "reason": ended.message} if ended else _REPORTED
    return Evidence(**{**_collect_facts(state), **ending, "created": now, "report": report})


_REPORTED = {"ending": None, "reason": ""}


def build_record(state: State, now: dt.datetime, ending: Ending | None) -> RunRecord:
    """What memory keeps of a run; `ending` is None when it has a report."""
    return RunRecord(
        **_collect_facts(state),
        ending=ending,
        finished=now,
        sources_read=_count_read_sources(state),
        claims=sum(len(found.claims) for found in state.findings),
    )


def build_named_end(state: State, ended: RunEnded, evidence: Artifact | None) -> ApplicationError:
    """The failure that Temporal shows: its type is the ending and its subject, its detail typed."""
    facts = _collect_facts(state)
    detail = NamedEnd(**facts, ending=ended.ending, message=ended.message, evidence=evidence)
    name = f"{ended.ending}: {ended.subject}" if ended.subject else ended.ending
    failed = ended.ending not in NO_FAILURE
    category = ApplicationErrorCategory.UNSPECIFIED if failed else ApplicationErrorCategory.BENIGN
    return ApplicationError(ended.message, detail, type=name, non_retryable=True, category=category)


def _collect_facts(state: State) -> dict[str, Any]:
    """The one record of a run: each view takes the fields that it has, and ignores the others."""
    inventory, usage = state.inventory, state.usage
    return {each.name: getattr(state, each.name) for each in fields(state)} | {
        "shelf": _sort_shelf(state),
        "contradictions": tuple(state.contradictions.values()),
        "assignments": tuple(state.angle_progress.values()),
        "left_out": tuple(state.left_out.values()),
        "answered": state.answered + (state.earlier.answered if state.earlier else Answerers()),
        "backend": state.route.backend,
        "documents": inventory.documents if inventory else None,
        "unread": inventory.unread if inventory else (),
        "model_calls": usage.model_calls,
        "tokens": usage.input_tokens + usage.output_tokens,
        "cost_usd": usage.cost_usd,
        "usage_by_step": list_step_usage(state.used),
    }


def _sort_shelf(state: State) -> tuple[FoundSource, ...]:
    """The shelf by id: in which order its sources were found is chance, and models see it."""
    return tuple(state.shelf[name] for name in sorted(state.shelf))


def _count_read_sources(state: State) -> int:
    read = (kept for kept in state.shelf.values() if kept.reading is not None)
    return sum(not kept.scanned for kept in read)


def _count_known_documents(state: State) -> int:
    """Documents of the corpus or, where the web is searched, the pages that were wanted."""
    if state.inventory is None or not state.inventory.beyond:
        return state.inventory.documents if state.inventory else 0
    return _count_read_sources(state) + count_lost_readings(state.failures)

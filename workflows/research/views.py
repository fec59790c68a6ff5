"""What is read off the state of a run: for people, for a report, for a follow-up, for memory."""

import datetime as dt
from typing import Any

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.investigation import FoundSource
from caveat.contracts.material import Material
from caveat.contracts.outcome import Ending, Evidence, RunRecord
from caveat.contracts.plan import Answerers
from caveat.contracts.progress import Progress
from caveat.contracts.report import Report
from caveat.contracts.source import SourceRef
from caveat.rules.evidence import build_sort_key, list_claims, select_cited_sources
from caveat.rules.report import count_lost_readings
from caveat.rules.run.budget import list_step_usage
from caveat.workflows.research.ending import RunEnded
from caveat.workflows.research.state import State


def build_progress(state: State) -> Progress:
    """The run at a glance."""
    return Progress(
        run_id=state.run_id,
        topic=state.topic,
        phase=state.phase,
        started=state.started,
        phases=state.phases,
        backend=state.route.backend,
        documents=state.inventory.documents if state.inventory else None,
        unread=state.inventory.unread if state.inventory else (),
        proposal=state.proposal,
        provider_wait=state.provider_wait,
        assignments=tuple(state.lines.values()),
        failures=state.failures,
        contradictions=tuple(state.contradictions.values()),
        rejections=state.rejections,
        rejected=state.rejected,
        provisional=state.provisional,
        provisional_files=state.provisional_files,
        provisional_problem=state.provisional_problem,
        confidence=state.confidence,
        problem=state.problem,
        **_build_spending(state),
    )


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
    if state.request is None or state.inventory is None or state.plan is None:
        raise RuntimeError("a report cannot be assembled before there is a plan")
    return Material(
        run_id=state.run_id,
        request=state.request,
        plan=state.plan,
        findings=state.findings,
        shelf=_sort_shelf(state),
        contradictions=tuple(state.contradictions.values()),
        debate=state.debate,
        methods=state.methods,
        waiting_seconds=(state.waited + state.waited_for_provider).total_seconds(),
        failures=tuple(sorted(state.failures, key=lambda failed: build_sort_key(failed.task_id))),
        documents=max(0, _count_known_documents(state) - count_lost_readings(state.failures)),
        unread=state.inventory.unread,
        usage=state.usage,
        usage_by_step=list_step_usage(state.used),
        answered=_merge_answerers(state),
        tasks=state.tasks,
        left_out=tuple(state.left_out.values()),
        unwritten_for=state.unwritten_for,
        earlier=(state.earlier.run_id, state.earlier.report) if state.earlier else None,
        since=state.since,
        started=state.started,
        now=now,
    )


def build_evidence(
    state: State, now: dt.datetime, report: Report | None, ended: RunEnded | None
) -> Evidence:
    """Everything found, for people to look at and for a follow-up to go on with."""
    if state.request is None:
        raise RuntimeError("a run without a request has no evidence")
    return Evidence(
        run_id=state.run_id,
        topic=state.topic,
        ending=ended.ending if ended else None,
        reason=ended.message if ended else "",
        created=now,
        started=state.started,
        phases=state.phases,
        request=state.request,
        inventory=state.inventory,
        plan=state.plan,
        findings=state.findings,
        shelf=_sort_shelf(state),
        contradictions=tuple(state.contradictions.values()),
        debate=state.debate,
        failures=state.failures,
        report=report,
        backend=state.route.backend,
        answered=_merge_answerers(state),
        **_build_spending(state),
    )


def build_record(state: State, now: dt.datetime, ending: Ending | None) -> RunRecord:
    """What memory keeps of a run; `ending` is None when it has a report."""
    return RunRecord(
        run_id=state.run_id,
        topic=state.topic,
        ending=ending,
        started=state.started,
        finished=now,
        confidence=state.confidence,
        sources_read=_count_read_sources(state),
        claims=sum(len(found.claims) for found in state.findings),
        failures=state.failures,
        **_build_spending(state),
    )


def _build_spending(state: State) -> dict[str, Any]:
    """The fields of a `Spending`."""
    return {
        "model_calls": state.usage.model_calls,
        "tokens": state.usage.input_tokens + state.usage.output_tokens,
        "cost_usd": state.usage.cost_usd,
        "usage_by_step": list_step_usage(state.used),
    }


def _sort_shelf(state: State) -> tuple[FoundSource, ...]:
    """The shelf by id: in which order its sources were found is chance, and models see it."""
    return tuple(state.shelf[name] for name in sorted(state.shelf))


def _count_read_sources(state: State) -> int:
    read = (kept for kept in state.shelf.values() if kept.reading is not None)
    return sum(not kept.scanned for kept in read)


def _merge_answerers(state: State) -> Answerers:
    """Who gave answers, in this run and in the one that it follows up."""
    return state.answered + (state.earlier.answered if state.earlier else Answerers())


def _count_known_documents(state: State) -> int:
    """Documents of the corpus or, where the web is searched, the pages that were wanted."""
    if state.inventory is None or not state.inventory.beyond:
        return state.inventory.documents if state.inventory else 0
    return _count_read_sources(state) + count_lost_readings(state.failures)

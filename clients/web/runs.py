"""Runs: the list of them, one of them as it stands and goes on, and what can be done about it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from caveat.clients.parsing import LATEST, name_person, parse_approval
from caveat.clients.run_description import ASKED, Broken, RunLine
from caveat.clients.runs import STATES
from caveat.clients.servers import build_ui_path
from caveat.clients.service import Service
from caveat.clients.web import pages
from caveat.clients.web.access import Gate
from caveat.clients.web.pages import get_service, render_page
from caveat.contracts.outcome import NamedEnd
from caveat.problem import BadInput, NoSuchRun
from caveat.rendering.links import build_run_path
from caveat.rendering.progress import list_phase_times

SHOWN = 25  # runs on a page


async def show_runs(request: Request) -> Response:
    service = get_service(request)
    search = request.query_params.get("q", "").strip()[:200]
    state = request.query_params.get("state", "")
    state = state if state in STATES else ""
    sort, after = (request.query_params.get(name, "") for name in ("sort", "after"))
    gate: Gate = request.app.state.gate
    token = gate.unseal("page", after) if after else None  # taken only where it came from it
    if after and token is None:
        raise BadInput("This is not a page of the list: begin with the first one, at /runs.")
    (lines, rest), counts = await asyncio.gather(
        service.runs.list_page(search, SHOWN, token, state), service.runs.count_by_state(search)
    )
    context = {
        "state": state,
        "counts": counts,
        "groups": group_runs(lines, sort),
        "sort": sort,
        "sorts": list(_SORTS),
        "search": search,
        "more": gate.seal("page", rest) if rest else "",
        "after": after,
        "can_tick": any(not line.is_running for line in lines),
        "all_ticked": request.query_params.get("ticked") == "all",
        "deleted": request.query_params.get("deleted"),
        "question": _QUESTIONS["delete_ticked"],
    }
    return render_page(request, "runs.html", context)


_SORTS: dict[str, Callable[[RunLine], Any]] = {
    "start": lambda line: -line.started.timestamp(),
    "confidence": lambda line: -(line.confidence or 0.0),
    "topic": lambda line: line.topic.casefold(),
}
"""What the runs of a page may be sorted by: the server sorts its list in one way alone."""


def group_runs(lines: Sequence[RunLine], sort: str = "") -> list[tuple[RunLine, list[RunLine]]]:
    """Set each revision, and each question that was asked on, under its run on the page."""
    known = {line.run_id: line for line in lines}
    groups: dict[str, list[RunLine]] = {}
    for line in lines:
        first, passed = line, set()  # a memo may say anything, a circle too
        while first.run_id not in passed:
            passed.add(first.run_id)
            first = known.get(first.revises or first.run_id.rpartition(ASKED)[0], first)
        later = groups.setdefault(first.run_id, [])
        later += [line] if line is not first else []
    heads = [known[run_id] for run_id in groups]
    if sort in _SORTS:
        heads.sort(key=_SORTS[sort])
    return [(head, sorted(groups[head.run_id], key=lambda line: line.started)) for head in heads]


async def redirect_to_latest(request: Request) -> Response:
    """Lead to the run that was started last, or to what belongs to it."""
    run_id = await get_service(request).find_run(LATEST)
    return RedirectResponse(build_run_path(run_id) + request.path_params["place"])


async def show_run(request: Request) -> Response:
    """Open the report of a run, where there is one; else show how it goes."""
    service = get_service(request)
    run_id = request.path_params["run_id"]
    context = await gather_run_page(service, run_id)
    if context["report"] and "show" not in request.query_params:
        return RedirectResponse(f"{context['run_path']}/report")
    return render_page(request, "run.html", context)


async def gather_run_page(service: Service, run_id: str) -> dict[str, Any]:
    stands = await service.find_detailed_state(run_id)
    line, end = stands.line, stands.closed
    report = await service.find_report(run_id)
    revisions = await service.list_revisions(report) if report and end is not None else []
    used = Counter(claim.source_id for claim in (report.claims if report else ()))
    sources = report.sources if report else ()
    read = [(source, used[source.id]) for source in sources if source.snapshot_sha256]
    return {
        "run_id": run_id,
        "run_path": build_run_path(run_id),
        "questions": _QUESTIONS,
        "ui": build_ui_path(service.connection, run_id),
        "follows_up": not stands.find_scope().is_empty,
        "line": line,
        "stands": stands,
        "report": report,
        "revisions": revisions,
        "end": end if isinstance(end, NamedEnd | Broken) else None,
        "end_name": getattr(end, "ending", None) or "",
        "is_running": end is None,
        "times": list(list_phase_times(stands.course.phases, line.closed)),
        # each document that was read with how many claims of it are used, most first
        "read": sorted(read, key=itemgetter(1), reverse=True),
    }


_QUESTIONS = {
    "cancel": "Cancel this run? What it found is kept.",
    "delete": "Delete this run for good? Its report and its evidence go, and each text that no "
    "other run cites.",
    "delete_ticked": "Delete the ticked runs for good? Their reports and their evidence go, and "
    "each text that no other run cites.",
}
"""What is asked before something is lost: by page.js, or here where no script has asked."""


async def _confirm(request: Request, question: str, back: str) -> Response | None:
    """Ask before something is lost; None where that was answered."""
    form = await pages.read_form(request)
    if pages.read_field(form, "sure") == "yes":
        return None
    ticked = pages.read_fields(form, "run")
    context = {"question": _QUESTIONS[question], "back": back, "ticked": ticked}
    return render_page(request, "confirm.html", context)


def _redirect(path: str) -> Response:
    return RedirectResponse(path, status_code=303)


async def cancel(request: Request) -> Response:
    run_id = request.path_params["run_id"]
    if asks := await _confirm(request, "cancel", build_run_path(run_id)):
        return asks
    await get_service(request).runs.cancel(run_id)
    return _redirect(f"{build_run_path(run_id)}?show=run")


async def delete(request: Request) -> Response:
    run_id = request.path_params["run_id"]
    if asks := await _confirm(request, "delete", build_run_path(run_id)):
        return asks
    is_gone, held = await get_service(request).delete(run_id)
    return _redirect("/runs?deleted=held" if held else "/runs" if is_gone else "/runs?deleted=soon")


async def delete_ticked(request: Request) -> Response:
    ticked = pages.read_fields(await pages.read_form(request), "run")
    if not ticked:
        raise BadInput("No run is ticked: tick those that are to be deleted.")
    if asks := await _confirm(request, "delete_ticked", "/runs"):
        return asks
    held = 0
    for run_id in ticked:
        held += (await get_service(request).delete(run_id, patience_s=0))[1]
    return _redirect("/runs?deleted=held" if held else "/runs?deleted=soon")


async def approve(request: Request) -> Response:
    runs, run_id = get_service(request).runs, request.path_params["run_id"]
    form = await pages.read_form(request)
    progress = await runs.query_progress(run_id)
    proposal = progress.proposal if progress else None
    if proposal is None:
        raise BadInput("No plan of this run is waiting for approval any longer.")
    dropped, angles = pages.read_fields(form, "drop"), proposal.plan.assignments
    edits = [
        (angle.id, typed)
        for angle in angles
        if angle.id not in dropped
        and " ".join((typed := pages.read_field(form, f"edit-{angle.id}")).split())
        not in {"", angle.question}
    ]
    added = [question for question in pages.read_fields(form, "add") if question.strip()]
    answers = pages.read_fields(form, "answer")
    decision = parse_approval(dropped, edits, added, answers, name_person())
    await runs.approve(run_id, decision)
    return _redirect(f"{build_run_path(run_id)}?show=run")


async def follow_up(request: Request) -> Response:
    service, run_id = get_service(request), request.path_params["run_id"]
    once = pages.read_field(await pages.read_form(request), "once")
    order = f"{once} {run_id}" if once else ""
    revision, _ = await service.prepare_follow_up(run_id, order=order)
    return _redirect(build_run_path(await service.start_taken(revision)))


async def follow(request: Request) -> Response:
    """Show whoever watches a run how it stands, and lead to its first report, or to its end."""
    run_id = request.path_params["run_id"]
    leading = Response(headers={"HX-Redirect": build_run_path(run_id)})
    try:
        context = await gather_run_page(get_service(request), run_id)
    except NoSuchRun:
        return leading
    progress = context["stands"].progress
    has_report = progress is not None and progress.provisional
    if not context["is_running"] or (has_report and "had" not in request.query_params):
        return leading
    return render_page(request, "run_live.html", context)

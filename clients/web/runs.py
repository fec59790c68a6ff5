"""Runs: the list of them, one of them as it stands, and what can be done about it."""

import base64
import binascii
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from caveat.clients.lookup import standing_in_detail
from caveat.clients.problems import BadInput
from caveat.clients.servers import run_url
from caveat.clients.standings import (
    RunLine,
    RunStatus,
    Standing,
    invites_follow_up,
    missing_without_failure,
)
from caveat.clients.web.audit_log import entry
from caveat.clients.web.pages import page, sent, text
from caveat.clients.web.service import Service, service_of
from caveat.contracts.outcome import NamedEnd, Outcome, RunRecord
from caveat.contracts.report import ReportedFailure
from caveat.failures import PortFailure
from caveat.rendering import words
from caveat.rendering.amounts import spent_words
from caveat.rendering.links import contradiction_path, run_path

SHOWN = 25
"""Runs on a page."""

_TALLIES = 5_000
"""Ended runs whose figures are kept in memory: two numbers each."""


@dataclass(frozen=True)
class Tally:
    """What a list says of a run beside what the server's list has.

    Attributes:
        cost_usd: what it took; None where nobody knows.
        model_calls: calls to language models.
        failures: tasks that failed and were not made good; None where nobody knows.
    """

    cost_usd: float | None = None
    model_calls: int = 0
    failures: int | None = None


@dataclass
class Tallies:
    """Tallies of runs: of ended ones as memory has them, and those do not change."""

    service: Service
    _known: OrderedDict[str, Tally] = field(default_factory=OrderedDict)

    async def of(self, lines: Sequence[RunLine]) -> dict[str, Tally]:
        """Return the tally of each run, by id."""
        return {line.run_id: await self._of(line) for line in lines}

    async def _of(self, line: RunLine) -> Tally:
        if line.status is RunStatus.RUNNING:
            return Tally()
        known = self._known.get(line.run_id)
        if known is None:
            known = await self._recalled(line.run_id)
            self._known[line.run_id] = known
            while len(self._known) > _TALLIES:
                self._known.popitem(last=False)
        return known

    async def _recalled(self, run_id: str) -> Tally:
        try:
            record = await self.service.memory.recall(run_id)
        except PortFailure:
            return Tally()
        if record is None:
            return Tally()
        return Tally(
            record.cost_usd, record.model_calls, sum(not each.recovered for each in record.failures)
        )


async def runs(request: Request) -> Response:
    """List runs, those still going first."""
    service = service_of(request)
    search = request.query_params.get("q", "").strip()[:200]
    lines, rest = await service.runs.page(search, SHOWN, _token(request))
    given = {
        "lines": lines,
        "tallies": await service.tallies.of(lines),
        "search": search,
        "more": base64.urlsafe_b64encode(rest).decode() if rest else "",
        "is_first": "after" not in request.query_params,
        "run_path": run_path,
    }
    return page(request, "runs.html", given)


def _token(request: Request) -> bytes | None:
    given = request.query_params.get("after", "")
    try:
        return base64.urlsafe_b64decode(given) or None
    except (ValueError, binascii.Error):
        raise BadInput("This page of the list is none: begin with the first one.") from None


async def run(request: Request) -> Response:
    """Show one run."""
    service = service_of(request)
    run_id = request.path_params["run_id"]
    return page(request, "run.html", await seen(service, run_id))


async def seen(service: Service, run_id: str) -> dict[str, Any]:
    """Gather what the page of a run shows.

    Raises:
        NoSuchRun: nobody knows it.
    """
    stands = await standing_in_detail(service.runs, service.settings, run_id)
    given = {
        "run_id": run_id,
        "run_path": run_path(run_id),
        "path_of": run_path,
        "contradiction_path": contradiction_path,
        "words": words,
        "spent_words": spent_words,
        "ui": run_url(service.connection, run_id),
        "follows_up": invites_follow_up(stands),
        "missing": missing_without_failure(stands),
    }
    if isinstance(stands, RunRecord):
        return {**given, **_remembered(stands)}
    return {**given, **await _standing(service, stands)}


async def _standing(service: Service, stands: Standing) -> dict[str, Any]:
    line, end = stands.line, stands.closed
    return {
        "topic": line.topic,
        "line": line,
        "stands": stands,
        "progress": stands.progress,
        "report": await service.reports.known(line.run_id),
        "end": None if end is None or isinstance(end, Outcome) else end,
        "end_name": end.ending if isinstance(end, NamedEnd) else "",
        "failures": _failures(stands),
        "is_running": end is None,
        "spent": stands.spent(),
        "record": None,
    }


def _failures(stands: Standing) -> tuple[ReportedFailure, ...]:
    if stands.closed is None and stands.progress is None:
        return ()
    return stands.failures()


def _remembered(record: RunRecord) -> dict[str, Any]:
    unknown = dict.fromkeys(("line", "stands", "progress", "report", "end"))
    return {
        **unknown,
        "topic": record.topic,
        "end_name": record.ending or "",
        "failures": record.failures,
        "is_running": False,
        "spent": record,
        "record": record,
    }


async def cancel(request: Request) -> Response:
    """Stop a run at once; what it found is kept."""
    service = service_of(request)
    run_id = request.path_params["run_id"]
    await sent(request)
    if (await service.runs.line(run_id)).status is not RunStatus.RUNNING:
        raise BadInput("This run had ended already before it could be cancelled.")
    await service.runs.cancel(run_id)
    service.audit_log.write(entry(request, "cancelled", run_id))
    return RedirectResponse(run_path(run_id), status_code=303)


async def follow_up(request: Request) -> Response:
    """Try again what failed in a run, and revise its report."""
    service = service_of(request)
    run_id = request.path_params["run_id"]
    form = await sent(request)
    everything = text(form, "everything") == "yes"
    new_id = (await service.follow_up(run_id, everything=everything)).run_id
    noted = entry(request, "followed up", run_id).model_copy(update={"led_to": new_id})
    service.audit_log.write(noted)
    return RedirectResponse(run_path(new_id), status_code=303)

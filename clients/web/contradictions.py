"""What waits for a person: the inbox, the page of each contradiction, and the form of a ruling."""

import asyncio
import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from caveat.clients.problems import BadInput
from caveat.clients.ruling import REVISED, InTime, KeptForRevision, Reopening
from caveat.clients.typed import person, ruling_of
from caveat.clients.web.access import visitor_of
from caveat.clients.web.audit_log import AuditEntry, entry
from caveat.clients.web.contradiction_view import contradiction_view
from caveat.clients.web.pages import page, sent, status_of, text, texts
from caveat.clients.web.service import service_of
from caveat.contracts.contradiction import Contradiction
from caveat.rendering import words
from caveat.rendering.links import contradiction_path, run_path
from caveat.rules.contradictions.choices import PAIR, held, letters

SHOWN = 50
"""Questions on a page: more than anybody answers in one sitting."""

_SOON = dt.timedelta(hours=1)
"""Left of a deadline where somebody should hurry."""


async def inbox(request: Request) -> Response:
    """Show what waits."""
    found = await service_of(request).waiting()
    wanted = request.query_params.get("topic", "").strip()
    chosen = [each for each in found if wanted.casefold() in each.topic.casefold()]
    pages = max(1, -(-len(chosen) // SHOWN))
    number = min(max(1, _number(request.query_params.get("page", "1"))), pages)
    given = {
        "waiting": chosen[(number - 1) * SHOWN : number * SHOWN],
        "total": len(chosen),
        "topics": sorted({each.topic for each in found}),
        "wanted": wanted,
        "number": number,
        "pages": pages,
        "contradiction_path": contradiction_path,
        "is_soon": lambda deadline: deadline - dt.datetime.now(dt.UTC) < _SOON,
    }
    return page(request, "inbox.html", given)


def _number(typed: str) -> int:
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 6 else 1


_NONE = "none"
"""What is ticked of more than two values where none of them holds."""

_one_at_a_time: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
"""By arbitration: of two people who rule at once, the second is told of the first."""


async def contradiction(request: Request) -> Response:
    """Show a contradiction, or take a ruling on it."""
    if request.method == "GET":
        return await _shown(request)
    form = await sent(request)
    try:
        await _rule(request, form)
    except BadInput as refused:
        fields = {name: text(form, name) for name in ("reason", "name")}
        typed = {"choices": texts(form, "choice"), **fields}
        return await _shown(request, typed, str(refused), status_of(refused))
    return RedirectResponse(request.url.path, status_code=303)


def _named(request: Request) -> tuple[str, str]:
    given = request.path_params
    return given["run_id"], given["contradiction_id"]


async def _shown(
    request: Request, typed: dict[str, Any] | None = None, wrong: str = "", status: int = 200
) -> Response:
    service = service_of(request)
    run_id, contradiction_id = _named(request)
    shown = await contradiction_view(service, run_id, contradiction_id)
    found, report = shown.found, shown.report
    is_ruled = found.decided_by is not None
    is_late = not found.is_open and found.requires_human_review
    rulings = service.audit_log.rulings(run_id, contradiction_id)
    revisions = await service.reports.revisions(report) if report and is_late else ()
    known = {each.led_to for each in rulings}
    given = {
        "view": shown,
        "found": found,
        "words": words,
        "typed": typed or {"choices": (), "reason": "", "name": person()},
        "vouched": visitor_of(request).name,
        "wrong": wrong,
        "held": held,
        "rulings": rulings,
        "changed": await service.reports.changed(report) if report and is_ruled else None,
        "revisions": [each for each in revisions if each.run_id not in known],
        "run_path": run_path,
        "path_of": run_path,
        "action": contradiction_path(f"{run_id}/{contradiction_id}"),
        "letters": letters(len(shown.parties)),
        "may_rule": found.is_open or found.requires_human_review,
    }
    return page(request, "contradiction.html", given, status)


async def _rule(request: Request, form: FormData) -> None:
    service = service_of(request)
    run_id, contradiction_id = _named(request)
    name = visitor_of(request).name or text(form, "name")
    shown = await contradiction_view(service, run_id, contradiction_id)
    choice = chosen(texts(form, "choice"), len(shown.parties))
    ruling = ruling_of(choice, text(form, "reason"), name, len(shown.parties))
    if shown.report is not None:
        await asyncio.to_thread(service.reports.keep_before, shown.report)
    arbitration = f"{run_id}/{contradiction_id}"
    async with _one_at_a_time[arbitration]:
        _require_first(service.audit_log.rulings(run_id, contradiction_id), shown.found)
        done = await service.rulings.rule(arbitration, ruling)
        led_to = ""
        match done:
            case InTime(contradiction=found):
                follows = f"Accepted: {held(found.ruling or 'none', len(found.claims))}."
            case KeptForRevision(sentence=follows):
                pass
            case Reopening(run_id=led_to, request=revision):
                await service.begin(led_to, revision)
                follows = REVISED
        noted = {
            "contradiction_id": contradiction_id,
            "choice": ruling.ruling,
            "reason": ruling.reason,
            "name": ruling.decided_by,
            "follows": follows,
            "led_to": led_to,
        }
        service.audit_log.write(entry(request, "ruled", run_id, name).model_copy(update=noted))


def chosen(ticked: Sequence[str], values: int) -> str:
    """Make one answer of what was ticked.

    Raises:
        BadInput: nothing was, or what was excludes itself.
    """
    if not ticked:
        raise BadInput("Choose what holds before you rule.")
    if values == PAIR:
        return ticked[0]
    if _NONE in ticked and len(ticked) > 1:
        raise BadInput("Either some of the values hold or none of them does: take one tick back.")
    return ",".join(ticked)


def _require_first(before: Sequence[AuditEntry], found: Contradiction) -> None:
    """Refuse a second late ruling, of which the server knows nothing until a revision has ended."""
    late = [each for each in before if each.led_to]
    if late:
        first = late[-1]
        what = held(first.choice, len(found.claims))
        raise BadInput(
            f"{found.id} was ruled on by {first.name} on {first.at:%Y-%m-%d %H:%M} UTC: {what}. "
            f"{first.led_to} revises the report with it."
        )

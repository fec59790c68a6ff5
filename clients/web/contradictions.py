"""What waits for a person: the inbox, the page of each contradiction, and the form of a ruling."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from caveat.clients.parsing import name_person, parse_answer
from caveat.clients.run_description import group_disputes, list_same
from caveat.clients.service import Service
from caveat.clients.web import pages
from caveat.clients.web.pages import get_service, render_page
from caveat.contracts.contradiction import (
    Contradiction,
    GivenRuling,
    Hearing,
    RulingRecord,
    SideEvidence,
)
from caveat.contracts.report import Report, ReportedSource
from caveat.contracts.source import SourceRef
from caveat.failures import PortFailure
from caveat.problem import BadInput
from caveat.rendering import words
from caveat.rendering.links import build_contradiction_path, build_run_path
from caveat.rules.contradictions.choices import PAIR, describe_choice, list_letters, parse_choice
from caveat.rules.contradictions.ladder import format_credibility
from caveat.rules.contradictions.track_record import drop_repeats, identify_speaker

SHOWN = 50  # questions on the page: more than anybody answers in one sitting
_SOON = dt.timedelta(hours=1)  # left of a deadline where somebody should hurry


async def show_inbox(request: Request) -> Response:
    service = get_service(request)
    waiting, left = await service.list_unsettled()
    wanted = request.query_params.get("topic", "").strip()
    chosen = [line for line in waiting if wanted.casefold() in line.topic.casefold()]
    unsettled = [line for line in left if wanted.casefold() in line.topic.casefold()]
    disputes = group_disputes(chosen)  # the nearest deadline first
    context = {
        "disputes": disputes[:SHOWN],
        "unsettled": group_disputes(unsettled)[:SHOWN],
        "total": len(disputes),
        "topics": sorted({line.topic for line in (*waiting, *left)}),
        "wanted": wanted,
        "is_soon": lambda deadline: deadline - dt.datetime.now(dt.UTC) < _SOON,
    }
    return render_page(request, "inbox.html", context)


async def count_waiting(request: Request) -> Response:
    """Write how many disputes wait, for the navigation of every page; nothing where none does."""
    count = len(group_disputes(await get_service(request).arbitrations.list_waiting()))
    return HTMLResponse(f'<span class="count">{count}</span>' if count else "")


_NONE = "none"  # what is ticked of more than two values where none of them holds


async def show(request: Request) -> Response:
    if request.method == "GET":
        return await _render_page(request)
    form = await pages.read_form(request)
    try:
        where = await _rule(request, form)
    except BadInput as refused:
        fields = {name: pages.read_field(form, name) for name in ("reason", "name")}
        typed = {"choices": pages.read_fields(form, "choice"), **fields}
        return await _render_page(request, typed, str(refused), pages.choose_status(refused))
    return RedirectResponse(where, status_code=303)


async def _render_page(
    request: Request, typed: dict[str, Any] | None = None, wrong: str = "", status: int = 200
) -> Response:
    service = get_service(request)
    run_id, arbitration = request.path_params["run_id"], _name_arbitration(request)
    contradiction, hearing, report = await service.find_contradiction(arbitration)
    count, is_ruled = len(contradiction.sides), contradiction.decided_by is not None
    is_late = contradiction.needs_review
    parties = _build_parties(report, contradiction, hearing)
    rulings = await _find_rulings(service, parties)
    first = contradiction.arbitration or arbitration  # where it first was
    own = [ruling for ruling in rulings if f"{ruling.run_id}/{ruling.contradiction_id}" == first]
    # Memory knows what was ruled after a report; a memory elsewhere may know of nothing.
    facts = set(GivenRuling.model_fields) - {"run_id"}
    remembered = tuple(
        GivenRuling.model_validate(ruling.model_dump(include=facts)) for ruling in own
    )
    earlier = [ruling for ruling in rulings if ruling.run_id != run_id and ruling not in own]
    waiting = await service.arbitrations.list_waiting()
    asked = waiting if contradiction.is_open else await service.arbitrations.list_for_review()
    others = (one for one in waiting if one.arbitration.startswith(f"{run_id}/"))
    context = {
        "run_id": run_id,
        "topic": hearing.case.topic if hearing else report.topic if report else "",
        "found": contradiction,
        "report": report,
        "parties": parties,
        "is_pair": count == PAIR,
        # rulings on the same question in other runs, without those given together with this one
        "earlier": [each for each in drop_repeats([*earlier, *own]) if each not in own],
        "next": next((one for one in others if one.arbitration != arbitration), None),
        "log": [*words.list_rulings(max(contradiction.rulings, remembered, key=len), count)],
        "same": list_same(asked, arbitration),
        "typed": typed or {"choices": (), "reason": "", "name": name_person()},
        "wrong": wrong,
        "held": describe_choice,
        "revisions": await service.list_revisions(report) if report and is_late else (),
        "action": build_contradiction_path(arbitration),
        "may_rule": is_ruled or contradiction.is_open or is_late,
        "is_change": is_ruled,
    }
    return render_page(request, "contradiction.html", context, status)


def _name_arbitration(request: Request) -> str:
    return "{run_id}/{contradiction_id}".format(**request.path_params)


async def _rule(request: Request, form: FormData) -> str:
    """Take a ruling, and return the path that shows what follows from it."""
    service = get_service(request)
    arbitration = _name_arbitration(request)
    contradiction, *_ = await service.find_contradiction(arbitration)
    withdraws, values = pages.read_field(form, "does") == "withdraw", len(contradiction.sides)
    ticked, choice = pages.read_fields(form, "choice"), None
    if not withdraws:
        if not ticked:
            raise BadInput("Choose what holds before you rule.")
        if values > PAIR and _NONE in ticked and len(ticked) > 1:
            raise BadInput("Either some of the values hold or none does: remove a tick.")
        choice = ticked[0] if values == PAIR else ",".join(ticked)
    name = pages.read_field(form, "name")
    answer = parse_answer(
        choice, pages.read_field(form, "reason"), name, values, withdraws=withdraws
    )
    everywhere = pages.read_field(form, "everywhere") == "yes"
    # By the form: who was shown an open question must not overrule whoever was first.
    is_change = pages.read_field(form, "replaces") == "yes"
    outcome = await service.give_ruling(
        arbitration, answer, replaces=is_change, everywhere=everywhere
    )
    revision = next(iter(outcome.revisions), None)
    return build_run_path(revision.run_id) if revision else request.url.path


def _build_parties(
    report: Report | None, contradiction: Contradiction, hearing: Hearing | None
) -> list[dict[str, Any]]:
    """Say of each value who states it, where, and what became of it, `a` first."""
    count = len(contradiction.sides)
    evidence: Sequence[SideEvidence | None] = hearing.case.sides if hearing else (None,) * count
    upheld = parse_choice(contradiction.ruling, count) if contradiction.ruling else (None,) * count
    standings = words.describe_values(contradiction)
    claims = {claim.id: claim for claim in report.claims} if report else {}
    sources = {source.id: source for source in report.sources} if report else {}
    challenges = report.debate.challenges if report and report.debate else ()
    parties = []
    for letter, side, heard, holds, standing in zip(
        list_letters(count), contradiction.sides, evidence, upheld, standings, strict=True
    ):
        claim = heard.claim if heard else claims[side.claim]
        reported = sources.get(claim.source_id)
        source = reported or (heard.source if heard else None)
        if source is None:
            raise BadInput(f"The source of {claim.id} is not in the report of this run.")
        party = {
            "letter": letter,
            "claim": claim,
            # the value alone, or all that its sources state; empty where nobody said it
            "value": side.stated or side.value,
            "scope": side.scope,
            "source": source,
            # what counts of it, and what it would be by its document's own word
            "credibility": format_credibility(heard) if heard else f"{claim.credibility:.2f}",
            "factors": reported.factors if reported else (),
            # independent sources that say the same, this one included; only a hearing counts them
            "corroboration": heard.corroboration if heard else 0,
            "backing": words.describe_backing(heard) if heard else (),
            "record": heard.track_record if heard else None,
            "remarks": [remark for remark in challenges if remark.claim_id in side.claims],
            # under which the page shows the source, where it has a text of it
            "source_id": reported.id if reported and reported.snapshot_sha256 else None,
            "upheld": holds,  # None while that is open
            "standing": standing,
        }
        parties.append(party)
    return parties


async def _find_rulings(
    service: Service, parties: Sequence[dict[str, Any]]
) -> tuple[RulingRecord, ...]:
    """Rulings in which two of these very statements stood against each other, in any run."""
    speakers = []
    for party in parties:
        source = party["source"]
        if isinstance(source, ReportedSource):
            source = SourceRef(id=source.id, title=source.title, url=source.url, path=source.path)
        speakers.append(identify_speaker(source, party["claim"]))
    statements = {(speaker.id, speaker.said) for speaker in speakers}
    try:
        rulings = await service.memory.recall_rulings([speaker.id for speaker in speakers])
    except PortFailure:
        return ()
    return tuple(
        ruling
        for ruling in rulings
        if len(statements & {(who.id, who.said) for who in ruling.claimants}) >= PAIR
    )

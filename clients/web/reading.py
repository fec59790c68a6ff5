"""Reading: a report, its sources at their quotes, what a revision changed, and files of it."""

import asyncio
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from caveat.adapters.documents.loaded import DocumentFormat, Unreadable
from caveat.adapters.documents.loaders import read_content
from caveat.adapters.documents.readers import READERS
from caveat.adapters.files.snapshots import hash_snapshot
from caveat.clients.auditing import audit_report, seal_words
from caveat.clients.publishing import build_file, read_kept_evidence
from caveat.clients.run_description import list_kept_answers
from caveat.clients.service import Service
from caveat.clients.web.pages import choose_status, get_service, read_field, read_form, render_page
from caveat.contracts.plan import Format
from caveat.contracts.report import Report, ReportedSource
from caveat.contracts.source import Claim
from caveat.failures import PortFailure
from caveat.problem import NoResult, Problem
from caveat.rendering.edition import Edition
from caveat.rendering.gist import build_gist
from caveat.rendering.html.document import Setter
from caveat.rendering.layout import build_prose_lines
from caveat.rendering.links import Links, build_run_path
from caveat.rendering.table import build_table
from caveat.rules.text.prose import split_blocks
from caveat.workers.signing import load_signer
from caveat.workers.task_folders import FolderGuard

_FORMATS = {
    Format.PDF: ("PDF", "application/pdf"),
    Format.WORD: (
        "Word",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    Format.HTML: ("Web page (HTML)", "text/html; charset=utf-8"),
    Format.MARKDOWN: ("Markdown", "text/markdown; charset=utf-8"),
    Format.CSV: ("Table of documents (CSV)", "text/csv; charset=utf-8"),
    Format.TABLE: ("Table of documents (Markdown)", "text/markdown; charset=utf-8"),
    Format.BIB: ("Sources (BibTeX)", "application/x-bibtex; charset=utf-8"),
    Format.JSON: ("Data (JSON)", "application/json"),
}
"""What the menu calls each format, those that people ask for first, and its media type."""

_LONGEST = 400_000
"""Characters of a source that are shown whole: a book; of a longer one the quotes alone."""


async def _require_report(request: Request) -> Report:
    return await get_service(request).require_report(request.path_params["run_id"])


async def ask_on(request: Request) -> Response:
    """Put one more question to what a run has kept; one that is refused stays in its box."""
    form = await read_form(request)
    question, searches = read_field(form, "question"), read_field(form, "search") == "yes"
    try:
        service, run_id = get_service(request), request.path_params["run_id"]
        taken = await service.prepare_question(run_id, question, searches=searches)
        new_id = await service.start_taken(taken)
    except (Problem, PortFailure) as refusal:
        return await show_report(request, question, refusal)
    return RedirectResponse(build_run_path(new_id), status_code=303)


async def show_report(
    request: Request, question: str = "", refusal: Exception | None = None
) -> Response:
    service, run_id = get_service(request), request.path_params["run_id"]
    report, shown = await service.render_report(run_id)
    context = {
        "report": report,
        "shown": shown,
        "revisions": await service.list_revisions(report),
        "formats": {kind: name for kind, (name, _) in _FORMATS.items()},
        "thread": [
            (line, _build_answer(answer) if answer else None)
            for line, answer in await service.list_questions(run_id)
        ],
        "question": question,
        "wrong": str(refusal or ""),
    }
    status = choose_status(refusal) if refusal else 200
    return render_page(request, "report.html", context, status)


async def download(request: Request) -> Response:
    report = await _require_report(request)
    try:
        chosen = Format(request.path_params["format"])
    except ValueError:
        known = ", ".join(Format)
        raise NoResult(f"A report is not written in that format: choose from {known}.") from None
    content = await asyncio.to_thread(build_file, report, chosen, get_service(request).settings)
    name = f"{report.run_id}.{chosen}".encode("ascii", "replace").decode().replace('"', "_")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=_FORMATS[chosen][1], headers=headers)


async def send_evidence(request: Request) -> Response:
    run_id = request.path_params["run_id"]
    evidence = await read_kept_evidence(get_service(request).settings, run_id)
    # Whoever has its grant could have the same folders searched.
    content = evidence.model_dump_json(indent=2, exclude={"request"})
    return Response(content, media_type="application/json")


async def audit(request: Request) -> Response:
    service, report = get_service(request), await _require_report(request)
    checked = await audit_report(report, service.snapshots, service.settings)
    context = {"audit": checked, "seal": seal_words(checked)}
    is_part = request.headers.get("hx-request") == "true"
    return render_page(request, "audit.html" if is_part else "audit_page.html", context)


@dataclass(frozen=True)
class Stretch:
    text: str
    claims: tuple[str, ...] = ()  # the claims that quote it; none of what nobody quotes
    names: tuple[str, ...] = ()  # of those, the ones whose quote begins here


def split_stretches(text: str, claims: Sequence[Claim]) -> tuple[Stretch, ...]:
    """Cut a text where quotes begin and end; quotes may overlap."""
    sound = [claim for claim in claims if text[claim.start : claim.end] == claim.quote]
    cuts = sorted({0, len(text), *(at for claim in sound for at in (claim.start, claim.end))})
    return tuple(
        Stretch(
            text[start:end],
            tuple(claim.id for claim in sound if claim.start <= start and end <= claim.end),
            tuple(claim.id for claim in sound if claim.start == start),
        )
        for start, end in pairwise(cuts)
    )


async def show_source(request: Request) -> Response:
    """Show a source, or one quote where it stands; its page's picture where the path is `.png`."""
    service = get_service(request)
    report, source, claims = await _find_source(request)
    wanted = request.path_params.get("claim_id", "")
    claim = next((each for each in claims if each.id == wanted.removesuffix(".png")), None)
    if wanted and claim is None:
        raise NoResult("The report has no such quote of this source.")
    is_drawn, missing = bool(claim) and (source.path or "").lower().endswith(".pdf"), ""
    if is_drawn:
        try:
            document = await _find_document(service, report.run_id, source)
        except Problem as problem:
            is_drawn, missing = False, str(problem)
    if claim and wanted.endswith(".png"):
        if not is_drawn:
            raise NoResult(missing)
        try:
            drawn = READERS.draw(document, claim.location or "", claim.quote)
            return Response(await asyncio.wrap_future(drawn), media_type="image/png")
        except Unreadable as refusal:
            raise NoResult(f"The page cannot be drawn: the document {refusal}.") from None
    text = await service.read_text(source)
    at = claims.index(claim) if claim else 0
    context = {
        "report": report,
        "source": source,
        "path": f"{build_run_path(report.run_id)}/sources/{source.id}",
        "claims": claims,
        "claim": claim,
        "number": at + 1,
        "before": claims[at - 1] if at else None,
        "after": claims[at + 1] if at + 1 < len(claims) else None,
        "is_drawn": is_drawn,
        "missing": missing,
        "stretches": split_stretches(text, claims) if text and len(text) <= _LONGEST else (),
        "is_long": text is not None and len(text) > _LONGEST,
    }
    return render_page(request, "source.html", context)


async def _find_source(request: Request) -> tuple[Report, ReportedSource, list[Claim]]:
    """Return a report, a source of it, and what it quotes of that, in the order of the text."""
    report = await _require_report(request)
    wanted = request.path_params["source_id"]
    source = next((source for source in report.sources if source.id == wanted), None)
    if source is None or source.snapshot_sha256 is None:
        raise NoResult("The report has no such source, or it was not read.")
    every = {claim.id: claim for claim in (*report.unused, *report.claims)}
    claims = [claim for claim in every.values() if claim.source_id == source.id]
    return report, source, sorted(claims, key=lambda claim: claim.start)


_HASHES: dict[bytes, str] = {}  # of the texts of PDFs, so that none is read whole again
_READING = asyncio.Lock()


async def _find_document(service: Service, run_id: str, source: ReportedSource) -> bytes:
    """Return a PDF whose text is still the one that a run read, or raise `NoResult`."""
    request = await service.runs.read_request(run_id)
    settings = service.settings
    guard = FolderGuard(load_signer(settings), settings.open_folders)
    for corpus in request.corpus or map(str, settings.corpus):
        if not guard.may_open(corpus, request.grant, run_id):
            continue
        with suppress(PortFailure, OSError, ValueError):
            data = await asyncio.to_thread(_read_document, Path(corpus), source.path or "")
            if source.snapshot_sha256 == await _hash_text(data):
                return data
    raise NoResult(
        "The document is not where the run read it, or it has changed since: here is the passage "
        "as the run kept it."
    )


def _read_document(folder: Path, path: str) -> bytes:
    within = folder.expanduser().resolve()
    return read_content(within / path, within)


async def _hash_text(data: bytes) -> str:
    """Return the address that the text of a PDF is kept at; empty where it has none."""
    name = hashlib.sha256(data).digest()
    async with _READING:
        if name not in _HASHES:
            try:
                loaded = await asyncio.wrap_future(READERS.submit(DocumentFormat.PDF, data))
            except Unreadable:  # or nobody has time now
                return ""
            _HASHES[name] = hash_snapshot(loaded.snapshot)
    return _HASHES[name]


async def show_table(request: Request) -> Response:
    report, settings = await _require_report(request), get_service(request).settings
    questions = await asyncio.to_thread(list_kept_answers, settings, report.run_id)
    context = {"report": report, "table": build_table(report, questions)}
    return render_page(request, "table.html", context)


def _build_answer(report: Report) -> dict[str, object]:
    edition = Edition(report)
    setter = Setter(edition, Links(build_run_path(report.run_id)))
    lines = build_prose_lines(edition, split_blocks(report.answer))
    return {"report": report, "gist": build_gist(report), "prose": setter.render_lines(lines)}

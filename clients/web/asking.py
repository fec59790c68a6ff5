"""Asking: from a form to a run, and back to the form with what was typed where that cannot be."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from caveat.clients.problems import BadInput
from caveat.clients.requests import Options, affordable, requested, teams_of
from caveat.clients.servers import names_own_server
from caveat.clients.web.audit_log import entry
from caveat.clients.web.pages import page, sent, status_of, text
from caveat.clients.web.service import Service, service_of
from caveat.clients.web.uploads import Uploads
from caveat.contracts.plan import Depth, ResearchRequest
from caveat.failures import PortFailure
from caveat.rendering.links import run_path
from caveat.workers.blobs import blobs
from caveat.workers.settings import Settings
from caveat.workers.task_folders import share

_FIELDS = ("topic", "folder", "upload", "depth", "team", "max_cost", "deadline", "time")

_MOST_FOLDERS = 300
"""Folders that are offered: more than a list can show is typed."""


@dataclass(frozen=True)
class _FilledForm:
    """What somebody typed.

    Attributes:
        typed: by field.
        said: what is expected of it; empty where nobody asked or nothing is paid for.
    """

    typed: dict[str, str] = field(default_factory=dict)
    said: str = ""


async def ask(request: Request) -> Response:
    """Show the form, or start a run with what it brings."""
    if request.method == "GET":
        return await _shown(request, _FilledForm({"topic": request.query_params.get("topic", "")}))
    form = await sent(request)
    service = service_of(request)
    typed = {name: text(form, name) for name in _FIELDS}
    try:
        typed["upload"] = await _kept(service, form, typed["upload"])
        wanted = await asyncio.to_thread(_request, typed, service.settings)
        if not names_own_server():
            wanted, said = await asyncio.to_thread(_expected, wanted, service.settings)
            if said and text(form, "sure") != said:
                return await _shown(request, _FilledForm(typed, said))
        run_id = await service.start(wanted)
    except (BadInput, PortFailure) as wrong:
        return await _shown(request, _FilledForm(typed), _by_field(str(wrong)), status_of(wrong))
    service.audit_log.write(entry(request, "asked", run_id))
    return RedirectResponse(run_path(run_id), status_code=303)


_FIELD_OF = {
    "--arbitration-timeout": "“A person may take”",
    "--deadline": "“Leave stragglers after”",
    "--max-cost": "“Budget”",
    " with --corpus": "",
    ", in quotation marks": "",
}
"""What a command calls an option, and the form a field."""


def _by_field(sentence: str) -> str:
    """Say of a field what a command says of its option."""
    for option, name in _FIELD_OF.items():
        sentence = sentence.replace(option, name)
    return sentence


async def _kept(service: Service, form: FormData, before: str) -> str:
    """Keep the documents that were dropped, beside those of an attempt before."""
    uploads = Uploads(service.settings.uploads_folder)
    name = await uploads.keep(form.getlist("documents"), before)
    if name and service.settings.blobs is not None:
        kept = blobs(service.settings, uploads.folder)
        await asyncio.to_thread(share, uploads.folder_of(name), kept)
    return name


def _request(typed: dict[str, str], settings: Settings) -> ResearchRequest:
    """Validate what was typed, as the command does.

    Raises:
        BadInput: something in it cannot be; the sentence names the first thing.
    """
    folders = []
    if typed["folder"].strip():
        folders.append(str(allowed(typed["folder"], settings)))
    if typed["upload"]:
        folders.append(str(Uploads(settings.uploads_folder).folder_of(typed["upload"])))
    if not (names_own_server() or folders or settings.corpus or settings.searches_web):
        raise BadInput(
            "There is nothing to search: drop documents here, or have `caveat up --corpus DIR` "
            "offer a folder."
        )
    options = Options(
        topic=typed["topic"],
        corpus=tuple(folders),
        depth=typed["depth"] or Depth.DEEP,
        team=typed["team"] or "general",
        deadline=typed["deadline"].strip() or None,
        arbitration_timeout=typed["time"].strip() or "6h",
        max_cost=_dollars(typed["max_cost"]),
    )
    return requested(options, settings)


def _expected(wanted: ResearchRequest, settings: Settings) -> tuple[ResearchRequest, str]:
    """Say what a request is expected to cost, where models are paid for."""
    expected, made = affordable(wanted, settings)
    if expected.tariff is None:
        return expected.request, ""
    return expected.request, _by_field(" ".join(filter(None, (made, expected.sentence()))))


def _dollars(typed: str) -> float | None:
    if not typed.strip():
        return None
    try:
        return float(typed.strip().lstrip("$"))
    except ValueError:
        raise BadInput(f"“{typed}” is no amount: write US dollars, for example 2.50.") from None


def roots(settings: Settings) -> tuple[Path, ...]:
    """Name the folders that may be chosen, with whatever lies in them."""
    return tuple(dict.fromkeys((*settings.corpus, *settings.corpus_roots)))


def allowed(typed: str, settings: Settings) -> Path:
    """Return a folder that was chosen, as it really lies.

    Raises:
        BadInput: it is none of those that may be chosen.
    """
    try:
        folder = Path(typed).resolve()
        inside = any(folder.is_relative_to(each.resolve()) for each in roots(settings))
    except (OSError, RuntimeError, ValueError):
        inside = False
    if not inside:
        raise BadInput(
            f"“{typed[:200]}” is none of the folders that may be asked here: choose one of the "
            "list, or drop documents."
        )
    return folder


def offered(settings: Settings) -> Sequence[str]:
    """List the folders that may be chosen, and what lies directly in them."""
    found: list[str] = []
    for root in roots(settings):
        found.append(str(root))
        try:
            inside = sorted(each for each in root.iterdir() if each.is_dir())
        except OSError:
            continue
        found += [str(each) for each in inside if not each.name.startswith(".")]
    return found[:_MOST_FOLDERS]


async def _shown(
    request: Request, asked: _FilledForm, wrong: str = "", status: int = 200
) -> Response:
    settings = service_of(request).settings
    uploads = Uploads(settings.uploads_folder)
    given: dict[str, Any] = {
        "typed": {**dict.fromkeys(_FIELDS, ""), **asked.typed},
        "said": asked.said,
        "wrong": wrong,
        "folders": await asyncio.to_thread(offered, settings),
        "files": await asyncio.to_thread(uploads.names, asked.typed.get("upload", "")),
        "depths": list(Depth),
        "teams": teams_of(settings).names(),
        "pays": settings.uses_claude,
        "searches_web": settings.searches_web and not settings.corpus,
        "has_default": bool(settings.corpus),
    }
    return page(request, "ask.html", given, status)

"""Asking: from a form to a run, and back to the form with what was typed where that cannot be."""

import asyncio
import io
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from caveat.adapters.documents.loaders import SIZE_LIMIT
from caveat.clients.folders import gather, require_offered
from caveat.clients.options import OPTIONS, build_fields
from caveat.clients.requests import EXAMPLE_FOLDER, EXAMPLE_TOPIC, load_teams, prepare_request
from caveat.clients.servers import names_own_server
from caveat.clients.web.pages import choose_status, get_service, read_field, read_form, render_page
from caveat.contracts.plan import TOPIC_LIMIT, ResearchRequest
from caveat.failures import PortFailure
from caveat.problem import BadInput
from caveat.rendering.links import build_run_path
from caveat.rendering.visible import sanitize_line
from caveat.rules.lines import DROPPED
from caveat.rules.text.words import LANGUAGES
from caveat.workers.blobs import open_blobs
from caveat.workers.settings import Settings
from caveat.workers.task_folders import share

_FORM_OPTIONS = tuple(name for name in OPTIONS if name not in {"corpus", "formats"})
_FIELDS = (*_FORM_OPTIONS, "folder", "upload", "once")

_MOST_FOLDERS = 300  # folders that are offered: more than a list can show is typed

_RECENT = 5  # runs below the form: those that somebody comes back for


async def ask(request: Request) -> Response:
    """Show the form, or start a run with what it brings."""
    if request.method == "GET":
        topic = request.query_params.get("topic", "")[:TOPIC_LIMIT]
        return await _render_form(request, {"topic": topic})
    form = await read_form(request)
    service = get_service(request)
    typed = {name: read_field(form, name) for name in _FIELDS}
    documents: Sequence[UploadFile | str] = form.getlist("documents")
    if read_field(form, "demo"):
        typed["topic"] = EXAMPLE_TOPIC
        documents = [
            UploadFile(io.BytesIO(path.read_bytes()), filename=path.name)
            for path in sorted(EXAMPLE_FOLDER.iterdir())
        ]
    try:
        uploads = Uploads(service.settings.uploads_folder)
        typed["upload"] = await uploads.keep(documents, typed["upload"])
        if typed["upload"] and service.settings.blobs is not None:
            blobs = open_blobs(service.settings, uploads.folder)
            await asyncio.to_thread(share, uploads.find_folder(typed["upload"]), blobs)
        wanted, expected = await asyncio.to_thread(_build_request, typed, service.settings)
        expected = _replace_options(expected)
        if expected and read_field(form, "sure") != expected:
            return await _render_form(request, typed, expected)
        run_id = await service.start(wanted, _build_order(typed, form))
    except (BadInput, PortFailure) as wrong:
        sentence, status = _replace_options(str(wrong)), choose_status(wrong)
        return await _render_form(request, typed, wrong=sentence, status=status)
    return RedirectResponse(build_run_path(run_id), status_code=303)


def _build_order(typed: Mapping[str, str], form: FormData) -> str:
    """Say what one form asks for, so that a second press of its button starts nothing more."""
    # What was dropped is kept anew at each press; who goes back and changes something asks anew.
    if not typed["once"]:
        return ""
    dropped = [file.filename for file in form.getlist("documents") if isinstance(file, UploadFile)]
    return json.dumps([{**typed, "upload": ""}, dropped])


_LABELS = {"deadline": "Leave stragglers after", "max_cost": "Budget"}
_FIELD_OF = {" with --corpus": "", ", in quotation marks": ""} | {
    option.flag: f"“{_LABELS.get(name, name.capitalize())}”" for name, option in OPTIONS.items()
}
"""What a command calls an option, and the form a field."""


def _replace_options(sentence: str) -> str:
    for option, name in _FIELD_OF.items():
        sentence = sentence.replace(option, name)
    return sentence


def _build_request(typed: dict[str, str], settings: Settings) -> tuple[ResearchRequest, str]:
    folders = []
    if typed["folder"].strip():
        remedy = "choose one of the list, or drop documents"
        folders.append(str(require_offered(typed["folder"], settings, remedy)))
    if typed["upload"]:
        folders.append(str(Uploads(settings.uploads_folder).find_folder(typed["upload"])))
    if not (names_own_server() or folders or settings.corpus or settings.searches_web):
        raise BadInput(
            "There is nothing to search: drop documents here, or have `caveat up --corpus DIR` "
            "offer a folder."
        )
    options = {name: typed[name].strip().removeprefix("$") or None for name in _FORM_OPTIONS}
    return prepare_request(build_fields({**options, "corpus": folders}), settings)


def list_folders(settings: Settings) -> Sequence[str]:
    folders: list[str] = []
    for root in settings.open_folders:
        folders.append(str(root))
        with suppress(OSError):
            inside = sorted(path for path in root.iterdir() if path.is_dir())
            folders += [str(path) for path in inside if not path.name.startswith(".")]
    return folders[:_MOST_FOLDERS]


async def _render_form(
    request: Request, typed: dict[str, str], expected: str = "", wrong: str = "", status: int = 200
) -> Response:
    """Show the form with what was typed, and what is expected of it where it is paid for."""
    service = get_service(request)
    settings = service.settings
    uploads = Uploads(settings.uploads_folder)
    context: dict[str, Any] = {
        "typed": {**dict.fromkeys(_FIELDS, ""), **typed},
        "said": expected,
        "wrong": wrong,
        "folders": await asyncio.to_thread(list_folders, settings),
        "files": await asyncio.to_thread(uploads.list_names, typed.get("upload", "")),
        "options": OPTIONS,
        "languages": LANGUAGES,
        "teams": load_teams(settings).list_names(),
        "pays": settings.uses_claude,
        "searches_web": settings.searches_web and not settings.corpus,
        "has_default": bool(settings.corpus),
        "example": EXAMPLE_TOPIC,
        "recent": (),
    }
    if request.url.path == "/":
        context["recent"] = await service.runs.list_latest(_RECENT)
    return render_page(request, "ask.html", context, status)


_LONGEST = 120  # characters of a file's name that a sentence repeats
_LONGEST_BYTES = 200  # of a file's name; file systems end at 255, and a number may be added


@dataclass(frozen=True)
class Uploads:
    folder: Path

    async def keep(self, files: Sequence[UploadFile | str], before: str = "") -> str:
        """Keep documents, and return the name of their folder; empty where there are none."""
        sent = [file for file in files if isinstance(file, UploadFile) and file.filename]
        if not sent:
            return before if DROPPED.fullmatch(before) else ""
        largest = max(sent, key=lambda file: file.size or 0)
        if (largest.size or 0) > SIZE_LIMIT:
            name = sanitize_line(largest.filename or "")[:_LONGEST]
            raise BadInput(f"“{name}” is larger than {SIZE_LIMIT // 1_000_000} MB: leave it out.")
        earlier = [(path.name, path) for path in self._list_documents(before)]
        new = [(_sanitize_name(file.filename or ""), file.file) for file in sent]
        return (await asyncio.to_thread(gather, [*earlier, *new], self.folder)).name

    def find_folder(self, name: str) -> Path:
        if not self._list_documents(name):
            raise BadInput("The documents that were dropped are no longer here: drop them again.")
        return self.folder / name

    def list_names(self, name: str) -> list[str]:
        return [path.name for path in self._list_documents(name)]

    def _list_documents(self, name: str) -> list[Path]:
        """List documents that were kept; none where there is no such folder."""
        with suppress(OSError):
            return sorted((self.folder / name).iterdir()) if DROPPED.fullmatch(name) else []
        return []


def _sanitize_name(sent: str) -> str:
    """Name a file with nothing in it that leads elsewhere."""
    last = PurePosixPath(sanitize_line(sent).replace("\\", "/")).name
    named = Path(re.sub(r"[^\w .,()+-]", "_", last).strip(" .") or "document")
    stem = named.stem.encode()[: _LONGEST_BYTES - len(named.suffix.encode())]
    return stem.decode(errors="ignore") + named.suffix

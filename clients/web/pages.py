"""What pages are made of: templates filled in, forms as they are sent back, and what goes wrong.

Nothing is in them that a source could have a browser obey.
"""

import datetime as dt
import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from jinja2 import Environment
from markupsafe import Markup, escape
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, Response

from caveat.clients.run_description import ASKED
from caveat.clients.service import Service
from caveat.failures import PortFailure
from caveat.problem import ExitCode, NoResult, NoSuchRun, Problem
from caveat.rendering import amounts, progress, words
from caveat.rendering.html.document import load_templates
from caveat.rendering.links import build_contradiction_path, build_run_path

FOLDER = Path(__file__).parent


def _format_time_left(until: dt.datetime) -> str:
    span = until - dt.datetime.now(dt.UTC)
    if span <= dt.timedelta(0):
        return "time is over"
    if span < dt.timedelta(minutes=1):
        return "less than a minute left"
    return f"{amounts.format_span(dt.timedelta(minutes=span // dt.timedelta(minutes=1)))} left"


@lru_cache(maxsize=1)
def _build_environment() -> Environment:
    made = load_templates(FOLDER / "templates")
    made.filters |= {
        "moment": words.format_datetime,  # page.js has it in the reader's own time
        "left": _format_time_left,
        "day": words.format_date,
        "commands": _render_commands,
        "phase": progress.describe_phase,
        "headline": progress.describe_progress,
        "assignment": progress.describe_assignment,
        "confidence": words.format_confidence,
        "web_address": words.sanitize_address,
    }
    made.globals |= {
        "words": words,
        "format_count": amounts.format_count,
        "list_checked": amounts.list_checked,
        "format_spending": amounts.format_spending,
        "path_of": build_run_path,
        "contradiction_path": build_contradiction_path,
        "once": lambda: secrets.token_hex(8),
    }
    return made


def _render_commands(sentence: str) -> Markup:
    """Set what stands between backticks as something to type."""
    parts = sentence.split("`")
    if len(parts) % 2 == 0:  # one of them is none of ours
        return escape(sentence)
    parts[1::2] = [Markup("<code>{}</code>").format(part) for part in parts[1::2]]
    return Markup().join(parts)


def render_fragment(template: str, context: Mapping[str, Any]) -> str:
    return _build_environment().get_template(template).render(context)


def render_page(
    request: HTTPConnection,
    template: str,
    context: Mapping[str, Any] | None = None,
    status: int = 200,
) -> HTMLResponse:
    run_id = request.path_params.get("run_id", "")
    frame = {
        "path": request.url.path,
        "run_path": build_run_path(run_id),
        "asked_of": run_id.rpartition(ASKED)[0],  # the run that a question was put to
        "is_known": request.scope.get("state", {}).get("is_known"),
    }
    return HTMLResponse(render_fragment(template, {**frame, **(context or {})}), status_code=status)


_MOST_FILES = 200
_MOST_FIELDS = 60
FIELD_BYTES = 64 * 1024  # of what is typed: a topic has 2,000 characters, a reason 1,000


async def read_form(request: Request) -> FormData:
    return await request.form(
        max_files=_MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=FIELD_BYTES
    )


def read_field(form: FormData, name: str) -> str:
    """Return what was typed into a field; nothing where it is missing or a file."""
    value = form.get(name)
    return value if isinstance(value, str) else ""


def read_fields(form: FormData, name: str) -> tuple[str, ...]:
    return tuple(value for value in form.getlist(name) if isinstance(value, str))


_BY_CODE = {ExitCode.WRONG_INPUT: 400, ExitCode.OUT_OF_REACH: 503, ExitCode.FAILED: 409}


def choose_status(problem: Exception) -> int:
    match problem:
        case NoSuchRun() | NoResult():
            return 404
        case Problem():
            return _BY_CODE.get(problem.exit_code, 500)
        case _:
            return 503


def describe_problem(problem: Exception) -> str:
    """Say what is wrong to a reader of the page, who may have no terminal to list runs at."""
    if isinstance(problem, NoSuchRun):
        return f"{str(problem).rpartition(':')[0]}: “Runs” lists those that are known."
    return str(problem)


async def _render_problem(request: Request, problem: Exception) -> Response:
    status = choose_status(problem)
    match problem:
        case Problem() | PortFailure():
            sentence = describe_problem(problem)
        case HTTPException(status_code=status):
            sentence = "There is no such page." if status == 404 else f"{problem.detail}."
        case _:
            status = 500
            sentence = (
                f"Something unforeseen happened ({type(problem).__name__}); runs on the server are "
                "not touched by it, and the log of `caveat up` has the details."
            )
    return render_page(request, "problem.html", {"sentence": sentence}, status)


HANDLERS: Mapping[Any, Callable[[Request, Exception], Awaitable[Response]]] = dict.fromkeys(
    (Problem, PortFailure, HTTPException, Exception), _render_problem
)
"""What answers for each kind of exception."""


def get_service(request: Request) -> Service:
    return cast("Service", request.app.state.service)

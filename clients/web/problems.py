"""What goes wrong, as a page with one sentence that says what to do."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from caveat.clients.problems import NoResult, NoSuchRun
from caveat.clients.web.forms import Forged
from caveat.clients.web.pages import page
from caveat.failures import PortFailure
from caveat.problem import ExitCode, Problem

_BY_CODE = {ExitCode.WRONG_INPUT: 400, ExitCode.OUT_OF_REACH: 503, ExitCode.FAILED: 409}


def status_of(problem: Exception) -> int:
    """Choose the status of an answer that says what is wrong."""
    match problem:
        case Forged():
            return 403
        case NoSuchRun() | NoResult():
            return 404
        case Problem():
            return _BY_CODE.get(problem.exit_code, 500)
        case _:
            return 503


async def _told(request: Request, problem: Exception) -> Response:
    return page(request, "problem.html", {"sentence": str(problem)}, status_of(problem))


async def _missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  # what it is registered for
    sentence = "There is no such page." if error.status_code == 404 else f"{error.detail}."
    return page(request, "problem.html", {"sentence": sentence}, error.status_code)


async def _unforeseen(request: Request, error: Exception) -> Response:
    sentence = (
        f"Something unforeseen happened ({type(error).__name__}); runs on the server are not "
        "touched by it, and the log of `caveat up` has the details."
    )
    return page(request, "problem.html", {"sentence": sentence}, 500)


HANDLERS: Mapping[Any, Callable[[Request, Exception], Awaitable[Response]]] = {
    Problem: _told,
    PortFailure: _told,
    HTTPException: _missing,
    Exception: _unforeseen,
}
"""What answers for each kind of exception."""

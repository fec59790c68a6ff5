"""The page in this process: what browsers and others send it, without a socket."""

from collections.abc import Callable
from typing import Any, cast

import httpx2
import pytest

from caveat.clients.service import Service
from caveat.clients.web.access import Gate
from caveat.clients.web.serving import build_application

TOKEN = "the-token-that-opens-this-page-and-no-other"  # noqa: S105  # of these tests alone
ORIGIN = "http://127.0.0.1:8234"
Browser = Callable[..., httpx2.AsyncClient]


class NoServer:
    """Stands where no server may be asked: whoever is refused must not get so far."""

    @property
    def arbitrations(self) -> "NoServer":
        return self

    @staticmethod
    async def list_waiting() -> list[Any]:
        return []

    @staticmethod
    async def list_unsettled() -> tuple[list[Any], list[Any]]:
        return [], []


@pytest.fixture
def gate() -> Gate:
    return Gate(TOKEN)


@pytest.fixture
def browser(gate: Gate) -> Browser:
    """Make something that sends requests to a page with a gate."""

    def made(rules: Gate = gate, service: Any = None, **headers: str) -> httpx2.AsyncClient:
        app = build_application(cast("Service", service or NoServer()), rules)
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        return httpx2.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers)

    return made


async def let_in(visitor: httpx2.AsyncClient) -> None:
    """Open the page with the token."""
    await visitor.get("/inbox", params={"token": TOKEN})
    shown = await visitor.get("/inbox")
    assert shown.status_code == 200, shown.text

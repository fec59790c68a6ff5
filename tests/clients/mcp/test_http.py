"""The same tools beside the page, behind its admission: without a socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from caveat.clients.mcp.server import PATH, build_http_routes
from caveat.clients.service import Service
from caveat.clients.web.access import Gate
from caveat.clients.web.serving import build_application
from tests.clients.web.conftest import ORIGIN, TOKEN, NoServer


@asynccontextmanager
async def visiting(**headers: str) -> AsyncIterator[httpx2.AsyncClient]:
    service = cast("Service", NoServer())
    routes, lifespan = build_http_routes(service)
    app = build_application(service, Gate(TOKEN), mounted=routes)
    transport = httpx2.ASGITransport(app=app, client=("127.0.0.1", 4711))
    async with (
        lifespan(app),
        httpx2.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers) as visitor,
    ):
        yield visitor


@pytest.mark.parametrize("path", [PATH, f"{PATH}/"])
async def test_who_shows_the_token_is_served(path: str) -> None:
    async with (
        visiting(Authorization=f"Bearer {TOKEN}") as visitor,
        Client(streamable_http_client(f"{ORIGIN}{path}", http_client=visitor)) as client,
    ):
        called = await client.call_tool("list_contradictions", {})
        assert (called.is_error, called.structured_content) == (False, {"result": []})


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"},
        {"Authorization": f"Bearer {TOKEN}", "Origin": "https://evil.example"},
    ],
)
async def test_who_does_not_or_is_another_page_is_refused(headers: dict[str, str]) -> None:
    async with visiting(**headers) as visitor:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        answer = await visitor.post(f"{PATH}/", json=asked)
        assert answer.status_code in {401, 403, 421}, answer.text

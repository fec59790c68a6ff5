"""A real MCP server over HTTP, whose answers are read no further than they may go."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
import uvicorn
from starlette.types import ASGIApp

from caveat.adapters.mcp import Asking, McpServer, build_body_limit
from caveat.contracts.failure import FailureType
from tests.fakes import mcp_source
from tests.fakes.failures import failure_of
from tests.fakes.free_ports import free_port
from tests.fakes.mcp_source import NOTES

MOST = 1_000_000  # bytes, in these tests: a flood of them is five million


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[str]:
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", ws="none"))
    serving = asyncio.create_task(server.serve())
    try:
        while not server.started:
            assert not serving.done()
            await asyncio.sleep(0.02)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        server.force_exit = True
        await serving


@pytest.mark.parametrize("as_json", [True, False], ids=["json", "events"])
async def test_answers_are_bounded(as_json: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_source, "how", "well")
    async with served(mcp_source.server.streamable_http_app(json_response=as_json)) as url:
        asking = Asking("notes", McpServer(url=url), arriving_bytes=MOST)
        found = await asking.call("fetch", {"id": "planck"})
        assert found["text"] == NOTES["planck"]
        monkeypatch.setattr(mcp_source, "how", "flood")
        raised = await failure_of(asking.call("fetch", {"id": "planck"}))
    assert raised.failure_type is FailureType.UNAVAILABLE


async def test_a_packed_answer_is_not_unpacked() -> None:
    def packed(_: httpx2.Request) -> httpx2.Response:
        stream = httpx2.ByteStream(b"\x1f\x8b")
        return httpx2.Response(200, headers={"Content-Encoding": "gzip"}, stream=stream)

    async with httpx2.AsyncClient(
        transport=httpx2.MockTransport(packed), event_hooks={"response": [build_body_limit(MOST)]}
    ) as client:
        with pytest.raises(httpx2.ReadError, match="packed, unasked"):
            await client.get("http://127.0.0.1/mcp")

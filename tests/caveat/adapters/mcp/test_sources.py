"""A real MCP server as a source, over stdio and HTTP: what it finds, brings, and cannot do."""

import asyncio
import datetime as dt
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
import uvicorn
from mcp import Client
from starlette.types import ASGIApp

from caveat.adapters.mcp import Asking, McpSearch, McpServer, McpTexts, build_body_limit
from caveat.contracts.envelope import Failure, FailureType
from caveat.contracts.source import SourceKind, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.failures import PortFailure
from caveat.rules.sources.credibility import score_credibility
from caveat.tables import read_table
from tests.fakes import mcp_source
from tests.fakes.failures import failure_of
from tests.fakes.free_ports import free_port
from tests.fakes.mcp_source import NOTES

TASK = SearchTask(task_id="s", description="d", query="hubble constant", corpus=(), limit=5)


@dataclass(frozen=True)
class Here(Asking):
    """Asks the same server in this process: another one takes a second to start."""

    @asynccontextmanager
    async def _open_client(self) -> AsyncIterator[Client]:
        async with Client(mcp_source.server) as client:
            yield client


def asking(how: str = "well", total_s: float = 60.0) -> Asking:
    command = (sys.executable, str(mcp_source.__file__), how)
    if how == "well":
        return Asking("notes", McpServer(command=command), total_s)
    mcp_source.how = how
    return Here("notes", McpServer(command=command), total_s)


def library(how: str = "well") -> McpTexts:
    return McpTexts({"notes": asking(how)})


async def found(how: str = "well") -> list[SourceRef]:
    return [hit.source for hit in (await McpSearch(asking(how)).search(TASK)).hits]


async def asked(how: str, total_s: float, *, reads: bool) -> None:
    if reads:
        source = SourceRef(id="s-1", title="Note", url="mcp://notes/planck")
        await library(how).read(source)
    else:
        await McpSearch(asking(how, total_s)).search(TASK)


async def refusal_of(how: str, *, total_s: float = 60.0, reads: bool = False) -> Failure:
    return await failure_of(asked(how, total_s, reads=reads))


async def test_what_it_finds_is_read_from_it() -> None:
    first, second = await found()
    assert (first.url, second.url) == ("mcp://notes/planck", "mcp://notes/shoes%2F1")
    assert first.title == "Note planck (https://nature.com/x)"
    document = await library().read(second)
    assert document.snapshot.text.strip() == NOTES["shoes/1"]
    assert document.source == second


async def test_a_server_borrows_no_publishers_standing() -> None:
    (source, _) = await found("forged")
    document = await library("forged").read(source)
    assert document.source.kind is SourceKind.UNKNOWN
    assert document.source.url == "mcp://notes/planck"
    own = SourceRef(id="s-2", title="A page", url="https://blog.example/x")
    day = dt.date(2026, 6, 1)
    assert score_credibility(document.source, day).score <= score_credibility(own, day).score


async def test_what_is_no_result_is_passed_over_and_the_rest_is_bounded() -> None:
    sources = await found("hostile")
    assert len(sources) == TASK.limit
    assert len({source.id for source in sources}) == TASK.limit


@pytest.mark.parametrize(
    ("how", "kind"), [("error", FailureType.NOT_FOUND), ("other", FailureType.PERMANENT)]
)
async def test_a_search_that_fails(how: str, kind: FailureType) -> None:
    failure = await refusal_of(how)
    assert failure.failure_type is kind
    assert "ignore" not in failure.message


async def test_a_server_that_is_slow_or_not_there() -> None:
    assert (await refusal_of("slow", total_s=1.0)).failure_type is FailureType.TIMEOUT
    nowhere = Asking("notes", McpServer(command=("/no/such/server",)))
    raised = await failure_of(McpSearch(nowhere).search(TASK))
    assert raised.failure_type is FailureType.UNAVAILABLE


@pytest.mark.parametrize("how", ["flood", "empty", "own"])
async def test_a_text_that_cannot_be_one(how: str) -> None:
    assert (await refusal_of(how, reads=True)).failure_type is FailureType.PERMANENT


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[papers]\n", "either a command or a url"),
        ('[papers]\ncommand = ["x"]\nurl = "https://x"\n', "either a command or a url"),
        ('[papers]\nurl = "ftp://x"\n', "http:// or https://"),
        ('[papers]\ncommand = ["x"]\nserach = "find"\n', "serach"),
        ("[papers\n", "is not valid TOML"),
        (None, "cannot be read"),
    ],
)
def test_a_file_with_a_mistake(tmp_path: Path, written: str | None, said: str) -> None:
    if written is not None:
        (tmp_path / "mcp.toml").write_text(written)
    with pytest.raises(PortFailure, match=said):
        read_table(tmp_path / "mcp.toml", "The file", dict[str, McpServer])


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "mcp.toml").write_text('[papers]\ncommand = ["x", "y"]\nsearch = "find"\n')
    assert read_table(tmp_path / "mcp.toml", "The file", dict[str, McpServer]) == {
        "papers": McpServer(command=("x", "y"), search="find")
    }


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

"""A run whose task queue no worker polls, beside workers of other reasoners."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client as Assistant
from mcp.client.streamable_http import streamable_http_client
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter

from caveat.clients.mcp.server import PATH
from caveat.clients.runs import Runs
from caveat.contracts.backend import Backend
from caveat.contracts.plan import ResearchRequest
from standins.messages_api import KEY, StandIn, stand_in
from tests.fakes.claude_cast import Cast
from tests.fakes.home import DEADLINE_S, Home

pytestmark = pytest.mark.system

ELSEWHERE = Backend(
    reasoner="claude",
    models=("planning=eu.anthropic.claude-opus-4-6", "writing=eu.anthropic.claude-opus-4-6"),
    server="bedrock-runtime.eu-central-1.amazonaws.com",
    credentials="0123456789abcdef01234567",
    provider="bedrock",
)
SENTENCE = (
    "It waits, and no worker with claude (eu.anthropic.claude-opus-4-6; on bedrock; at "
    "bedrock-runtime.eu-central-1.amazonaws.com) and the account that it began with is there: "
    "start one with `caveat up`, or with `caveat worker` for a server of your own."
)
SECONDS = 15.0
"""Within which it is said: tasks wait five seconds before anybody is told; commands take two."""


@pytest.fixture
async def api() -> AsyncIterator[StandIn]:
    async with stand_in(model=Cast()) as api:
        yield api


async def begin(home: Home, run_id: str, **asked: Any) -> None:
    address = f"127.0.0.1:{home.environment['CAVEAT_PORT']}"
    client = await Client.connect(address, data_converter=pydantic_data_converter)
    request = ResearchRequest(topic="How long is the bridge?", corpus=(str(home.corpus),), **asked)
    await Runs(client).start(run_id, request)


async def test_workers_of_two_reasoners_and_a_run_of_a_third(home: Home, api: StandIn) -> None:
    keyed = Home.without(home, "nothing")
    keyed.environment |= {
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": api.url,
        "TEMPORAL_ADDRESS": f"127.0.0.1:{home.environment['CAVEAT_PORT']}",
    }
    await asyncio.to_thread(_seen, home, keyed)


def _seen(home: Home, keyed: Home) -> None:
    run_id = "research-left-0a1b2c"
    with home.serving(until="Page"), keyed.serving("worker"):
        asyncio.run(begin(home, run_id, backend=ELSEWHERE, reasoner="claude"))
        began = time.monotonic()
        listed = _until_left(home, run_id)
        assert time.monotonic() - began < SECONDS
        _says_so_everywhere(home, run_id, listed)


def _until_left(home: Home, run_id: str) -> dict[str, Any]:
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        (line,) = home.json("runs")
        if line["waits_for"]:
            assert line["run_id"] == run_id
            return dict(line)
    raise AssertionError("nobody said it")


def _says_so_everywhere(home: Home, run_id: str, listed: dict[str, Any]) -> None:
    assert listed["waits_for"] == SENTENCE
    assert f"{run_id}: {SENTENCE}" in home.caveat("runs").stderr
    assert SENTENCE in home.caveat("status", run_id).stdout
    assert home.json("status", run_id)["waits_for"] == SENTENCE
    followed = home.caveat("resume", run_id)
    assert followed.returncode == 3
    assert SENTENCE in followed.stderr
    asyncio.run(_on_the_page(home, run_id))


async def _on_the_page(home: Home, run_id: str) -> None:
    token = (Path(home.environment["CAVEAT_STATE_DIR"]) / "web.token").read_text().strip()
    page = f"http://127.0.0.1:{home.environment['CAVEAT_WEB_PORT']}"
    async with httpx2.AsyncClient(follow_redirects=True, timeout=30) as visitor:
        await visitor.get(f"{page}/?token={token}")
        assert "no worker" in (await visitor.get(f"{page}/runs")).text
        seen = (await visitor.get(f"{page}/runs/{run_id}")).text
        assert "no worker with claude (eu.anthropic.claude-opus-4-6; on bedrock" in seen
    bearer = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=bearer, timeout=30) as caller,
        Assistant(streamable_http_client(f"{page}{PATH}/", http_client=caller)) as assistant,
    ):
        called = await assistant.call_tool("run_status", {"run": run_id})
        assert SENTENCE in json.dumps(called.structured_content)

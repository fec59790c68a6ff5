"""`caveat mcp` as an assistant finds it: the official client, over stdio, on the real server."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.session import ElicitationFnT
from mcp_types import CallToolResult, ElicitResult, TextContent, TextResourceContents

from caveat.clients.options import build_fields
from caveat.clients.requests import validate_request
from caveat.contracts.plan import Depth
from caveat.problem import BadInput
from caveat.workers.settings import Settings
from tests.fakes.home import NOTES, TOPIC, Home

pytestmark = [pytest.mark.system, pytest.mark.xdist_group("mcp")]
TOOLS = {
    "start_research",
    "run_status",
    "read_report",
    "list_contradictions",
    "cancel",
    "ask_person_to_rule",
    "list_runs",
    "audit",
    "ask",
    "find_passages",
}


@asynccontextmanager
async def assisted(
    home: Home, mode: str = "auto", answer: ElicitationFnT | None = None
) -> AsyncIterator[Client]:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "caveat.clients.cli.main", "mcp", "--corpus", str(home.corpus)],
        env=home.environment,
        cwd=home.folder,
    )
    async with Client(server, mode=mode, elicitation_callback=answer) as client:
        yield client


def text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def called(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, given)
    assert not result.is_error, text(result)
    found = result.structured_content
    read: dict[str, Any] = json.loads(text(result)) if found is None else found
    return read


async def refused(client: Client, tool: str, **given: Any) -> str:
    result = await client.call_tool(tool, given)
    assert result.is_error
    return text(result)


async def of_resource(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content.text


async def test_an_assistant_researches_and_a_person_rules(home: Home) -> None:  # one session
    asked: list[str] = []
    said: dict[str, Any] = {"ruling": "both", "reason": "They differ in epoch.", "name": "Ada"}

    async def rule(context: Any, params: Any) -> ElicitResult:
        assert context is not None
        asked.append(params.message)
        choices = params.requested_schema["properties"]["ruling"]["enum"]
        assert choices == ["a", "b", "both", "neither"]
        return ElicitResult(action="accept", content=said)

    told: list[str] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        assert total is not None
        assert progress <= total
        told.append(message or "")

    async with assisted(home, answer=rule) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        prompts = (await client.list_prompts()).prompts
        assert {each.name for each in prompts} == {"research", "check", "decide"}
        wanted = await client.get_prompt("research", {"question": TOPIC})
        assert TOPIC in str(wanted.messages[0].content)
        run = (await called(client, "start_research", topic=TOPIC))["run_id"]
        waits = {"run_id": run, "wait_seconds": 120}
        status = await client.call_tool("run_status", waits, progress_callback=tell)
        assert status.structured_content is not None
        assert status.structured_content["phase"] == "awaiting_rulings"
        assert told
        waiting = await client.call_tool("list_contradictions", {})
        (open_one,) = json.loads(json.dumps(waiting.structured_content))["result"]
        assert open_one["arbitration"] == f"{run}/contradiction-1"
        ruled = await called(client, "ask_person_to_rule", arbitration=run)
        assert ruled["accepted"]
        assert ruled["contradiction"]["decided_by"] == "Ada"
        assert ruled["contradiction"]["signed"] is not False
        assert "Sources disagree" in asked[0]
        ended = await called(client, "run_status", run_id=run, wait_seconds=120)
        assert (ended["status"], ended["answered"]) == ("completed", None)
        assert ended["answer"]
        await _read(client, run)
        await _ask_on(client, run)


async def _ask_on(client: Client, run: str) -> None:
    question = {"question": "What does the ladder say of the Hubble constant?"}
    begun = await called(client, "ask", run_id=run, **question)
    assert begun["asked_of"] == run
    on = await called(client, "run_status", run_id=begun["run_id"], wait_seconds=120)
    assert (on["status"], on["answered"]) == ("completed", None)
    assert on["answer"]
    assert "is empty: ask" in await refused(client, "ask", run_id=run, question=" ")


async def _read(client: Client, run: str) -> None:
    whole = await client.call_tool("read_report", {"run_id": "latest"})
    assert text(whole).count("# ") > 5
    assert await of_resource(client, f"caveat://runs/{run}/report") == text(whole)
    report = json.loads(await of_resource(client, f"caveat://runs/{run}/report.json"))
    assert report["run_id"] == run
    claim = report["claims"][0]
    sha256 = {each["id"]: each["snapshot_sha256"] for each in report["sources"]}
    snapshot = await of_resource(client, f"caveat://snapshots/{sha256[claim['source_id']]}")
    assert claim["quote"] in snapshot
    await _look_around(client, run, text(whole))
    await _find_passages(client, run)
    sources = text(await client.call_tool("read_report", {"run_id": run, "section": "sources"}))
    assert sources.startswith("## Sources\n")
    assert f"\n{sources}" in text(whole)
    assert "choose from Answer; " in await refused(client, "read_report", run_id=run, section=99)
    assert "was ruled on by Ada" in await refused(client, "ask_person_to_rule", arbitration=run)
    misnamed = await refused(client, "read_report", report=run)
    assert misnamed.startswith("read_report takes no such arguments: ")
    assert "report is not known" in misnamed
    assert "ended already" in await refused(client, "cancel", run_id=run)
    with pytest.raises(MCPError, match="There is no run nope"):
        await client.read_resource("caveat://runs/nope/report")
    with pytest.raises(MCPError, match="no snapshot"):
        await client.read_resource(f"caveat://snapshots/{'0' * 64}")


async def _find_passages(client: Client, run: str) -> None:
    """In what a run read and in a folder the same, each with its place."""
    asked = {"question": "Which distance ladder do Cepheid variable stars give?", "limit": 2}
    for named in ({"run_id": run}, {"corpus": ["papers"]}, {}):
        found = await client.call_tool("find_passages", {**asked, **named})
        assert found.structured_content is not None, text(found)
        first, _ = found.structured_content["result"]
        assert first["source"]["path"] in {"shoes.md", "trgb.md"}
        assert first["location"] == first["source"]["path"]
        note = NOTES[first["source"]["path"]]
        assert f"{first['before']}{first['quote']}{first['after']}" in note
    outside = await refused(client, "find_passages", question="why?", corpus=["/etc"])
    assert "/etc is not one of the folders that are offered here" in outside


async def _look_around(client: Client, run: str, whole: str) -> None:
    answer = text(await client.call_tool("read_report", {"run_id": run, "section": "answer"}))
    assert answer.startswith("## Answer\n\n**Closest passages.** ")
    assert "Confidence " not in answer  # no model read, so nobody can tell how sure it is
    assert len(answer) < len(whole) / 2
    listed = await client.call_tool("list_runs", {"limit": 1})
    assert listed.structured_content is not None
    assert [each["run_id"] for each in listed.structured_content["result"]] == [run]
    assert (await called(client, "audit", run_id=run))["passed"]


WRONG: list[dict[str, Any]] = [
    {"topic": " "},
    {"topic": "x" * 2_001},
    {"topic": "why?", "depth": "bottomless"},
    {"topic": "why?", "max_cost": -1.0},
    {"topic": "why?", "request": {"max_sources": 0}},
    {"topic": "why?", "deadline": "soon"},
]


async def test_a_model_cannot_rule_and_wrong_input_is_told_as_at_the_terminal(home: Home) -> None:
    async with assisted(home, mode="legacy") as client:  # as clients of 2025 speak
        for given in WRONG:
            options = {name: value for name, value in given.items() if name != "request"}
            fields = build_fields(options, given.get("request"))
            with pytest.raises(BadInput) as caught:
                validate_request(fields, Settings(), is_here=False)
            assert str(caught.value) == await refused(client, "start_research", **given)
        outside = await refused(client, "start_research", topic="why?", corpus=["/etc"])
        assert "/etc is not one of the folders that are offered here" in outside
        assert "There is no run nope" in await refused(client, "run_status", run_id="nope")
        run = (await called(client, "start_research", topic=TOPIC))["run_id"]
        await called(client, "run_status", run_id=run, wait_seconds=120)
        said = await refused(client, "ask_person_to_rule", arbitration=run)
        assert "Only a person may rule" in said
        tools = (await client.list_tools()).tools
        (starting,) = [tool for tool in tools if tool.name == "start_research"]
        assert starting.input_schema["properties"]["depth"]["enum"] == list(Depth)
        (asking,) = [tool for tool in tools if tool.name == "ask_person_to_rule"]
        assert set(asking.input_schema["properties"]) == {"arbitration"}
        ended = await called(client, "cancel", run_id=run)
        assert ended["status"] == "cancelled"

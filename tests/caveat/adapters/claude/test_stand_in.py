"""The stand-in refuses what the real API refuses, as far as that is known."""

from typing import Any

import httpx2
import pytest

from standins.messages_api import KEY, Says, StandIn

HEADERS = {"authorization": f"Bearer {KEY}", "anthropic-version": "2023-06-01"}
BODY: dict[str, Any] = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 10,
    "messages": [{"role": "user", "content": "Hello"}],
    "stream": True,
}


def format_(schema: Any) -> dict[str, Any]:
    return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}


CLOSED = {"type": "object", "properties": {}, "additionalProperties": False}
CITED = [
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "Hello"},
            {"type": "document", "citations": {"enabled": True}},
        ],
    }
]
LONG = [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}] * 5


async def status(api: StandIn, body: dict[str, Any], headers: dict[str, str]) -> int:
    async with httpx2.AsyncClient(trust_env=False) as http:
        answer = await http.post(f"{api.url}/v1/messages", json=body, headers=headers)
        return answer.status_code


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 200),
        (format_(CLOSED), 200),
        ({"max_tokens": 0}, 400),
        ({"max_tokens": None}, 400),
        ({"model": None}, 400),
        ({"messages": []}, 400),
        ({"messages": [{"role": "assistant", "content": "Hi"}]}, 400),
        ({"messages": [{"role": "user", "content": " "}]}, 400),
        ({"messages": [*BODY["messages"], {"role": "tool", "content": "x"}]}, 400),
        ({"messages": [*BODY["messages"], {"role": "assistant", "content": "x "}]}, 400),
        ({"more": 1}, 400),
        ({"system": LONG}, 400),
        (format_({"type": "object", "properties": {}}), 400),
        (format_({**CLOSED, "properties": {"a": {"type": "integer", "minimum": 1}}}), 400),
        ({**format_(CLOSED), "messages": CITED}, 400),
        ({"model": "claude-none"}, 404),
    ],
)
async def test_requests(changes: dict[str, Any], expected: int, api: StandIn) -> None:
    api.models = frozenset({"claude-sonnet-5-5"})
    api.model = lambda _: Says("Hi")
    assert await status(api, {**BODY, **changes}, HEADERS) == expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"x-api-key": KEY, "anthropic-version": "2023-06-01"}, 200),
        ({"x-api-key": "sk-other", "anthropic-version": "2023-06-01"}, 401),
        ({"anthropic-version": "2023-06-01"}, 401),
        ({"x-api-key": KEY}, 400),
    ],
)
async def test_headers(headers: dict[str, str], expected: int, api: StandIn) -> None:
    api.will(Says("Hi"))
    assert await status(api, BODY, headers) == expected


@pytest.mark.parametrize(
    "changes", [format_(CLOSED), {"system": LONG[:1]}], ids=["schema", "caching"]
)
async def test_features_that_it_lacks(changes: dict[str, Any], api: StandIn) -> None:
    api.structured_outputs = api.prompt_caching = False
    assert await status(api, {**BODY, **changes}, HEADERS) == 400

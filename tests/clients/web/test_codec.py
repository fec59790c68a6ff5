"""The codec server: what the Web UI may have decoded, and what no other page may."""

import base64
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from httpx2 import AsyncClient
from temporalio.api.common.v1 import Payload
from temporalio.converter import DataConverter

from caveat.adapters.files.blobs import FolderBlobs
from caveat.clients.web.access import Gate
from caveat.workers.data import THRESHOLD, build_data_converter
from tests.clients.web.conftest import TOKEN, Browser
from tests.fakes.encryption import a_key

UI = "http://127.0.0.1:8233"


@dataclass(frozen=True)
class Connected:
    """A service that has a converter, and asks no server."""

    data_converter: DataConverter

    @property
    def connection(self) -> "Connected":
        return self

    client = connection


@pytest.fixture
def converter(tmp_path: Path) -> DataConverter:
    return build_data_converter(FolderBlobs(tmp_path / "payloads"), a_key())


@pytest.fixture
def rules(gate: Gate) -> Gate:
    return replace(gate, codec_origins=frozenset({UI}))


@pytest.fixture
def program(browser: Browser, rules: Gate, converter: DataConverter) -> AsyncClient:
    return browser(rules, service=Connected(converter), authorization=f"Bearer {TOKEN}")


@pytest.fixture
async def visitor(browser: Browser, rules: Gate, converter: DataConverter) -> AsyncClient:
    made = browser(rules, service=Connected(converter))
    await made.get("/inbox", params={"token": TOKEN})
    return made


def asked(*payloads: Payload) -> dict[str, Any]:
    return {
        "payloads": [
            {
                "metadata": {
                    name: base64.b64encode(value).decode() for name, value in each.metadata.items()
                },
                "data": base64.b64encode(each.data).decode(),
                "externalPayloads": [
                    {"sizeBytes": str(a.size_bytes)} for a in each.external_payloads
                ],
            }
            for each in payloads
        ]
    }


def values(answer: Any) -> list[Any]:
    return [json.loads(base64.b64decode(each["data"])) for each in answer.json()["payloads"]]


async def test_web_ui_has_payloads_decoded(visitor: AsyncClient, converter: DataConverter) -> None:
    sealed = await converter.encode(["said", {"a": 1}])
    preflight = await visitor.options(
        "/codec/decode",
        headers={
            "origin": UI,
            "access-control-request-method": "POST",
            "access-control-request-headers": "content-type,x-namespace",
        },
    )
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == UI
    assert preflight.headers["access-control-allow-credentials"] == "true"
    answer = await visitor.post(
        "/codec/decode",
        json=asked(*sealed),
        headers={"origin": UI, "sec-fetch-site": "same-site", "sec-fetch-mode": "cors"},
    )
    assert answer.status_code == 200, answer.text
    assert values(answer) == ["said", {"a": 1}]
    assert answer.headers["access-control-allow-origin"] == UI


async def test_a_program_asks_with_the_token_alone(program: AsyncClient) -> None:
    plain = Payload(metadata={"encoding": b"json/plain"}, data=b'"said"')
    encoded = await program.post("/codec/encode", json=asked(plain))
    assert b"said" not in base64.b64decode(encoded.json()["payloads"][0]["data"])
    assert values(await program.post("/codec/decode", json=encoded.json())) == ["said"]


async def test_kept_payloads_are_shown_too(program: AsyncClient, converter: DataConverter) -> None:
    large = await converter.encode(["x" * THRESHOLD])
    assert large[0].external_payloads
    for way in ("decode", "download"):
        answer = await program.post(f"/codec/{way}", json=asked(*large))
        assert values(answer) == ["x" * THRESHOLD]
    (left,) = (
        await program.post("/codec/decode?preserveStorageRefs=true", json=asked(*large))
    ).json()["payloads"]
    assert base64.b64decode(left["data"]) == large[0].data


async def test_what_cannot_be_decoded_is_named_beside_what_can(
    program: AsyncClient, converter: DataConverter, tmp_path: Path
) -> None:
    other = build_data_converter(FolderBlobs(tmp_path / "payloads"), a_key(1))
    (foreign,), (ours,) = await other.encode(["x"]), await converter.encode(["said"])
    damaged = Payload(metadata=ours.metadata, data=ours.data[::-1])
    answer = await program.post("/codec/decode", json=asked(foreign, damaged, ours))
    lacking, broken, said = values(answer)
    assert foreign.metadata["encryption-key-id"].decode() in lacking
    assert "is damaged" in broken
    assert said == "said"


async def test_a_stranger_has_nothing_decoded_from_the_web_ui_either(
    browser: Browser, rules: Gate, converter: DataConverter
) -> None:
    stranger = browser(rules, service=Connected(converter))
    given = asked(*await converter.encode(["said"]))
    for headers in ({"origin": UI}, {"origin": UI, "authorization": "Bearer wrong"}):
        answer = await stranger.post("/codec/decode", json=given, headers=headers)
        assert answer.status_code == 401
    for method in ("GET", "OPTIONS"):
        assert (await stranger.request(method, "/codec/decode")).status_code == 401


async def test_from_the_web_ui_nothing_else_may_be_asked(visitor: AsyncClient) -> None:
    for path in ("/ask", "/codec/../ask", "/signout", "/codecs"):
        answer = await visitor.post(path, data={"topic": "x"}, headers={"origin": UI})
        assert answer.status_code == 403, path


@pytest.mark.parametrize("body", ["", "[]", "{", '{"payloads": 1}', "[" * 100_000])
async def test_what_is_no_payload_is_refused(program: AsyncClient, body: str) -> None:
    answer = await program.post("/codec/decode", content=body.encode())
    assert (answer.status_code, answer.text) == (
        400,
        "A codec takes Temporal's payloads as JSON.\n",
    )

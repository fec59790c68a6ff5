"""Recorded from the stand-in over real HTTP, and replayed with nothing behind it."""

import base64
import gzip
import json
import logging
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.adapters.claude.cassettes.folder import address
from caveat.adapters.claude.cassettes.transports import (
    Cassette,
    Mode,
    Recording,
    Replaying,
    cassette_of,
    scrubbed,
)
from caveat.adapters.claude.messages.capabilities import ANTHROPIC
from caveat.adapters.claude.messages.connection import (
    Call,
    ModelConnection,
    ModelReply,
    Timeouts,
    Turn,
    sdk,
)
from caveat.adapters.claude.messages.dialogue import Dialogue, KeptAnswers
from caveat.adapters.claude.messages.keys import FixedKey
from caveat.adapters.claude.messages.problems import Purpose
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.adapters.extractive.rules import ExtractiveRules
from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.failure import FailureCategory, FailureType
from caveat.failures import PortFailure
from standins.messages_api import KEY, Breaks, Fails, Recorded, Says, StandIn, StreamError
from standins.scholar import scholar
from tests.caveat.adapters.claude.evidence import planning

WITHOUT_CATALOGUE = replace(ANTHROPIC, catalogue=False)

ERRAND = Purpose("analyst", "claude-sonnet-5-5", "A page")
NO_KEY = "none"
NOWHERE = "http://127.0.0.1:9"
"""The discard port: nothing answers there."""


def call(question: str = "How wide?", **changes: Any) -> Call:
    whole = {
        "model": "claude-sonnet-5-5",
        "system": "Answer.",
        "schema": None,
        "turns": (Turn("user", question),),
        "room": 100,
    }
    return Call(**{**whole, **changes})


async def asked(
    transport: httpx2.AsyncBaseTransport, *calls: Call, url: str = NOWHERE, key: str = KEY
) -> list[ModelReply | PortFailure]:
    """Put calls through a transport, one after the other."""
    replies: list[ModelReply | PortFailure] = []
    async with sdk(url, Timeouts(), transport) as client:
        connection = ModelConnection(client, FixedKey(key), WITHOUT_CATALOGUE)
        for each in calls:
            try:
                replies.append(await connection.call(each, ERRAND, deadline=float("inf")))
            except PortFailure as failure:
                replies.append(failure)
    return replies


async def recorded(api: StandIn, folder: Path, *calls: Call) -> list[ModelReply | PortFailure]:
    return await asked(Recording(httpx2.AsyncHTTPTransport(), folder), *calls, url=api.url)


async def replayed(folder: Path, *calls: Call) -> list[ModelReply | PortFailure]:
    return await asked(Replaying(folder), *calls, key=NO_KEY)


def texts(replies: list[ModelReply | PortFailure]) -> list[str]:
    return [each.text for each in replies if isinstance(each, ModelReply)]


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*-*.json"))


def everything(folder: Path) -> str:
    return "".join(file.read_text(encoding="utf-8") for file in folder.rglob("*.json"))


async def test_what_was_recorded_is_replayed_without_key_or_server(
    api: StandIn, tmp_path: Path
) -> None:
    api.will(Says("Two “metres”.\r\nOr\u2028three " + "é" * 500), Says("Blue.", usage=USAGE))
    first = await recorded(api, tmp_path, call(), call("Which colour?"))
    again = await replayed(tmp_path, call("Which colour?"), call())
    assert again == first[::-1]
    assert len(texts(again)) == 2
    assert again[0].usage.model_calls == 1
    assert again[0].usage.input_tokens == 7
    assert len(api.requests) == 2


USAGE = {"input_tokens": 7, "output_tokens": 3}


async def test_a_replay_streams_one_event_after_the_other(api: StandIn, tmp_path: Path) -> None:
    api.will(Says("Two metres."))
    await recorded(api, tmp_path, call())
    body = api.requests[0].body
    async with (
        httpx2.AsyncClient(transport=Replaying(tmp_path)) as client,
        client.stream("POST", f"{NOWHERE}/v1/messages", json=body) as response,
    ):
        pieces = [piece async for piece in response.aiter_bytes()]
    assert response.headers["content-type"].startswith("text/event-stream")
    assert all(piece.startswith(b"event: ") and piece.endswith(b"\n\n") for piece in pieces)
    assert [piece.count(b"\n\n") for piece in pieces] == [1] * len(pieces)
    assert len(pieces) > 4


async def test_one_request_has_its_answers_in_order_and_the_last_one_stays(
    api: StandIn, tmp_path: Path
) -> None:
    api.will(
        Says("One."), Fails(529, "overloaded_error", headers={"retry-after": "0.1"}), Says("3.")
    )
    await recorded(api, tmp_path, call())
    # Another process goes on with the same cassette.
    await recorded(api, tmp_path, call(), call())
    one, failed, *rest = await replayed(tmp_path, *[call()] * 5)
    assert texts([one, *rest]) == ["One.", "3.", "3.", "3."]
    assert isinstance(failed, PortFailure)
    assert failed.failure.failure_type is FailureType.RATE_LIMITED
    assert failed.failure.retry_after_s == 0.1


async def test_an_unknown_call_is_refused_by_name(api: StandIn, tmp_path: Path) -> None:
    api.will(Says("Two metres."))
    await recorded(api, tmp_path, call())
    for other in (
        call("How long?"),
        call(model="claude-opus-5-5"),
        call(system="Lie."),
        call(room=200),
        call(schema={"type": "object"}),
    ):
        (failed,) = await replayed(tmp_path, other)
        assert isinstance(failed, PortFailure)
        assert failed.failure.category is FailureCategory.VALIDATION
        assert failed.failure.failure_type is FailureType.PERMANENT
        assert failed.failure.provider is None
        assert "this cassette holds no answer to this call; record it again" in str(failed)
    assert len(api.requests) == 1


async def test_nothing_that_broke_off_is_kept(api: StandIn, tmp_path: Path) -> None:
    api.will(Breaks(after=3), Breaks(), StreamError("api_error"), Says("Two metres."))
    *broken, whole = await recorded(api, tmp_path, *[call()] * 4)
    assert [type(each) for each in broken] == [PortFailure] * 3
    assert await replayed(tmp_path, call()) == [whole]
    assert len(files(tmp_path)) == 1
    assert not list(tmp_path.glob(".*"))


async def test_no_key_and_no_mark_of_a_customer_is_kept(api: StandIn, tmp_path: Path) -> None:
    headers = {
        "request-id": "req_0123456789abcdef",
        "anthropic-organization-id": "aaaa-bbbb-cccc-dddd",
        "anthropic-workspace-id": "wrkspc_0123456789",
        "set-cookie": "session=planted-cookie",
        "anthropic-ratelimit-requests-remaining": "987654321",
        "retry-after-ms": "30",
    }
    coded = base64.b64encode(f"x{KEY}y".encode()).decode()
    marks = list(headers.values())[:3]
    echo = " ".join([KEY, coded, *marks, "sk-ant-api03-of-somebody"])
    api.will(Fails(429, "rate_limit_error", headers=headers, message=echo), Says(f"Said {KEY}."))
    await recorded(api, tmp_path, call(), call(f"What is {KEY}?"))
    kept = everything(tmp_path)
    for planted in (KEY, coded[4:-4], *marks, "planted", "somebody", "987654321"):
        assert planted not in kept
    assert '"retry-after-ms": "30"' in kept
    # It is found by what was asked, which the replaying side asks again.
    _, said = await replayed(tmp_path, call(), call(f"What is {KEY}?"))
    assert texts([said]) == ["Said scrubbed."]


@given(st.binary(max_size=9), st.text('abcXYZ019-_/+"\\%', min_size=12, max_size=40), st.binary())
def test_no_secret_survives_whatever_stands_around_it(
    before: bytes, secret: str, after: bytes
) -> None:
    coded = base64.b64encode(before + secret.encode() + after).decode()
    written = json.dumps({"raw": secret, "url": httpx2.URL(f"http://h/?q={secret}").query.decode()})
    found = scrubbed(f"{written} {secret} {coded}", [secret])
    assert secret not in found
    assert json.dumps(secret)[1:-1] not in found
    assert "scrubbed" in found.rsplit(" ", 1)[1]


async def test_a_short_key_is_no_secret(
    api: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "key", "metres")
    api.will(Says("Two metres."))
    transport = Recording(httpx2.AsyncHTTPTransport(), tmp_path)
    await asked(transport, call(), url=api.url, key="metres")
    assert texts(await replayed(tmp_path, call())) == ["Two metres."]


async def test_the_label_says_who_answered(
    api: StandIn, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    api.will(Says("Two metres."))
    await recorded(api, tmp_path, call())
    label = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert label["recorded_from"] == api.url.removeprefix("http://")
    assert label["stand_in"] is True
    assert label["version"] == 1
    assert set(label) == {"version", "recorded_from", "recorded_at", "sdk", "stand_in"}
    with caplog.at_level(logging.INFO):
        assert Replaying(tmp_path).manifest.stand_in
    assert "a stand-in and no model" in caplog.text


async def test_a_server_that_is_no_stand_in_is_not_called_one(tmp_path: Path) -> None:
    await asked(Recording(httpx2.MockTransport(_live), tmp_path), call(), url="https://api.invalid")
    assert Replaying(tmp_path).manifest.stand_in is False
    assert Replaying(tmp_path).manifest.recorded_from == "api.invalid"


def _live(request: httpx2.Request) -> httpx2.Response:
    error = {"type": "error", "error": {"type": "not_found_error", "message": "Gone."}}
    packed = gzip.compress(json.dumps(error).encode())
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    return httpx2.Response(404, headers=headers, stream=httpx2.ByteStream(packed))


@pytest.mark.parametrize("ids", [("req_stand_in", "req_01"), ("req_01", "req_stand_in")])
async def test_one_answer_of_a_stand_in_is_enough(tmp_path: Path, ids: tuple[str, ...]) -> None:
    for number, name in enumerate(ids):
        answer = httpx2.Response(404, headers={"request-id": name})
        transport = Recording(httpx2.MockTransport(lambda _, answer=answer: answer), tmp_path)
        await asked(transport, call(str(number)), url="https://api.invalid")
    assert Replaying(tmp_path).manifest.stand_in


async def test_a_packed_body_is_kept_as_text(tmp_path: Path) -> None:
    (first,) = await asked(
        Recording(httpx2.MockTransport(_live), tmp_path), call(), url="https://api.invalid"
    )
    (again,) = await replayed(tmp_path, call())
    assert isinstance(first, PortFailure)
    assert isinstance(again, PortFailure)
    assert again.failure == first.failure
    assert again.failure.failure_type is FailureType.NOT_FOUND
    assert "Gone." in everything(tmp_path)


async def test_one_cassette_holds_one_server(api: StandIn, tmp_path: Path) -> None:
    api.will(Says("Two metres."))
    await recorded(api, tmp_path, call())
    other = Recording(httpx2.AsyncHTTPTransport(), tmp_path)
    (failed,) = await asked(other, call(), url=NOWHERE)
    assert isinstance(failed, PortFailure)
    assert "recorded from another server" in str(failed)
    assert failed.failure.failure_type is FailureType.PERMANENT
    assert len(files(tmp_path)) == 1


async def test_the_path_before_the_api_is_a_proxys_and_counts_for_nothing(
    api: StandIn, tmp_path: Path
) -> None:
    api.will(Says("Two metres."))
    await recorded(api, tmp_path, call())
    (reply,) = await asked(Replaying(tmp_path), call(), url=f"{NOWHERE}/anthropic")
    assert texts([reply]) == ["Two metres."]


def test_what_decides_no_answer_changes_no_address() -> None:
    body = {"model": "m", "messages": [], "metadata": {"user_id": "a"}}
    same = {"messages": [], "model": "m", "service_tier": "auto"}
    assert address("POST", "/v1/messages", body) == address("POST", "/v1/messages", same)
    assert address("POST", "/v1/messages", body) != address("POST", "/v1/other", body)
    assert address("POST", "/v1/messages", body) != address(
        "POST", "/v1/messages", {**body, "tools": []}
    )


@pytest.fixture
async def cassette(api: StandIn, tmp_path: Path) -> Path:
    api.will(Says("Two metres."))
    await recorded(api, tmp_path / "cassette", call())
    return tmp_path / "cassette"


def refusal(folder: Path, mode: Mode = Mode.REPLAY) -> str:
    with pytest.raises(PortFailure) as caught:
        Cassette(mode, folder).transport()
    message = caught.value.failure.message
    assert message.startswith(f"The cassette {folder} cannot be used: ")
    assert message.endswith(".")
    assert "\n" not in message
    return message


async def test_a_bad_cassette_is_one_sentence(cassette: Path) -> None:
    (file,) = files(cassette)
    whole = file.read_text(encoding="utf-8")
    for damaged in ("", "planted", "[]", whole[:-20], whole.replace('"status": 200', '"x": 1')):
        file.write_text(damaged, encoding="utf-8")
        message = refusal(cassette)
        assert f"its {file.name} is damaged" in message
        assert "planted" not in message
    file.write_text(whole.replace('"version": 1', '"version": 2'), encoding="utf-8")
    assert "is not of version 1" in refusal(cassette)
    file.unlink()
    assert "it holds no answer" in refusal(cassette)
    (cassette / "manifest.json").unlink()
    assert "its manifest.json cannot be read" in refusal(cassette)
    shutil.rmtree(cassette)
    assert "its manifest.json cannot be read" in refusal(cassette)


async def test_what_is_no_cassette_is_not_recorded_into(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("Dear", encoding="utf-8")
    assert "manifest.json" in refusal(tmp_path / "letters", Mode.RECORD)
    assert refusal(tmp_path / "letters" / "dear.txt", Mode.RECORD)
    assert [file.name for file in (tmp_path / "letters").iterdir()] == ["dear.txt"]


async def test_a_folder_that_can_no_longer_be_written_costs_no_answer(
    api: StandIn, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    api.will(Says("Two metres."))
    transport = Recording(httpx2.AsyncHTTPTransport(), tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert texts(await asked(transport, call(), url=api.url)) == ["Two metres."]
    assert "An exchange cannot be recorded" in caplog.text


@pytest.mark.parametrize("mode", Mode)
def test_a_setting_names_mode_and_folder(mode: Mode, tmp_path: Path) -> None:
    assert cassette_of(f"{mode}:{tmp_path}/a:b") == Cassette(mode, tmp_path / "a:b")
    assert cassette_of(f"{mode}: x ").folder == Path.cwd() / "x"
    assert cassette_of(f"{mode}:~/x").folder == Path.home() / "x"


@pytest.mark.parametrize("text", ["", "record", "record:", "replay:  ", "/folder", "play:/folder"])
def test_any_other_setting_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^write record:FOLDER or replay:FOLDER$"):
        cassette_of(text)


async def test_a_role_is_replayed_whole(api: StandIn, tmp_path: Path) -> None:
    """A malformed answer and the turn that mends it are two requests."""
    spoilt = iter([True])

    def model(request: Recorded) -> Says:
        return Says("no JSON") if next(spoilt, False) else scholar(request)

    api.model = model
    async with sdk(
        api.url, transport=Recording(httpx2.AsyncHTTPTransport(), tmp_path / "tape")
    ) as client:
        first = await ClaudeReasoner(
            Dialogue(ModelConnection(client, FixedKey(KEY), WITHOUT_CATALOGUE)), ExtractiveRules()
        ).plan(planning())
    async with sdk(transport=Replaying(tmp_path / "tape")) as client:
        dialogue = Dialogue(
            ModelConnection(client, FixedKey(NO_KEY), WITHOUT_CATALOGUE),
            KeptAnswers(FolderBlobs(tmp_path / "kept")),
        )
        again = await ClaudeReasoner(dialogue, ExtractiveRules()).plan(planning())
    assert again == first
    assert first.usage.model_calls == 2

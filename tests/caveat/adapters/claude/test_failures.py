"""Every way in which a call fails, through real HTTP, in the domain's words."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from anthropic import AsyncAnthropic

from caveat.adapters.claude.messages.capabilities import Capabilities
from caveat.adapters.claude.messages.connection import (
    ApiKey,
    Call,
    ModelConnection,
    Turn,
    create_client,
)
from caveat.adapters.claude.messages.problems import Purpose
from caveat.contracts.envelope import Failure, FailureCategory, FailureType
from caveat.failures import PortFailure
from tests.caveat.adapters.claude.faults import (
    AUTH_ERROR,
    BUSINESS,
    PERMANENT,
    PERMISSION,
    RATE_LIMITED,
    ROWS,
    START,
    TRANSIENT,
    UNAVAILABLE,
    Row,
)
from tests.fakes.free_ports import free_port
from tests.fakes.messages_api import (
    KEY,
    Breaks,
    Fails,
    Recorded,
    Says,
    Scripted,
    Serves,
    Stalls,
    StandIn,
    StreamError,
)
from tests.fakes.patience import PATIENCE_S

ERRAND = Purpose("analyst", "claude-sonnet-5-5", "A page")
CALL = Call("claude-sonnet-5-5", "Be brief.", None, (Turn("user", "Hello"),), 100)


async def failure_of(connection: ModelConnection, deadline_s: float = 600) -> PortFailure:
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(PortFailure) as caught:
            await connection.call(CALL, ERRAND, asyncio.get_running_loop().time() + deadline_s)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
async def test_each_fault_has_its_name(
    row: Row, api: StandIn, connection: ModelConnection, impatient: ModelConnection
) -> None:
    api.will(row.scripted)
    error = await failure_of(impatient if isinstance(row.scripted, Stalls) else connection)
    failure = error.failure
    assert (failure.category, failure.failure_type) == (row.category, row.failure_type)
    assert failure.provider == row.provider
    assert failure.resource == "A page"
    assert failure.retry_recommended == (row.category is TRANSIENT)
    assert len(api.requests) == 1, "only Temporal repeats a call"
    written = failure.model_dump_json() + str(error) + repr(error)
    assert "PROVIDER TEXT" not in written
    assert KEY not in written


async def test_a_server_that_is_not_there() -> None:
    async with create_client(f"http://127.0.0.1:{free_port()}") as client:
        failure = (await failure_of(ModelConnection(client, ApiKey(KEY)))).failure
    assert (failure.category, failure.failure_type) == (TRANSIENT, UNAVAILABLE)


async def test_prompts_too_long_are_not_sent(api: StandIn, connection: ModelConnection) -> None:
    short = replace(connection, capabilities=Capabilities(longest=20_000))
    long = replace(CALL, turns=(Turn("user", "x" * 20_000),))
    with pytest.raises(PortFailure, match="was not called: the prompt is longer"):
        await short.call(long, ERRAND, asyncio.get_running_loop().time() + 60)
    assert api.requests == []
    api.will(Says("Hello"))
    assert (await short.call(CALL, ERRAND, asyncio.get_running_loop().time() + 60)).text == "Hello"


@pytest.mark.parametrize("key", ["", "  \n", "sk ant", "schlüssel"])
async def test_no_key_is_no_call(key: str, api: StandIn, client: AsyncAnthropic) -> None:
    failure = (await failure_of(ModelConnection(client, ApiKey(key)))).failure
    assert (failure.failure_type, failure.provider) == (AUTH_ERROR, "anthropic")
    assert api.requests == []


async def test_key_files_are_read_anew(
    api: StandIn, client: AsyncAnthropic, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text("sk-old\n")
    connection = ModelConnection(client, ApiKey(file=file))
    assert (await failure_of(connection)).failure.failure_type is AUTH_ERROR
    file.write_text(f"{KEY}\n")
    api.will(Says("Hello"))
    reply = await connection.call(CALL, ERRAND, asyncio.get_running_loop().time() + 60)
    assert reply.text == "Hello"
    assert [request.headers["authorization"] for request in api.requests] == [
        "Bearer sk-old",
        f"Bearer {KEY}",
    ]


def waited(headers: dict[str, str], status: int = 429) -> Fails:
    return Fails(status, "rate_limit_error", headers=headers)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "300"}, 300),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "999999"}, 3600),
        ({}, None),
    ],
)
async def test_how_long_to_wait(
    headers: dict[str, str], seconds: float | None, api: StandIn, connection: ModelConnection
) -> None:
    api.will(waited(headers))
    assert (await failure_of(connection)).failure.retry_after_s == seconds


@pytest.mark.parametrize(
    ("status", "code", "word", "expected"),
    [
        (400, None, "true", (TRANSIENT, UNAVAILABLE)),
        (500, None, "false", (BUSINESS, PERMANENT)),
        (429, None, "true", (TRANSIENT, RATE_LIMITED)),
        (401, None, "false", (PERMISSION, AUTH_ERROR)),
        (429, "enforced_spend_limit_reached", "true", (BUSINESS, PERMANENT)),
    ],
)
async def test_the_servers_word_on_retries_outweighs_its_status(
    status: int,
    code: str | None,
    word: str,
    expected: tuple[FailureCategory, FailureType],
    api: StandIn,
    connection: ModelConnection,
) -> None:
    api.will(Fails(status, code=code, headers={"x-should-retry": word}))
    failure: Failure = (await failure_of(connection)).failure
    assert (failure.category, failure.failure_type) == expected


async def test_a_restarted_stream_is_one_call(api: StandIn, connection: ModelConnection) -> None:
    end = b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},'
    end += b'"usage":{"output_tokens":3}}\n\n'
    api.will(Serves(START + START + end))
    reply = await connection.call(CALL, ERRAND, asyncio.get_running_loop().time() + 60)
    assert (reply.usage.model_calls, reply.usage.input_tokens) == (1, 7)


@pytest.mark.parametrize(
    ("scripted", "usage"),
    [
        (Says("No.", "refusal"), (1, 100, 20)),
        (Says("", "model_context_window_exceeded"), (1, 100, 20)),
        (Stalls(after=3), (1, 100, 1)),
        (StreamError("overloaded_error"), (1, 100, 1)),
        (Breaks(after=3), (1, 100, 1)),
        (Fails(529), (0, 0, 0)),
        (Stalls(), (0, 0, 0)),
    ],
)
async def test_a_failure_says_what_it_cost(
    scripted: Scripted,
    usage: tuple[int, int, int],
    api: StandIn,
    connection: ModelConnection,
    impatient: ModelConnection,
) -> None:
    api.will(scripted)
    called = impatient if isinstance(scripted, Stalls) else connection
    spent = (await failure_of(called)).usage
    assert (spent.model_calls, spent.input_tokens, spent.output_tokens) == usage
    expected = (spent.input_tokens * 2 + spent.output_tokens * 10) / 1_000_000
    assert spent.cost_usd == pytest.approx(expected)


async def test_cancelled_calls_leave_it_usable(api: StandIn, connection: ModelConnection) -> None:
    arrived = asyncio.Event()

    def stalls(_: Recorded) -> Scripted:
        arrived.set()
        return Stalls(after=3)

    api.model = stalls
    deadline = asyncio.get_running_loop().time() + 60
    call = asyncio.create_task(connection.call(CALL, ERRAND, deadline))
    await arrived.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    api.will(Says("Hello"))
    assert (await connection.call(CALL, ERRAND, deadline)).text == "Hello"


# New credentials are another key than the one that was refused.


WIDTH = Call("claude-sonnet-5-5", "Answer.", None, (Turn("user", "How wide?"),), 100)
WIDE = Purpose("analyst", "claude-sonnet-5-5", "A page")


async def called(api: StandIn, client: AsyncAnthropic, key: ApiKey) -> ModelConnection:
    assert api.url
    connection = ModelConnection(client, key)
    with suppress(PortFailure):
        await connection.call(WIDTH, WIDE, deadline=float("inf"))
    return connection


async def refusal(credentials: ModelConnection, provider: str = "anthropic") -> Failure:
    with pytest.raises(PortFailure) as caught:
        await credentials.refresh(provider)
    assert caught.value.failure.failure_type is FailureType.AUTH_ERROR
    return caught.value.failure


async def test_a_refused_key_that_stays_is_no_new_one(api: StandIn, client: AsyncAnthropic) -> None:
    credentials = await called(api, client, ApiKey("sk-ant-planted-revoked"))
    failure = await refusal(credentials)
    assert failure.message == "The API key for anthropic is still the one that was refused."
    assert "planted" not in repr(failure) + repr(credentials)


@pytest.mark.parametrize(
    "refused",
    [
        Fails(401, "authentication_error"),
        Fails(403, "permission_error"),
        StreamError("authentication_error"),
    ],
)
async def test_a_file_that_changed_after_the_refusal_holds_a_new_one(
    api: StandIn, client: AsyncAnthropic, tmp_path: Path, refused: Fails
) -> None:
    """`refresh` raises where the file still has the refused key; `refusal` fails if it does not."""
    file = tmp_path / "key"
    file.write_text(KEY, encoding="utf-8")
    api.will(refused)
    credentials = await called(api, client, ApiKey(file=file))
    await refusal(credentials)
    file.write_text(f"{KEY}-new\n", encoding="utf-8")
    await credentials.refresh("anthropic")
    # Another run that was refused the old key is given the new one too.
    await credentials.refresh("anthropic")
    file.write_text(f" {KEY} ", encoding="utf-8")
    await refusal(credentials)


@pytest.mark.parametrize("scripted", [Says("Yes."), Fails(500), Fails(402, "billing_error")])
async def test_only_a_refusal_of_the_key_counts(
    api: StandIn, client: AsyncAnthropic, scripted: Says
) -> None:
    """`refresh` raises where the key was refused."""
    api.will(scripted)
    await (await called(api, client, ApiKey(KEY))).refresh("anthropic")


async def test_a_file_that_cannot_be_read_holds_none(
    client: AsyncAnthropic, tmp_path: Path
) -> None:
    failure = await refusal(ModelConnection(client, ApiKey(file=tmp_path / "gone")))
    assert "no such file" in failure.message


async def test_another_provider_is_refused_by_name(client: AsyncAnthropic) -> None:
    failure = await refusal(ModelConnection(client, ApiKey(KEY)), "acme")
    assert failure.message == "This worker has no credentials for acme."
    assert failure.resource == "acme"

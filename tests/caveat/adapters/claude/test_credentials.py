"""New credentials are another key than the one that was refused."""

from contextlib import suppress
from pathlib import Path

import pytest
from anthropic import AsyncAnthropic

from caveat.adapters.claude.messages.connection import ApiKey, Call, ModelConnection, Turn
from caveat.adapters.claude.messages.problems import Purpose
from caveat.contracts.failure import Failure, FailureType
from caveat.failures import PortFailure
from tests.fakes.messages_api import KEY, Fails, Says, StandIn, StreamError

CALL = Call("claude-sonnet-5-5", "Answer.", None, (Turn("user", "How wide?"),), 100)
ERRAND = Purpose("analyst", "claude-sonnet-5-5", "A page")


async def called(api: StandIn, client: AsyncAnthropic, key: ApiKey) -> ModelConnection:
    assert api.url
    connection = ModelConnection(client, key)
    with suppress(PortFailure):
        await connection.call(CALL, ERRAND, deadline=float("inf"))
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

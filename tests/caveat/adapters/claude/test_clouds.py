"""Bedrock, Vertex and Foundry: the SDK's clients, and what their failures are called."""

from collections.abc import Mapping
from pathlib import Path

import anthropic
import pytest
from botocore.eventstream import ChecksumMismatch

from caveat.adapters.claude.clouds import CloudError, create_cloud_client
from caveat.adapters.claude.messages.capabilities import CLOUD
from caveat.adapters.claude.messages.connection import Call, ModelConnection, Turn
from caveat.adapters.claude.messages.failures import translate_error
from caveat.adapters.claude.messages.problems import Purpose
from caveat.contracts.envelope import Failure, FailureType
from caveat.failures import PortFailure
from tests.caveat.adapters.claude.faults import AUTH_ERROR, PERMANENT, RATE_LIMITED, TIMEOUT
from tests.caveat.adapters.claude.faults import UNAVAILABLE as AWAY
from tests.fakes.messages_api import KEY, Fails, Says, Scripted, StandIn, StreamError

BEDROCK = {"AWS_REGION": "eu-central-1"}
VERTEX = {"CLOUD_ML_REGION": "eu", "ANTHROPIC_VERTEX_PROJECT_ID": "ours"}
FOUNDRY = {"ANTHROPIC_FOUNDRY_RESOURCE": "ours", "ANTHROPIC_FOUNDRY_API_KEY": KEY}
MADE = {
    "bedrock": (BEDROCK, "https://bedrock-runtime.eu-central-1.amazonaws.com"),
    "vertex": (VERTEX, "https://aiplatform.eu.rep.googleapis.com/v1/"),
    "foundry": (FOUNDRY, "https://ours.services.ai.azure.com/anthropic/"),
}


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of whoever runs the tests."""
    for name in ("AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", *BEDROCK, *VERTEX):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-another-provider")


def connect(
    cloud: str, monkeypatch: pytest.MonkeyPatch, more: Mapping[str, str] | None = None
) -> ModelConnection:
    for name, value in {**MADE[cloud][0], **(more or {})}.items():
        monkeypatch.setenv(name, value)
    client = create_cloud_client(cloud)
    return ModelConnection(client, None, CLOUD, provider=cloud, create_client=lambda: client)


async def ask(connection: ModelConnection) -> str:
    call = Call("a-model", "Be brief.", None, (Turn("user", "Hello"),), 100)
    purpose = Purpose("analyst", "a-model", "A page", provider=connection.provider)
    return (await connection.call(call, purpose, float("inf"))).text


async def fail(connection: ModelConnection) -> Failure:
    with pytest.raises(PortFailure) as caught:
        await ask(connection)
    assert caught.value.failure.provider == connection.provider
    assert "PROVIDER TEXT" not in repr(caught.value)
    return caught.value.failure


@pytest.mark.parametrize("cloud", MADE)
def test_the_client_of_a_cloud_is_the_sdks(cloud: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = connect(cloud, monkeypatch).client
    assert type(client) is getattr(anthropic, f"AsyncAnthropic{cloud.title()}")
    assert str(client.base_url).rstrip("/") == MADE[cloud][1].rstrip("/")
    assert client.max_retries == 0


@pytest.mark.parametrize(
    ("cloud", "variable"),
    [
        ("bedrock", "AWS_REGION"),
        ("vertex", "CLOUD_ML_REGION"),
        ("vertex", "ANTHROPIC_VERTEX_PROJECT_ID"),
        ("foundry", "ANTHROPIC_FOUNDRY_RESOURCE"),
    ],
)
def test_a_variable_that_is_missing_is_named(
    cloud: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(cloud, monkeypatch)
    monkeypatch.delenv(variable)
    with pytest.raises(CloudError, match=variable):
        create_cloud_client(cloud)


async def test_nobody_is_called_without_credentials(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    no_file = {"GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path / "none")}
    for cloud, more in {"bedrock": {}, "vertex": no_file}.items():
        failure = await fail(connect(cloud, monkeypatch, more))
        assert failure.failure_type is AUTH_ERROR
        assert "no API key or login" in failure.message


CODES: list[tuple[Scripted, FailureType]] = [
    (Fails(400, "ServiceQuotaExceededException"), PERMANENT),
    (Fails(400, headers={"x-amzn-errortype": "ModelErrorException:http://aws/"}), AWAY),
    (Fails(429, "insufficient_quota"), PERMANENT),
    (Fails(403, "BILLING_DISABLED"), PERMANENT),
    (StreamError("throttlingException"), RATE_LIMITED),
    (StreamError("modelStreamErrorException"), AWAY),
    (StreamError("modelTimeoutException"), TIMEOUT),
    (StreamError("validationException"), PERMANENT),
    (Fails(401, "ExpiredAuthenticationToken"), AUTH_ERROR),
]


async def test_a_code_says_more_than_its_status(
    api: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    foundry = {"ANTHROPIC_FOUNDRY_BASE_URL": api.url, "ANTHROPIC_FOUNDRY_API_KEY": KEY}
    monkeypatch.setitem(MADE, "foundry", (foundry, api.url))
    connection = connect("foundry", monkeypatch)
    for scripted, failure_type in CODES:
        api.will(scripted)
        assert (await fail(connection)).failure_type is failure_type, scripted
    await connection.refresh("foundry")
    api.will(Says("Hello"))
    assert await ask(connection) == "Hello"
    await connection.client.close()
    assert "sk-ant-of-another-provider" not in str(api.requests)
    with pytest.raises(PortFailure, match="no credentials for anthropic"):
        await connection.refresh("anthropic")


def test_a_damaged_frame_of_aws_is_no_answer_of_the_api() -> None:
    damaged = translate_error(ChecksumMismatch(1, 2), Purpose("analyst", "a-model", "A page"))
    assert damaged.failure.failure_type is AWAY

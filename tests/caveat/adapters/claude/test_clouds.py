"""Bedrock, Vertex and Foundry: the SDK's clients and the vendors' credentials, over HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from caveat.adapters.claude.clouds import CLOUDS, CloudKeys, create_cloud_client
from caveat.adapters.claude.messages.capabilities import CLOUD
from caveat.adapters.claude.messages.connection import Call, ModelConnection, ModelReply, Turn
from caveat.adapters.claude.messages.problems import Purpose
from caveat.contracts.failure import FailureCategory, FailureType
from caveat.failures import PortFailure
from tests.caveat.adapters.claude.faults import (
    AUTH_ERROR,
    BUSINESS,
    NOT_FOUND,
    PERMANENT,
    PERMISSION,
    RATE_LIMITED,
    TIMEOUT,
    TRANSIENT,
    UNAVAILABLE,
    VALIDATION,
)
from tests.fakes.clouds import (
    ACCESS_KEY,
    BEARER,
    FOUNDRY_KEY,
    PROJECT,
    REGION,
    SECRET_KEY,
    SESSION,
    TOKEN,
    Bedrock,
    Foundry,
    Vertex,
    frame,
)
from tests.fakes.messages_api import Fails, Says, Scripted, Serves, StandIn, StreamError, stand_in

MODELS = {
    "bedrock": "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "vertex": "claude-sonnet-4-5@20250929",
    "foundry": "claude-sonnet-5-5",
}
SECRETS = (SECRET_KEY, ACCESS_KEY, SESSION, BEARER, TOKEN, FOUNDRY_KEY, "PROVIDER TEXT")
VARIABLES = (
    *("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID"),
    *("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK"),
    *("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "CLOUD_ML_REGION", "GOOGLE_CLOUD_PROJECT"),
    *("ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_APPLICATION_CREDENTIALS", "IDENTITY_ENDPOINT"),
    *("IDENTITY_HEADER", "ANTHROPIC_FOUNDRY_RESOURCE", "ANTHROPIC_FOUNDRY_API_KEY"),
    *("ANTHROPIC_FOUNDRY_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL"),
)


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of whoever runs the tests."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-another-provider")


@pytest.fixture(params=list(CLOUDS))
async def cloud(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator["House"]:
    async with house(request.param, monkeypatch, tmp_path) as made:
        yield made


class House:
    """A cloud, what it was asked, and a connection to it as a worker has one."""

    def __init__(self, name: str, api: StandIn) -> None:
        self.name, self.api, self.model = name, api, MODELS[name]
        self.client = create_cloud_client(name, silence_s=2)
        self.connection = ModelConnection(self.client, CloudKeys(name), CLOUD, provider=name)

    async def call(self) -> ModelReply:
        call = Call(self.model, "Be brief.", None, (Turn("user", "Hello"),), 100)
        purpose = Purpose("analyst", self.model, "A page", provider=self.name)
        return await self.connection.call(call, purpose, asyncio.get_running_loop().time() + 30)

    async def failure(self) -> PortFailure:
        with pytest.raises(PortFailure) as caught:
            await self.call()
        written = f"{caught.value!r} {caught.value} {caught.value.failure.model_dump_json()}"
        assert not [each for each in SECRETS if each in written]
        return caught.value


@asynccontextmanager
async def house(name: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> AsyncIterator[House]:
    wires = {"bedrock": Bedrock(), "vertex": Vertex(), "foundry": Foundry()}
    keys = {"bedrock": BEARER, "vertex": TOKEN, "foundry": FOUNDRY_KEY}
    async with stand_in(wire=wires[name], key=keys[name]) as api:
        for variable, value in environment(name, api.url, folder):
            monkeypatch.setenv(variable, value)
        made = House(name, api)
        yield made
        await made.client.close()


def environment(name: str, url: str, folder: Path) -> Iterator[tuple[str, str]]:
    """What people set for each, by the vendor's own names."""
    match name:
        case "bedrock":
            yield "AWS_REGION", REGION
            yield "AWS_ACCESS_KEY_ID", ACCESS_KEY
            yield "AWS_SECRET_ACCESS_KEY", SECRET_KEY
            yield "AWS_SESSION_TOKEN", SESSION
            yield "ANTHROPIC_BEDROCK_BASE_URL", url
        case "vertex":
            yield "CLOUD_ML_REGION", REGION
            yield "ANTHROPIC_VERTEX_PROJECT_ID", PROJECT
            yield "ANTHROPIC_VERTEX_BASE_URL", f"{url}/v1"
            if folder.exists():
                yield "GOOGLE_APPLICATION_CREDENTIALS", str(service_account(folder, url))
        case _:
            yield "ANTHROPIC_FOUNDRY_BASE_URL", f"{url}/anthropic/"
            yield "ANTHROPIC_FOUNDRY_API_KEY", FOUNDRY_KEY


def service_account(folder: Path, url: str) -> Path:
    key = generate_private_key(65537, 2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    file = folder / "service-account.json"
    file.write_text(
        json.dumps(
            {
                "type": "service_account",
                "project_id": PROJECT,
                "private_key_id": "stand-in",
                "private_key": pem,
                "client_email": "caveat@stand-in.iam.gserviceaccount.com",
                "token_uri": f"{url}/token",
            }
        )
    )
    return file


async def test_each_cloud_is_spoken_to_in_its_own_way(cloud: House) -> None:
    """The stand-in checks path, body, and signature, token or key, and refuses what is not so."""
    cloud.api.will(Says("Hello to you"), Says("Again"))
    assert (await cloud.call()).text == "Hello to you"
    assert (await cloud.call()).text == "Again"
    asked = cloud.api.requests[0]
    assert asked.body["model"] == cloud.model
    assert asked.said == ["Hello"]
    assert "sk-ant-of-another-provider" not in str(asked.headers)


FAULTS: dict[str, list[tuple[Scripted, FailureCategory, FailureType]]] = {
    "bedrock": [
        (Fails(429, "ThrottlingException"), TRANSIENT, RATE_LIMITED),
        (Fails(400, "ServiceQuotaExceededException"), BUSINESS, PERMANENT),
        (Fails(403, "ExpiredTokenException"), PERMISSION, AUTH_ERROR),
        (Fails(403, "UnrecognizedClientException"), PERMISSION, AUTH_ERROR),
        (Fails(403, "InvalidSignatureException"), PERMISSION, AUTH_ERROR),
        (Fails(403, "AccessDeniedException"), PERMISSION, AUTH_ERROR),
        (Fails(404, "ResourceNotFoundException"), BUSINESS, NOT_FOUND),
        (Fails(400, "ValidationException"), VALIDATION, PERMANENT),
        (Fails(408, "ModelTimeoutException"), TRANSIENT, TIMEOUT),
        (Fails(424, "ModelErrorException"), TRANSIENT, UNAVAILABLE),
        (Fails(429, "ModelNotReadyException"), TRANSIENT, UNAVAILABLE),
        (Fails(500, "InternalServerException"), TRANSIENT, UNAVAILABLE),
        (Fails(503, "ServiceUnavailableException"), TRANSIENT, UNAVAILABLE),
        (StreamError("throttlingException"), TRANSIENT, RATE_LIMITED),
        (StreamError("internalServerException"), TRANSIENT, UNAVAILABLE),
        (StreamError("modelStreamErrorException"), TRANSIENT, UNAVAILABLE),
        (StreamError("modelTimeoutException"), TRANSIENT, TIMEOUT),
        (StreamError("validationException"), VALIDATION, PERMANENT),
        (
            Serves(frame({":message-type": "event"}, b"{}")[:-4] + b"bad!", "application/vnd"),
            TRANSIENT,
            UNAVAILABLE,
        ),
    ],
    "vertex": [
        (Fails(429, "RESOURCE_EXHAUSTED"), TRANSIENT, RATE_LIMITED),
        (Fails(401, "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED"), PERMISSION, AUTH_ERROR),
        (Fails(403, "PERMISSION_DENIED"), PERMISSION, AUTH_ERROR),
        (Fails(403, "PERMISSION_DENIED", "BILLING_DISABLED"), BUSINESS, PERMANENT),
        (Fails(404, "NOT_FOUND"), BUSINESS, NOT_FOUND),
        (Fails(400, "INVALID_ARGUMENT"), VALIDATION, PERMANENT),
        (Fails(400, "FAILED_PRECONDITION"), VALIDATION, PERMANENT),
        (Fails(504, "DEADLINE_EXCEEDED"), TRANSIENT, TIMEOUT),
        (Fails(500, "INTERNAL"), TRANSIENT, UNAVAILABLE),
        (Fails(503, "UNAVAILABLE"), TRANSIENT, UNAVAILABLE),
        (Fails(529, "overloaded_error"), TRANSIENT, RATE_LIMITED),
        (StreamError("overloaded_error"), TRANSIENT, RATE_LIMITED),
    ],
    "foundry": [
        (Fails(429, "429"), TRANSIENT, RATE_LIMITED),
        (Fails(429, "insufficient_quota"), BUSINESS, PERMANENT),
        (Fails(401, "401"), PERMISSION, AUTH_ERROR),
        (Fails(401, "ExpiredAuthenticationToken"), PERMISSION, AUTH_ERROR),
        (Fails(403, "PermissionDenied"), PERMISSION, AUTH_ERROR),
        (Fails(404, "DeploymentNotFound"), BUSINESS, NOT_FOUND),
        (Fails(400, "invalid_request_error"), VALIDATION, PERMANENT),
        (Fails(408, "Timeout"), TRANSIENT, TIMEOUT),
        (Fails(500, "InternalServerError"), TRANSIENT, UNAVAILABLE),
        (Fails(503, "ServiceUnavailable"), TRANSIENT, UNAVAILABLE),
    ],
}


async def test_each_fault_of_a_cloud_has_its_name(cloud: House) -> None:
    for scripted, category, failure_type in FAULTS[cloud.name]:
        cloud.api.will(scripted)
        failure = (await cloud.failure()).failure
        assert (failure.category, failure.failure_type) == (category, failure_type), scripted
        assert failure.retry_recommended == (category is TRANSIENT), scripted
        assert failure.provider == cloud.name, scripted
    assert len(cloud.api.requests) == len(FAULTS[cloud.name]), "only Temporal repeats a call"


async def test_new_credentials_in_aws_s_file_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "credentials"
    written = "[default]\naws_access_key_id = {}\naws_secret_access_key = {}\n"
    file.write_text(written.format(ACCESS_KEY, "of-yesterday"))
    async with house("bedrock", monkeypatch, tmp_path) as made:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
        credentials = made.connection
        assert (await made.failure()).failure.failure_type is AUTH_ERROR
        with pytest.raises(PortFailure, match="still the one that was refused"):
            await credentials.refresh("bedrock")
        file.write_text(written.format(ACCESS_KEY, SECRET_KEY))
        await credentials.refresh("bedrock")
        made.api.will(Says("Hello"))
        assert (await made.call()).text == "Hello"
        with pytest.raises(PortFailure, match="no credentials for anthropic"):
            await credentials.refresh("anthropic")


async def test_nobody_is_called_without_credentials(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    missing = {
        "bedrock": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
        "vertex": ("GOOGLE_APPLICATION_CREDENTIALS",),
    }
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    for name, variables in missing.items():
        async with house(name, monkeypatch, tmp_path) as made:
            for variable in variables:
                monkeypatch.delenv(variable)
            failure = (await made.failure()).failure
            assert (failure.failure_type, failure.provider) == (AUTH_ERROR, name)
            assert "set " in failure.message
            assert made.api.requests == []

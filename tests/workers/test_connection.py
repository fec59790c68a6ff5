import asyncio
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import (
    AddSearchAttributesRequest,
    ListSearchAttributesRequest,
    RemoveSearchAttributesRequest,
)
from temporalio.client import Client
from temporalio.common import SearchAttributePair, TypedSearchAttributes
from temporalio.service import GrpcCompression, RPCError, RPCStatusCode
from temporalio.testing import WorkflowEnvironment

from caveat.problem import OutOfReach
from caveat.workers.connection import connect
from caveat.workers.data import BlobStorage
from caveat.workers.embedded import find_temporal_binary
from caveat.workers.settings import Settings
from caveat.workflows.names import ALL, CONFIDENCE, OPEN_CONTRADICTIONS, PHASE, TOPIC
from tests.fakes.patience import PATIENCE_S

pytestmark = pytest.mark.system


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("TEMPORAL_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(tmp_path / "no-profiles.toml"))


@contextmanager
def a_problem(*words: str) -> Iterator[None]:
    with pytest.raises(OutOfReach) as problem:
        yield
    text = str(problem.value)
    assert text.endswith(".")
    assert ". " not in text
    assert "\n" not in text
    for word in words:
        assert word in text


async def enter(settings: Settings) -> None:
    async with connect(settings):
        pass


def address(environment: WorkflowEnvironment) -> str:
    return environment.client.service_client.config.target_host


async def attributes(client: Client) -> dict[str, int]:
    listed = await client.operator_service.list_search_attributes(
        ListSearchAttributesRequest(namespace=client.namespace)
    )
    return {key.name: listed.custom_attributes[key.name] for key in ALL}


EVERY = {key.name: key.indexed_value_type for key in ALL}


async def remove(client: Client, *names: str) -> None:
    await client.operator_service.remove_search_attributes(
        RemoveSearchAttributesRequest(namespace=client.namespace, search_attributes=names)
    )


async def add(client: Client, name: str, indexed: IndexedValueType.ValueType) -> None:
    await client.operator_service.add_search_attributes(
        AddSearchAttributesRequest(namespace=client.namespace, search_attributes={name: indexed})
    )


async def test_unconfigured_the_server_is_embedded_and_finds_runs(settings: Settings) -> None:
    async with connect(settings) as connection:
        assert connection.server is not None
        client = connection.client
        assert client.service_client.config.grpc_compression is GrpcCompression.NONE
        assert await attributes(client) == EVERY
        storage = client.data_converter.external_storage
        assert storage is not None
        assert isinstance(storage.drivers[0], BlobStorage)
        found = TypedSearchAttributes(
            [
                SearchAttributePair(TOPIC, "What is the Hubble constant?"),
                SearchAttributePair(PHASE, "investigating"),
                SearchAttributePair(OPEN_CONTRADICTIONS, 2),
                SearchAttributePair(CONFIDENCE, 0.71),
            ]
        )
        await client.start_workflow(
            "Anything", id="found", task_queue="nobody", search_attributes=found
        )
        async with asyncio.timeout(PATIENCE_S):  # visibility follows a start
            while not (await client.count_workflows("")).count:  # noqa: ASYNC110  # the server tells nobody
                await asyncio.sleep(0.05)
        for query, expected in {
            'CaveatTopic = "hubble"': 1,
            'CaveatTopic = "balloon"': 0,
            'CaveatPhase = "investigating"': 1,
            "CaveatOpenContradictions > 1": 1,
            "CaveatConfidence < 0.7": 0,
        }.items():
            assert (await client.count_workflows(query)).count == expected, query


async def test_an_address_or_a_profile_names_the_server(
    settings: Settings,
    environment: WorkflowEnvironment,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    profiles = tmp_path / "profiles.toml"
    profiles.write_text(f'[profile.mine]\naddress = "{address(environment)}"\n')
    named = {"TEMPORAL_CONFIG_FILE": str(profiles), "TEMPORAL_PROFILE": "mine"}
    for variables in ({"TEMPORAL_ADDRESS": address(environment)}, named):
        with monkeypatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            async with connect(settings) as connection:
                assert connection.server is None
                config = connection.client.service_client.config
                assert config.grpc_compression is GrpcCompression.GZIP
                assert config.target_host == address(environment)
    assert not settings.state_dir.exists()


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"TEMPORAL_PROFILE": "nobodys"}, ("nobodys", "TEMPORAL_PROFILE")),
        ({"TEMPORAL_CONFIG_FILE": "broken.toml"}, ("profile",)),
        ({"TEMPORAL_ADDRESS": "127.0.0.1:1"}, ("127.0.0.1:1", "TEMPORAL_ADDRESS")),
        ({"TEMPORAL_ADDRESS": "not an address"}, ("not an address", "TEMPORAL_ADDRESS")),
        ({"TEMPORAL_ADDRESS": "nowhere.invalid:7233"}, ("nowhere.invalid", "TEMPORAL_ADDRESS")),
        ({"TEMPORAL_NAMESPACE": "nobodys"}, ("nobodys", "TEMPORAL_NAMESPACE")),
    ],
    ids=str,
)
async def test_a_server_that_cannot_be_used_is_one_sentence(
    settings: Settings,
    environment: WorkflowEnvironment,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    variables: dict[str, str],
    words: tuple[str, ...],
) -> None:
    """`a_problem` fails where none is raised, or its sentence lacks one of the words."""
    (tmp_path / "broken.toml").write_text("[profile\n")
    monkeypatch.chdir(tmp_path)
    if "TEMPORAL_NAMESPACE" in variables:
        monkeypatch.setenv("TEMPORAL_ADDRESS", address(environment))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with a_problem(*words):
        await enter(settings)


async def test_search_attributes_are_registered_or_the_command_is_told_that_does_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise RPCError("Request unauthorized.", RPCStatusCode.PERMISSION_DENIED, b"")

    async with connect(settings) as connection:
        client = connection.client
        await remove(client, "CaveatPhase", "CaveatConfidence")
        await enter(settings)
        assert await attributes(client) == EVERY
        at_once = TypedSearchAttributes([SearchAttributePair(PHASE, "planning")])
        await client.start_workflow(
            "Anything", id="at-once", task_queue="nobody", search_attributes=at_once
        )

        await remove(client, "CaveatConfidence")
        await add(client, "CaveatConfidence", IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD)
        with a_problem("CaveatConfidence", "another type", "temporal operator search-attribute"):
            await enter(settings)

        await remove(client, *EVERY)
        with monkeypatch.context() as patch:
            patch.setattr(type(client.operator_service), "add_search_attributes", refuse)
            with pytest.raises(OutOfReach, match="have an administrator run") as problem:
                await enter(settings)
        told = str(problem.value).partition("`")[2].partition("`")[0].split()
        assert told[0] == "temporal"
        subprocess.run(  # noqa: ASYNC221  # nothing else runs
            [str(find_temporal_binary()), *told[1:], "--address", f"127.0.0.1:{settings.port}"],
            check=True,
            capture_output=True,
        )
        assert await attributes(client) == EVERY
        with monkeypatch.context() as patch:
            patch.setattr(type(client.operator_service), "list_search_attributes", refuse)
            await enter(settings)  # an administrator has registered them

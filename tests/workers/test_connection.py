import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import SimpleNamespace

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

from caveat.problem import Problem
from caveat.workers import registration
from caveat.workers.connection import connect
from caveat.workers.data import BlobStorage
from caveat.workers.embedded import EmbeddedServer, embedded_server
from caveat.workers.launching import temporal_binary
from caveat.workers.problem import ServerProblem
from caveat.workers.settings import Settings
from caveat.workflows.names import ALL, CONFIDENCE, OPEN_CONTRADICTIONS, PHASE, TOPIC
from tests.fakes.patience import PATIENCE_S
from tests.fakes.server import OwnServer
from tests.workers.processes import ends_within, record

pytestmark = pytest.mark.system


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("TEMPORAL_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(tmp_path / "no-profiles.toml"))


@contextmanager
def a_problem(*words: str) -> Iterator[None]:
    with pytest.raises(ServerProblem) as problem:
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


async def remove(client: Client, *names: str) -> None:
    await client.operator_service.remove_search_attributes(
        RemoveSearchAttributesRequest(namespace=client.namespace, search_attributes=names)
    )


async def add(client: Client, name: str, indexed: IndexedValueType.ValueType) -> None:
    await client.operator_service.add_search_attributes(
        AddSearchAttributesRequest(namespace=client.namespace, search_attributes={name: indexed})
    )


async def test_with_no_configuration_the_server_is_embedded(settings: Settings) -> None:
    async with connect(settings) as connection:
        assert connection.embedded
        assert connection.client.service_client.config.grpc_compression is GrpcCompression.NONE
        assert connection.ui_url == f"http://127.0.0.1:{settings.ui_port}"
        assert await attributes(connection.client) == {
            key.name: key.indexed_value_type for key in ALL
        }
        storage = connection.client.data_converter.external_storage
        assert storage is not None
        assert isinstance(storage.drivers[0], BlobStorage)


async def test_runs_are_found_by_their_search_attributes(settings: Settings) -> None:
    async with connect(settings) as connection:
        await connection.client.start_workflow(
            "Anything",
            id="found",
            task_queue="nobody",
            search_attributes=TypedSearchAttributes(
                [
                    SearchAttributePair(TOPIC, "What is the Hubble constant?"),
                    SearchAttributePair(PHASE, "investigating"),
                    SearchAttributePair(OPEN_CONTRADICTIONS, 2),
                    SearchAttributePair(CONFIDENCE, 0.71),
                ]
            ),
        )
        async with asyncio.timeout(PATIENCE_S):  # visibility follows a start
            while not (await connection.client.count_workflows("")).count:  # noqa: ASYNC110  # the server tells nobody
                await asyncio.sleep(0.05)
        for query, expected in {
            'CaveatTopic = "hubble"': 1,
            'CaveatTopic = "balloon"': 0,
            'CaveatPhase = "investigating"': 1,
            "CaveatOpenContradictions > 1": 1,
            "CaveatConfidence < 0.7": 0,
        }.items():
            assert (await connection.client.count_workflows(query)).count == expected, query


async def test_an_address_in_the_environment_is_the_server(
    settings: Settings, environment: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", address(environment))
    async with connect(settings) as connection:
        assert not connection.embedded
        assert connection.client.service_client.config.grpc_compression is GrpcCompression.GZIP
        assert connection.ui_url is None
        assert connection.client.service_client.config.target_host == address(environment)
    assert not settings.state_dir.exists()


async def test_a_profile_names_the_server(
    settings: Settings,
    environment: WorkflowEnvironment,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    profiles = tmp_path / "profiles.toml"
    profiles.write_text(f'[profile.mine]\naddress = "{address(environment)}"\n')
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(profiles))
    monkeypatch.setenv("TEMPORAL_PROFILE", "mine")
    async with connect(settings) as connection:
        assert not connection.embedded
    profiles.write_text(f'[profile.default]\naddress = "{address(environment)}"\n')
    monkeypatch.delenv("TEMPORAL_PROFILE")
    async with connect(settings) as connection:
        assert not connection.embedded


async def test_an_unknown_profile_is_one_sentence(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_PROFILE", "nobodys")
    with a_problem("nobodys", "TEMPORAL_PROFILE"):
        await enter(settings)


async def test_a_broken_profile_file_is_one_sentence(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    profiles = tmp_path / "profiles.toml"
    profiles.write_text("[profile\n")
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(profiles))
    with a_problem("profile"):
        await enter(settings)


@pytest.mark.parametrize("where", ["127.0.0.1:1", "not an address", "nowhere.invalid:7233"])
async def test_a_server_that_cannot_be_reached_is_one_sentence(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", where)
    with a_problem(where, "TEMPORAL_ADDRESS"):
        await enter(settings)


async def test_a_server_that_is_silent_is_given_up(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caveat.workers.connection._REACH_S", 0.3)
    with socket.create_server(("127.0.0.1", settings.port)):
        monkeypatch.setenv("TEMPORAL_ADDRESS", f"127.0.0.1:{settings.port}")
        with a_problem("cannot be reached"):
            await enter(settings)


async def test_a_namespace_that_is_missing_is_one_sentence(
    settings: Settings, environment: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", address(environment))
    monkeypatch.setenv("TEMPORAL_NAMESPACE", "nobodys")
    with a_problem("nobodys", "TEMPORAL_NAMESPACE"):
        await enter(settings)


async def test_a_missing_search_attribute_is_registered_before_anything_can_wedge(
    settings: Settings,
) -> None:
    async with connect(settings) as connection:
        await remove(connection.client, "CaveatPhase", "CaveatConfidence")
        async with connect(settings) as again:
            assert await attributes(again.client) == {
                key.name: key.indexed_value_type for key in ALL
            }
            await again.client.start_workflow(
                "Anything",
                id="at-once",
                task_queue="nobody",
                search_attributes=TypedSearchAttributes([SearchAttributePair(PHASE, "planning")]),
            )


async def test_a_search_attribute_of_another_type_is_one_sentence(settings: Settings) -> None:
    async with connect(settings) as connection:
        await remove(connection.client, "CaveatConfidence")
        await add(
            connection.client, "CaveatConfidence", IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
        )
        with a_problem("CaveatConfidence", "another type", "temporal operator search-attribute"):
            await enter(settings)


async def test_a_server_that_refuses_registration_names_the_command(
    settings: Settings, environment: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(client: Client) -> None:
        raise RPCError("Request unauthorized.", RPCStatusCode.PERMISSION_DENIED, b"")

    monkeypatch.setenv("TEMPORAL_ADDRESS", address(environment))
    monkeypatch.setattr(registration, "_register", refuse)
    async with connect(settings):
        pass  # an administrator has registered them
    monkeypatch.setattr(registration, "_probe", lambda: 'CaveatNothing = "x"')
    with a_problem("temporal operator search-attribute create", "--name CaveatTopic --type Text"):
        await enter(settings)


async def test_the_command_that_people_are_told_is_understood_by_the_program(
    settings: Settings,
) -> None:
    async with connect(settings) as connection:
        await remove(connection.client, *(key.name for key in ALL))
        told = registration._command("default").split()
        assert told[0] == "temporal"
        subprocess.run(  # noqa: ASYNC221  # nothing else runs
            [str(temporal_binary()), *told[1:], "--address", f"127.0.0.1:{settings.port}"],
            check=True,
            capture_output=True,
        )
        assert await attributes(connection.client) == {
            key.name: key.indexed_value_type for key in ALL
        }


async def test_a_process_that_ends_right_after_its_last_call_is_not_aborted(
    settings: Settings,
) -> None:
    code = """
import asyncio, sys
from caveat.workers.connection import connect
from caveat.workers.settings import Settings

async def main():
    async with connect(Settings.model_validate_json(sys.argv[1])) as connection:
        await connection.client.count_workflows("")

asyncio.run(main())
"""
    async with connect(settings):
        for _ in range(4):
            subprocess.run(  # noqa: ASYNC221  # nothing else runs
                [sys.executable, "-c", code, settings.model_dump_json(exclude_none=True)],
                check=True,
            )
        written = record(settings)
    assert ends_within(PATIENCE_S, written["guard"], written["server"])


async def asked(client: Client) -> None:
    await client.count_workflows("")


async def test_an_embedded_server_that_is_killed_is_named_by_a_call(settings: Settings) -> None:
    async def used() -> None:
        async with connect(settings) as connection:
            os.kill(record(settings)["server"], signal.SIGKILL)
            await asked(connection.client)

    with pytest.raises(ServerProblem, match="has ended while it was in use: nothing is lost"):
        await used()


async def test_an_embedded_server_that_goes_before_it_is_reached_is_named(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def killed(**_: object) -> Client:
        os.kill(record(settings)["server"], signal.SIGKILL)
        raise RuntimeError("transport error")

    @asynccontextmanager
    async def served(of: Settings) -> AsyncIterator[EmbeddedServer]:
        async with embedded_server(of) as server:
            monkeypatch.setattr(Client, "connect", killed)
            yield server

    monkeypatch.setattr("caveat.workers.connection.embedded_server", served)
    with pytest.raises(ServerProblem, match="has ended while it was in use"):
        await enter(settings)


async def test_a_server_of_ones_own_that_goes_is_named_too(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = OwnServer(tmp_path, tmp_path)
    await server.start()
    monkeypatch.setenv("TEMPORAL_ADDRESS", server.address)

    async def used() -> None:
        async with connect(settings) as found:
            server.kill()
            await asked(found.client)

    try:
        with a_problem(server.address, "does not answer any more"):
            await used()
    finally:
        server.kill()


@pytest.mark.parametrize(
    ("met", "said"),
    [
        (ServerProblem("It does not answer."), "lies on is full: free some space"),
        (RuntimeError("Worker validation failed"), "lies on is full: free some space"),
        (Problem("There is no report yet."), "There is no report yet"),
    ],
)
async def test_a_disk_that_fills_while_the_server_is_used_is_named(
    met: Exception, said: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def used() -> None:
        async with connect(settings):
            monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=4096))
            raise met

    with pytest.raises(Problem, match=said):
        await used()

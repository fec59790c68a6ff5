"""The Docker files are safe and agree with the code; no engine runs here."""

import asyncio
import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr
from temporalio import workflow
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from caveat.workers import codec, privacy
from caveat.workers.health import serve_health
from caveat.workers.launching import build_server_flags, find_temporal_binary
from caveat.workers.settings import Settings
from caveat.workflows.names import QUEUE
from tests.fakes.commands import ran
from tests.fakes.encryption import write_key
from tests.fakes.free_ports import free_port
from tests.fakes.patience import PATIENCE_S

ROOT = Path(__file__).parents[1]
COMPOSE = ROOT / "docker-compose.yml"
CONFIDENTIAL = ROOT / "docker" / "confidential.yml"
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))[
    "services"
]

# name:tag where the tag begins with a whole version, so neither `latest` nor `16` alone.
PINNED = re.compile(r"[\w./-]+:(?P<tag>v?\d+\.\d+(\.\d+)?(-[\w.]+)?)@sha256:[0-9a-f]{64}")


@workflow.defn(sandboxed=False)
class Idle:
    @workflow.run
    async def run(self) -> None:
        """A worker must serve something to poll."""


def instructions(name: str) -> list[str]:
    joined = DOCKERFILE.replace("\\\n", " ")
    return [
        line.removeprefix(name).strip()
        for line in joined.splitlines()
        if line.startswith(name + " ")
    ]


@pytest.mark.parametrize("file", [COMPOSE, CONFIDENTIAL], ids=lambda file: file.stem)
def test_compose_file_fits_the_compose_specification(file: Path) -> None:
    options = ("--builtin-schema", "vendor.compose-spec")
    checked = ran(sys.executable, "-m", "check_jsonschema", *options, file)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_ports_are_published_on_the_loopback_address_alone() -> None:
    published = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert published
    for port in published:
        assert isinstance(port, str)
        assert port.startswith("127.0.0.1:")


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_image_is_pinned_or_built_here(service: str) -> None:
    image = SERVICES[service].get("image")
    if image is None:
        assert SERVICES[service]["build"] == "."
    else:
        assert PINNED.fullmatch(image)


def test_image_runs_as_nobody_special() -> None:
    assert instructions("USER") == ["10001:10001"]
    last = DOCKERFILE.rindex("\nUSER ")
    assert DOCKERFILE.rindex("\nFROM ") < last < DOCKERFILE.index("\nCMD ")


def test_image_takes_no_dependency_without_a_hash() -> None:
    installs = [line for line in instructions("RUN") if "pip install" in line]
    assert installs
    for line in installs:
        assert "--require-hashes" in line or "--no-deps --no-build-isolation" in line


def test_build_context_holds_what_is_copied_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = {line.removeprefix("!") for line in lines if line.startswith("!")}
    copied = {
        source
        for line in instructions("COPY")
        if not line.startswith("--from")
        for source in line.split()[:-1]
    }
    assert "*" in lines
    assert allowed == copied


def test_settings_are_ones_that_exist() -> None:
    known = {f"CAVEAT_{name.upper()}" for name in Settings.model_fields}
    in_image = set(re.findall(r"\bCAVEAT_[A-Z_]+(?==)", DOCKERFILE))
    in_compose = {name for name in SERVICES["page"]["environment"] if name.startswith("CAVEAT_")}
    assert in_image
    assert in_image | in_compose <= known


def test_corpus_is_mounted_read_only_and_fenced() -> None:
    worker = SERVICES["worker"]
    (corpus,) = (m for m in worker["volumes"] if isinstance(m, dict) and m["target"] == "/corpus")
    assert corpus["read_only"] is True
    assert worker["environment"]["CAVEAT_CORPUS"] == "/corpus"
    assert worker["environment"]["CAVEAT_CORPUS_ROOTS"] == "/corpus"


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_service_has_a_memory_limit_and_gains_no_privileges(service: str) -> None:
    assert SERVICES[service]["mem_limit"]
    assert SERVICES[service]["security_opt"] == ["no-new-privileges:true"]


def test_passwords_are_files_that_only_those_are_given_who_need_them() -> None:
    given: dict[str, set[str]] = {}
    for service, described in SERVICES.items():
        for name, value in described.get("environment", {}).items():
            if re.search("PASSWORD|PWD|SECRET|TOKEN|KEY", name):
                assert name.endswith("_FILE")
                given.setdefault(service, set()).add(value.removeprefix("/run/secrets/"))
    assert given == {
        "postgresql": {"postgres"},
        "schema": {"postgres"},
        "temporal": {"postgres"},
        "memory": {"postgres", "memory"},
        "worker": {"memory"},
        "page": {"memory"},
        "rabbitmq": {"rabbitmq"},
    }
    assert given == {name: set(SERVICES[name]["secrets"]) for name in given}


def test_keys_are_a_secret_of_the_workers_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = yaml.safe_load(CONFIDENTIAL.read_text(encoding="utf-8"))
    ((service, given),) = added["services"].items()
    assert "build" in SERVICES[service]
    ((variable, place),) = given["environment"].items()
    assert given["secrets"] == list(added["secrets"]) == [Path(place).name]
    folder = Path(added["secrets"]["key"]["file"]).parent
    assert f"/{folder}/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert Path(place).is_relative_to(privacy.MOUNTED)
    monkeypatch.setattr(privacy, "MOUNTED", tmp_path)
    mounted = tmp_path / Path(place).name
    write_key(mounted)
    mounted.chmod(0o444)
    monkeypatch.setenv(variable, str(mounted))
    assert codec.load_encryption_key(Settings())


def test_the_broker_alone_is_told_its_password(tmp_path: Path) -> None:
    broker = tmp_path / "docker-entrypoint.sh"  # what the image starts with
    broker.write_text('#!/bin/sh\necho "$RABBITMQ_DEFAULT_PASS" "$@"\n', encoding="ascii")
    broker.chmod(0o755)
    (tmp_path / "rabbitmq").write_text("it's\n", encoding="ascii")
    started = ran(
        *("/bin/sh", ROOT / "docker" / "rabbitmq.sh"),
        env={
            "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
            "BROKER_PASSWORD_FILE": str(tmp_path / "rabbitmq"),
        },
        check=True,
    )
    assert started.stdout == "it's rabbitmq-server\n"


def test_the_password_of_a_file_stands_in_the_address(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "memory").write_text("hunter/2\n")
    changes = {
        "memory_url": SecretStr(SERVICES["worker"]["environment"]["CAVEAT_MEMORY_URL"]),
        "memory_password_file": tmp_path / "memory",
    }
    address = settings.model_copy(update=changes).memory_address
    assert address == "postgresql://caveat:hunter%2F2@postgresql:5432/caveat"


def test_server_is_tuned_as_the_embedded_one() -> None:
    dynamic = yaml.safe_load((ROOT / "docker" / "dynamicconfig.yaml").read_text(encoding="utf-8"))
    production = {name: values[0]["value"] for name, values in dynamic.items()}
    flags = build_server_flags()
    embedded = dict(
        flags[at + 1].split("=", 1)
        for at, flag in enumerate(flags)
        if flag == "--dynamic-config-value"
    )
    assert production == {name: json.loads(value) for name, value in embedded.items()}


@pytest.fixture
def shell_environment(environment: WorkflowEnvironment) -> dict[str, str]:
    """What a container of the compose file has, on the test server."""
    path = f"{find_temporal_binary().parent}{os.pathsep}{os.environ['PATH']}"
    address = environment.client.service_client.config.target_host
    return {"PATH": path, "HOME": "/nonexistent", "TEMPORAL_ADDRESS": address}


def temporal(environment: dict[str, str], *arguments: str) -> Any:
    answer = ran("temporal", *arguments, "--output", "json", env=environment, check=True)
    return json.loads(answer.stdout)


async def test_health_check_asks_the_process_itself(
    environment: WorkflowEnvironment, shell_environment: dict[str, str]
) -> None:
    (check,) = instructions("HEALTHCHECK")
    command = check.partition("CMD ")[2].replace("python", shlex.quote(sys.executable), 1)
    (metrics,) = re.findall(r"CAVEAT_METRICS=(\S+)", DOCKERFILE)
    assert metrics.startswith("127.0.0.1:")  # in a container, for this container alone
    address = f"127.0.0.1:{free_port()}"
    command = command.replace(Settings(metrics=metrics).health or "", address)
    assert address in command

    async def holds() -> bool:
        process = await asyncio.create_subprocess_exec(
            *("sh", "-c", command), env=shell_environment, stderr=asyncio.subprocess.DEVNULL
        )
        return await process.wait() == 0

    assert not await holds()
    client = environment.client
    async with serve_health(client, address):
        assert not await holds()
        async with Worker(client, task_queue=QUEUE, workflows=[Idle]), asyncio.timeout(PATIENCE_S):
            while not await holds():  # each look takes a hundred milliseconds
                pass
    async with serve_health(client, address, has_workers=False):
        assert await holds()

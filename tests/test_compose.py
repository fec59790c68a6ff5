"""The Docker files are safe and agree with the code; no engine runs here."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from caveat.workers.launching import build_server_flags
from caveat.workers.settings import Settings
from tests.fakes.commands import ran

ROOT = Path(__file__).parents[1]
COMPOSE = ROOT / "docker-compose.yml"
CONFIDENTIAL = ROOT / "docker" / "confidential.yml"
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))[
    "services"
]

# name:tag where the tag begins with a whole version, so neither `latest` nor `16` alone.
PINNED = re.compile(r"[\w./-]+:(?P<tag>v?\d+\.\d+(\.\d+)?(-[\w.]+)?)@sha256:[0-9a-f]{64}")


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


def temporal(environment: dict[str, str], *arguments: str) -> Any:
    answer = ran("temporal", *arguments, "--output", "json", env=environment, check=True)
    return json.loads(answer.stdout)


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

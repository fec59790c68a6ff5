"""Docker files and Kubernetes manifests are safe and agree with the code; no engine runs here."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from caveat.workers.embedded import build_server_flags
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


MANIFESTS: list[dict[str, Any]] = list(
    yaml.safe_load_all((ROOT / "docker" / "kubernetes" / "caveat.yaml").read_text(encoding="utf-8"))
)


def the(kind: str, name: str = "caveat") -> dict[str, Any]:
    (found,) = (
        each for each in MANIFESTS if (each["kind"], each["metadata"]["name"]) == (kind, name)
    )
    return found


VARIABLES: dict[str, str] = the("ConfigMap")["data"]


@pytest.fixture(params=["caveat-worker-0.1.0", "caveat-page"])
def pod(request: pytest.FixtureRequest) -> dict[str, Any]:
    spec: dict[str, Any] = the("Deployment", request.param)["spec"]["template"]["spec"]
    return spec


@pytest.fixture
def container(pod: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any]
    (found,) = pod["containers"]
    return found


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda each: each["kind"])
def test_a_manifest_fits_kubernetes_schema(manifest: dict[str, Any]) -> None:
    """A field that the schema does not know raises, and one of another type."""
    kubernetes_validate.validate(manifest, "1.31", strict=True)


def test_the_variables_are_settings_that_are_taken(
    pod: dict[str, Any], container: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {each["name"]: each["value"] for each in container.get("env", ())}
    ours = {name: value for name, value in (VARIABLES | own).items() if name.startswith("CAVEAT_")}
    assert ours.keys() <= {f"CAVEAT_{name.upper()}" for name in Settings.model_fields}
    for name, value in ours.items():
        monkeypatch.setenv(name, value)
    assert Settings().blobs == VARIABLES["CAVEAT_BLOBS"]
    # A Service named `caveat-…` would add variables that Caveat refuses.
    assert pod["enableServiceLinks"] is False


def test_no_secret_stands_in_a_manifest() -> None:
    assert "Secret" not in {each["kind"] for each in MANIFESTS}
    assert not [value for value in VARIABLES.values() if re.search(r"//[^/]*:[^/]*@", value)]


def test_pods_share_documents_and_a_key(pod: dict[str, Any], container: dict[str, Any]) -> None:
    shared = [each for each in pod["volumes"] if not {"emptyDir", "secret"} & each.keys()]
    assert [each["persistentVolumeClaim"]["readOnly"] for each in shared] == [True]
    mounts = {each["mountPath"]: each for each in container["volumeMounts"]}
    key = Settings(state_dir=Path(VARIABLES["CAVEAT_STATE_DIR"])).signing_key
    assert mounts[str(key)]["subPath"] == "signing.key"
    assert VARIABLES["CAVEAT_CACHE_DIR"] in mounts
    assert VARIABLES["CAVEAT_CORPUS"] in mounts


def test_the_key_is_of_the_secret_mounted(pod: dict[str, Any], container: dict[str, Any]) -> None:
    """What is mounted by `subPath` is never brought up to date: another secret would not arrive."""
    (mount,) = (each for each in container["volumeMounts"] if each["mountPath"] == "/secrets")
    assert "subPath" not in mount
    assert Path(VARIABLES["CAVEAT_ENCRYPTION_KEY_FILE"]).parent == Path(mount["mountPath"])
    (volume,) = (each for each in pod["volumes"] if each["name"] == mount["name"])
    assert volume["secret"]["defaultMode"] == 0o440


def test_containers_are_nobody_as_images(pod: dict[str, Any], container: dict[str, Any]) -> None:
    (user,) = re.findall(r"^USER (\d+):\d+$", DOCKERFILE, re.MULTILINE)
    assert pod["securityContext"]["runAsUser"] == int(user)
    assert pod["securityContext"]["runAsNonRoot"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_a_container_is_asked_how_it_is_where_it_answers(container: dict[str, Any]) -> None:
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    for probe, path in (("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
        asked = container[probe]["httpGet"]
        assert asked == {"path": path, "port": "health"}
        metrics = Settings(metrics=VARIABLES["CAVEAT_METRICS"])
        assert metrics.health == f"0.0.0.0:{ports[asked['port']]}"

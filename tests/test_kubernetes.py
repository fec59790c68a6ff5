"""The manifests fit Kubernetes' schema and agree with image and code; no cluster runs here."""

import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from caveat.workers.settings import Settings

ROOT = Path(__file__).parents[1]
MANIFESTS: list[dict[str, Any]] = list(
    yaml.safe_load_all((ROOT / "docker" / "kubernetes" / "caveat.yaml").read_text(encoding="utf-8"))
)
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def the(kind: str, name: str = "caveat") -> dict[str, Any]:
    (found,) = (
        each for each in MANIFESTS if (each["kind"], each["metadata"]["name"]) == (kind, name)
    )
    return found


VARIABLES: dict[str, str] = the("ConfigMap")["data"]


@pytest.fixture(params=["caveat-worker", "caveat-page"])
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
    assert volume["secret"]["defaultMode"] == 0o440  # which `is_open_to_others` allows root's


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

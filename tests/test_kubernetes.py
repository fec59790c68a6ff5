"""The manifests fit Kubernetes' schema and agree with image and code; no cluster runs here."""

import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from caveat.workers.settings import Settings
from caveat.workers.worker import GRACE

ROOT = Path(__file__).parents[1]
MANIFESTS: list[dict[str, Any]] = list(
    yaml.safe_load_all((ROOT / "docker" / "kubernetes" / "caveat.yaml").read_text(encoding="utf-8"))
)
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def the(kind: str) -> dict[str, Any]:
    (found,) = (each for each in MANIFESTS if each["kind"] == kind)
    return found


POD: dict[str, Any] = the("Deployment")["spec"]["template"]["spec"]
(WORKER,) = POD["containers"]
VARIABLES: dict[str, str] = the("ConfigMap")["data"]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda each: each["kind"])
def test_a_manifest_fits_kubernetes_schema(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, "1.31", strict=True)


def test_the_check_bites() -> None:
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate({**the("Deployment"), "spec": {}}, "1.31", strict=True)


def test_the_variables_are_settings_that_workers_take(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {f"CAVEAT_{name.upper()}" for name in Settings.model_fields}
    ours = {name: value for name, value in VARIABLES.items() if name.startswith("CAVEAT_")}
    assert ours.keys() <= known
    for name, value in ours.items():
        monkeypatch.setenv(name, value)
    assert Settings().blobs == VARIABLES["CAVEAT_BLOBS"]


def test_no_secret_stands_in_a_manifest() -> None:
    assert "Secret" not in {each["kind"] for each in MANIFESTS}
    assert not [value for value in VARIABLES.values() if re.search(r"//[^/]*:[^/]*@", value)]


def test_pods_share_documents_and_a_key_and_write_where_nobody_else_does() -> None:
    shared = [each for each in POD["volumes"] if not {"emptyDir", "secret"} & each.keys()]
    assert [each["persistentVolumeClaim"]["readOnly"] for each in shared] == [True]
    mounts = {each["mountPath"]: each for each in WORKER["volumeMounts"]}
    key = Settings(state_dir=Path(VARIABLES["CAVEAT_STATE_DIR"])).signing_key
    assert mounts[str(key)]["subPath"] == "signing.key"
    assert VARIABLES["CAVEAT_CACHE_DIR"] in mounts
    assert VARIABLES["CAVEAT_CORPUS"] in mounts


def test_keys_come_from_the_secret_that_is_mounted_whole() -> None:
    """What is mounted by `subPath` is never brought up to date: rotated keys would not arrive."""
    (mount,) = (each for each in WORKER["volumeMounts"] if each["mountPath"] == "/secrets")
    assert "subPath" not in mount
    assert Path(VARIABLES["CAVEAT_KEYS_FILE"]).parent == Path(mount["mountPath"])
    (volume,) = (each for each in POD["volumes"] if each["name"] == mount["name"])
    assert volume["secret"]["defaultMode"] == 0o440  # which `caveat.workers.keys` takes of root's


def test_the_worker_is_nobody_as_in_the_image() -> None:
    (user,) = re.findall(r"^USER (\d+):\d+$", DOCKERFILE, re.MULTILINE)
    assert POD["securityContext"]["runAsUser"] == int(user)
    assert POD["securityContext"]["runAsNonRoot"]
    assert WORKER["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_the_worker_is_healthy_as_in_the_image() -> None:
    (image,) = re.findall(r"^ +CMD (temporal .*)$", DOCKERFILE, re.MULTILINE)
    assert WORKER["livenessProbe"]["exec"]["command"] == ["/bin/sh", "-c", image]


def test_the_worker_may_finish_before_it_is_killed() -> None:
    assert POD["terminationGracePeriodSeconds"] > GRACE.total_seconds()

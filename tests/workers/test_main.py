import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from caveat.workers.settings import Settings
from tests.fakes.patience import PATIENCE_S
from tests.workers.processes import ends_within, record

pytestmark = pytest.mark.system

# `python -m caveat.workers` with a registry that needs no adapters.
MAIN = """
import runpy, sys, types
from temporalio import activity, workflow
from caveat.workers.worker import Registry

@activity.defn
async def nothing() -> None: ...

@workflow.defn(sandboxed=False)
class Nothing:
    @workflow.run
    async def run(self) -> None: ...

wiring = types.ModuleType("caveat.workers.wiring")
served = Registry(workflows=(Nothing,), reasoning=(nothing,), fetching=(nothing,))
wiring.wire_registry = lambda settings: served
sys.modules["caveat.workers.wiring"] = wiring
runpy.run_module("caveat.workers", run_name="__main__")
"""


def start(tmp_path: Path, *, program: str = MAIN, **environment: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TEMPORAL_")}
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stderr=subprocess.PIPE,
        text=True,
        env={**kept, "TEMPORAL_CONFIG_FILE": str(tmp_path / "none.toml"), **environment},
    )


def own(settings: Settings) -> dict[str, str]:
    return {
        "CAVEAT_STATE_DIR": str(settings.state_dir),
        "CAVEAT_CACHE_DIR": str(settings.cache_dir),
        "CAVEAT_PORT": str(settings.port),
    }


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_works_until_told_to_stop(
    settings: Settings, tmp_path: Path, number: signal.Signals
) -> None:
    with start(tmp_path, **own(settings)) as process:
        assert process.stderr is not None
        assert f"127.0.0.1:{settings.port}" in process.stderr.readline()
        written = record(settings)
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read() == ""
    assert ends_within(PATIENCE_S, written["guard"], written["server"])


def test_a_server_that_cannot_be_reached_is_exit_code_3(tmp_path: Path) -> None:
    with start(tmp_path, TEMPORAL_ADDRESS="127.0.0.1:1") as process:
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3
    assert said.count("\n") == 1
    assert "127.0.0.1:1" in said


def test_a_setting_that_cannot_be_is_exit_code_2(tmp_path: Path) -> None:
    with start(tmp_path, CAVEAT_PORT="harbour") as process:
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert said.count("\n") == 1
    assert "CAVEAT_PORT" in said

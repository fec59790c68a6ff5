import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from caveat.workers.embedded import embedded_server
from caveat.workers.guard import ALIVE, is_free
from caveat.workers.launching import ATTRIBUTES, launch_ahead, let_go
from caveat.workers.registration import type_name
from caveat.workers.settings import Settings
from caveat.workflows.names import ALL
from tests.fakes.patience import PATIENCE_S
from tests.workers.processes import ends_within, record

FAILS = """
import sys, time
from caveat.workers.launching import launch_ahead
from caveat.workers.settings import load
settings = load()
launch_ahead(settings)
loaded = [name for name in ("temporalio", "caveat.contracts") if name in sys.modules]
while not (settings.server_folder / "server.json").exists():
    time.sleep(0.01)
print((settings.server_folder / "server.json").read_text())
sys.exit(", ".join(loaded) or 0)
"""
"""A command that launches the server and does not come to connect to it."""


@pytest.fixture(autouse=True)
def environment(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Settings as a command reads them, and no server of one's own."""
    for name in [name for name in os.environ if name.startswith("TEMPORAL_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(settings.state_dir / "config"))
    for name in ("state_dir", "cache_dir", "port", "ui_port"):
        monkeypatch.setenv(f"CAVEAT_{name.upper()}", str(getattr(settings, name)))
    yield
    let_go()


def is_launched(settings: Settings) -> bool:
    return settings.server_folder.exists() and not is_free(settings.server_folder / ALIVE)


async def test_whoever_connects_adopts_what_was_launched_ahead(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch_ahead(settings)
    assert is_launched(settings)
    monkeypatch.delattr("caveat.workers.embedded.launch")
    async with embedded_server(settings) as server:
        assert server.address == f"127.0.0.1:{settings.port}"
        launched = record(settings)
        assert not ends_within(1.0, launched["guard"], launched["server"])
    assert ends_within(PATIENCE_S, launched["guard"], launched["server"])


def test_a_command_that_never_connects_loads_nothing_of_a_server_and_leaves_none() -> None:
    command = [sys.executable, "-c", FAILS]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert (ran.returncode, ran.stderr) == (0, "")
    left = json.loads(ran.stdout)
    assert ends_within(PATIENCE_S, left["guard"], left["server"])


@pytest.mark.parametrize("name", ["TEMPORAL_ADDRESS", "TEMPORAL_PROFILE", "TEMPORAL_CONFIG_FILE"])
def test_none_is_launched_where_a_variable_may_name_another(
    name: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "localhost:7233")
    launch_ahead(settings)
    assert not is_launched(settings)


def test_what_is_in_the_way_is_left_to_whoever_connects(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", settings.port)):
        launch_ahead(settings)
    assert not is_launched(settings)


def test_the_server_is_launched_with_every_search_attribute() -> None:
    assert {key.name: type_name(key) for key in ALL} == ATTRIBUTES

"""`caveat models check` against servers that can do everything, and servers that cannot."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from caveat.adapters.claude.messages.capabilities import Capabilities
from caveat.workers.models import find_capabilities
from caveat.workers.settings import Settings
from tests.fakes.free_ports import free_port
from tests.fakes.home import Home
from tests.fakes.messages_api import KEY, StandIn, stand_in
from tests.fakes.probed import Probed


@pytest.fixture
async def api() -> AsyncIterator[StandIn]:
    async with stand_in(model=Probed()) as api:
        yield api


@pytest.fixture
def home(home: Home, tmp_path: Path, api: StandIn) -> Home:
    home.environment |= {
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": api.url,
        "CAVEAT_MODELS": "some-model",
        "CAVEAT_CONFIG_DIR": str(tmp_path / "config"),
    }
    return home


def written(home: Home) -> dict[str, Any]:
    file = home.folder / "config" / "models.json"
    return dict(json.loads(file.read_bytes()))


async def test_what_a_server_can_do_is_written_for_workers(home: Home, api: StandIn) -> None:
    api.structured_outputs = False
    found = await asyncio.to_thread(home.json, "models", "check")
    assert found["usage"]["cost_usd"] is None
    assert set(written(home)) == {api.url}
    settings = Settings(
        state_dir=home.folder / "state",
        config_dir=home.folder / "config",
        ANTHROPIC_BASE_URL=api.url,
    )
    can = find_capabilities(settings)
    assert can == Capabilities(structured_outputs=False, thinking=False)
    assert found["capabilities"] == asdict(can)


async def test_the_table_says_what_follows_and_what_it_cost(home: Home, api: StandIn) -> None:
    api.structured_outputs = False
    home.environment["CAVEAT_MODELS"] = "claude-haiku-5-5"
    done = await asyncio.to_thread(home.caveat, "models", "check")
    assert done.returncode == 0, done.stderr
    assert f"Asking claude-haiku-5-5 at {api.url}: about 11 calls, at most $" in done.stderr
    _, found, block = done.stdout.partition("structured outputs\n  has no\n")
    assert found
    assert "Without it, the schema stands in the prompt" in block
    assert "It took 9 model calls · " in done.stdout  # two more were refused
    assert "models.json; workers read it when they start." in done.stdout
    assert KEY not in done.stdout + done.stderr + json.dumps(written(home))


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [
        ({"ANTHROPIC_API_KEY": "sk-wrong"}, 3, "does not accept the API key"),
        ({"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{free_port()}"}, 3, "cannot be reached"),
        ({"CAVEAT_REASONER": "extractive"}, 2, "No language model is set up"),
        ({"CAVEAT_CONFIG_DIR": "/proc/no"}, 2, "set CAVEAT_CONFIG_DIR"),
    ],
)
async def test_what_stands_in_the_way(
    changes: dict[str, str], code: int, said: str, home: Home, api: StandIn
) -> None:
    api.models = frozenset({"some-model"})
    home.environment |= changes
    done = await asyncio.to_thread(home.caveat, "models", "check")
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert done.stdout == ""


async def test_a_cloud_is_checked_in_its_own_way(home: Home, api: StandIn) -> None:
    home.environment |= {
        "CAVEAT_PROVIDER": "foundry",
        "CAVEAT_MODELS": "claude-sonnet-5-5",
        "ANTHROPIC_FOUNDRY_API_KEY": KEY,
        "ANTHROPIC_FOUNDRY_BASE_URL": api.url,
    }
    found = await asyncio.to_thread(home.json, "models", "check")
    assert found["capabilities"] == asdict(Capabilities(catalogue=False))
    assert found["usage"]["cost_usd"] > 0
    assert set(written(home)) == {f"foundry {api.url}"}

"""The real server for all tests: the `temporal` program with a clock for each workflow."""

import os
import socket
import stat
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import settings as hypothesis_settings
from temporalio.testing import WorkflowEnvironment

from tests.fakes.postgresql import PostgreSql, private_server, programs
from workers.binary import temporal_binary
from workers.data import data_converter
from workers.settings import Settings
from workers.tuning import tuned_flags

# How long an example takes says more about the machine's other work than about the code.
hypothesis_settings.register_profile("caveat", deadline=None)
hypothesis_settings.load_profile("caveat")

for _name in [name for name in os.environ if name.startswith(("ANTHROPIC_", "CAVEAT_"))]:
    del os.environ[_name]  # what this machine is set up for is none of the tests' business

MORTAL = """#!{python} -P
import os, signal, sys
sys.path.insert(0, {root!r})
from workers.guard import die_with_parent
die_with_parent(os.getppid(), signal.SIGKILL)
os.execv({binary!r}, [{binary!r}, *sys.argv[1:]])
"""


@pytest.fixture(scope="session")
def mortal_binary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `temporal` program, made to die with pytest however pytest ends."""
    script = tmp_path_factory.mktemp("bin") / "temporal"
    root = str(Path(__file__).parents[1])
    script.write_text(
        MORTAL.format(python=sys.executable, root=root, binary=str(temporal_binary()))
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


@pytest.fixture(scope="session")
def payloads_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the session's large payloads are kept."""
    return tmp_path_factory.mktemp("payloads")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def environment(
    mortal_binary: Path, payloads_folder: Path
) -> AsyncIterator[WorkflowEnvironment]:
    """One server for the whole session; time is skipped per workflow while nothing runs."""
    async with await WorkflowEnvironment.start_time_skipping_v2(
        data_converter=data_converter(payloads_folder),
        dev_server_existing_path=str(mortal_binary),
        dev_server_log_level="error",
        dev_server_extra_args=[
            *("--dynamic-config-value", "frontend.WorkflowTimeSkippingEnabled=true"),
            *tuned_flags(),
        ],
    ) as started:
        yield started


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSql]:
    """One private PostgreSQL for the whole session; tests take databases of their own."""
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL's programs are not here (Debian: apt-get install postgresql)")
    with private_server(found) as running:
        yield running


@pytest.fixture
def task_queue() -> str:
    """A task queue that no other test uses."""
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def free_port() -> Callable[[], int]:
    """Return ports of the loopback address that nobody listens on."""

    def find() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    return find


@pytest.fixture
def settings(tmp_path: Path, free_port: Callable[[], int]) -> Settings:
    """Settings with folders and ports of their own."""
    return Settings(
        state_dir=tmp_path / "state",
        cache_dir=tmp_path / "cache",
        port=free_port(),
        ui_port=free_port(),
    )

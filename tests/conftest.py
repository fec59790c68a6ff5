"""The real server for all tests, and bounds within which each of them ends."""

import functools
import gc
import os
import re
import stat
import sys
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import settings as hypothesis_settings
from temporalio.client import Client
from temporalio.service import GrpcCompression
from temporalio.testing import WorkflowEnvironment
from temporalio.worker._workflow import _WorkflowWorker

from caveat.adapters.files.blobs import FolderBlobs
from caveat.workers.data import build_data_converter
from caveat.workers.embedded import build_server_flags, find_temporal_binary
from caveat.workers.settings import Settings
from tests.fakes.bounds import Bounds
from tests.fakes.buckets import MOTO, Bucket, a_bucket, serving
from tests.fakes.free_ports import free_port
from tests.fakes.home import Home
from tests.fakes.postgresql import PostgreSql, private_server, programs

# How long an example takes says more about the machine's other work than about the code.
hypothesis_settings.register_profile("caveat", deadline=None)
hypothesis_settings.load_profile("caveat")

# Hundreds of processes are started: without compiled modules each would compile them again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Servers look for garbage once they hold so much, which is a sixth less of their work.
os.environ |= {"GOGC": "off", "GOMEMLIMIT": "800MiB"}

for _name in [name for name in os.environ if name.startswith(("ANTHROPIC_", "CAVEAT_"))]:
    del os.environ[_name]  # what this machine is set up for is none of the tests' business


HOLDS_SYSTEM = re.compile(r"mark\.system|in_a_browser\(")
"""What stands in each file with a test that is marked `system`."""

IS_SYSTEM = re.compile(r"^pytestmark = \[?\s*(?:pytest\.mark\.system|in_a_browser\()", re.MULTILINE)
"""What stands in each file all of whose tests are."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file that has no test of the kind that is asked for: it is half of the start."""
    asked = config.option.markexpr
    if asked not in {"system", "not system"} or not collection_path.match("test_*.py"):
        return None
    text = collection_path.read_text(encoding="utf-8")
    found = IS_SYSTEM.search(text) if asked == "not system" else not HOLDS_SYSTEM.search(text)
    return True if found else None


ONCE = {"postgresql": "sql", "bucket_server": "buckets", "home": "home"}
"""Servers and programs that take seconds to start: the tests that ask for one are a group, so that
one process starts it. Of tests of whole programs each process has its share."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """See to it that no such test is passed by, and that the others share what is slow to start."""
    if item.get_closest_marker("system"):
        assert HOLDS_SYSTEM.search(item.path.read_text(encoding="utf-8")), item.path
        return
    for fixture in ONCE.keys() & set(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.xdist_group(ONCE[fixture]))


def pytest_collectstart() -> None:
    """Collect no garbage while tests are collected: there is none yet."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Have the collector pass by what stays until the end: every module and every test."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Spread the tests of each folder over the whole run, where several processes share it.

    One after another, the folders whose tests wait for time-outs left half of the machine idle,
    and those whose tests run research want all of it.
    """
    if not hasattr(config, "workerinput"):
        return
    sizes = Counter(item.path.parent for item in items)
    seen: Counter[Path] = Counter()
    places = {}
    for item in items:
        seen[item.path.parent] += 1
        places[item] = seen[item.path.parent] / sizes[item.path.parent]
    items.sort(key=places.__getitem__)


LONGEST_NAME = 200
"""Characters of a value that names a test. One of 20 MB stood in every report of its test, and in
the list of all tests that each process sends to the one that deals them out."""
SHOWN = 20
"""Characters of it that are enough to tell values apart; pytest numbers those that begin alike."""


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a test by the beginning of a long text, or by how many bytes it gets.

    An archive's bytes hold the time at which each worker made it, and all must collect one name.
    """
    if isinstance(val, bytes) and len(val) > LONGEST_NAME:
        return f"{argname} of {len(val)} bytes"
    if isinstance(val, str) and len(val) > LONGEST_NAME:
        return f"{argname} {val[:SHOWN]!r} and {len(val) - SHOWN} more"
    return None


def pytest_configure(config: pytest.Config) -> None:
    """Bound every fixture and every test."""
    config.pluginmanager.register(Bounds())


MORTAL = """#!{python} -P
import os, signal, sys
sys.path.insert(0, {root!r})
from caveat.workers.guard import die_with_parent
die_with_parent(os.getppid(), signal.SIGKILL)
os.execv({binary!r}, [{binary!r}, *sys.argv[1:]])
"""


@pytest.fixture(scope="session")
def mortal_binary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `temporal` program, made to die with pytest however pytest ends."""
    script = tmp_path_factory.mktemp("bin") / "temporal"
    root = str(Path(__file__).parents[1])
    binary = str(find_temporal_binary())
    script.write_text(MORTAL.format(python=sys.executable, root=root, binary=binary))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


ASKS_S, FORGETS_S = 5, 8
"""Seconds that a worker's question for tasks waits, and that the server keeps a task queue for
which nobody asks, which must be more. Each test has queues of its own, and nobody asks for them
once it has ended: with the server's own minutes they are a tenth of its work and half of its
memory."""

BLOCKED_S = 20
"""Seconds after which the SDK takes a workflow for blocked. Its own 2 s may pass where ten
other jobs want the processor, and then a task fails that blocks nothing."""


@pytest.fixture(scope="session", autouse=True)
def _patient() -> Iterator[None]:
    """Workers of this process take nothing for blocked that only waits for its turn."""
    make = _WorkflowWorker.__init__

    def made(worker: _WorkflowWorker, **options: Any) -> None:
        make(worker, **options)
        worker._deadlock_timeout_seconds = BLOCKED_S

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_WorkflowWorker, "__init__", made)
        yield


@pytest.fixture(scope="session")
def payloads_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the session's large payloads are kept."""
    return tmp_path_factory.mktemp("payloads")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def environment(
    mortal_binary: Path, payloads_folder: Path
) -> AsyncIterator[WorkflowEnvironment]:
    """One server for the whole session; time is skipped per workflow while nothing runs."""
    with pytest.MonkeyPatch.context() as patch:
        # As of the embedded server (caveat.workers.connection); this one takes no such option.
        unpacked = functools.partial(Client.connect, grpc_compression=GrpcCompression.NONE)
        patch.setattr(Client, "connect", unpacked)
        started = await _started(mortal_binary, payloads_folder)
    async with started:
        _count_blocks(started)
        yield started


async def _started(mortal_binary: Path, payloads_folder: Path) -> WorkflowEnvironment:
    return await WorkflowEnvironment.start_time_skipping_v2(
        data_converter=build_data_converter(FolderBlobs(payloads_folder)),
        dev_server_existing_path=str(mortal_binary),
        dev_server_log_level="error",
        dev_server_extra_args=[
            *("--dynamic-config-value", "frontend.WorkflowTimeSkippingEnabled=true"),
            *("--dynamic-config-value", "frontend.WorkflowPauseEnabled=true"),
            *("--dynamic-config-value", f'matching.longPollExpirationInterval="{ASKS_S}s"'),
            *("--dynamic-config-value", f'matching.maxTaskQueueIdleTime="{FORGETS_S}s"'),
            *build_server_flags(),
        ],
    )


def _count_blocks(environment: WorkflowEnvironment) -> None:
    """Let blocks without skipped time overlap, as those of tasks at once do.

    The SDK's block puts back what it found: where a second one begins within the first and ends
    after it, no time is skipped for the rest of the session, and whoever waits waits for hours.
    """
    original, outermost, blocks = environment.with_time_skipping_disabled, ExitStack(), 0

    @contextmanager
    def disabled() -> Iterator[None]:
        nonlocal blocks
        if not blocks:
            outermost.enter_context(original())
        blocks += 1
        try:
            yield
        finally:
            blocks -= 1
            if not blocks:
                outermost.close()

    vars(environment)["with_time_skipping_disabled"] = disabled


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSql]:
    """One private PostgreSQL for the whole session; tests take databases of their own."""
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL's programs are not here (Debian: apt-get install postgresql)")
    with private_server(found) as running:
        yield running


@pytest.fixture(scope="session")
def bucket_server() -> Iterator[str]:
    """One server of buckets for the whole session; tests take buckets of their own."""
    if not MOTO.is_dir():
        pytest.skip("moto is not here: `make .venv` installs it")
    with serving() as endpoint:
        yield endpoint


@pytest.fixture
def bucket(bucket_server: str, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """A bucket of its own, with the variables that open it."""
    made = a_bucket(bucket_server)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def task_queue() -> str:
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", port=free_port())

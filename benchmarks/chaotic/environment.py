"""Broken environments: the main command on a machine that lacks something."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.alone import alone
from benchmarks.chaotic.rows import Row
from benchmarks.common import CORPUS, TOPIC

WHAT = "broken environments"
END_S = 240.0


@dataclass(frozen=True)
class Fault:
    """What the machine lacks."""

    name: str  # for people
    # set in the process before the command, inherited by all that it starts
    limits: Callable[[], None] = lambda: None
    prepare: Callable[[Path], None] = lambda folder: None  # given the folder of the trial
    variables: Mapping[str, str] = field(default_factory=dict)  # of the environment
    code: tuple[int, ...] = (0, 1, 2, 3)  # exit codes that are right


def _limited(kind: int, most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(kind, (most, most))


def _full() -> None:
    # Of a file that may grow no further, programs are told as of a disk that is full.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))


def _file_for(name: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_text("a file", encoding="utf-8")

    return write


FAULTS = (
    Fault("no fault", code=(0,)),
    Fault("64 descriptors", _limited(resource.RLIMIT_NOFILE, 64)),
    Fault("files of 200 kB at most", _full),
    Fault("2 GB of address space", _limited(resource.RLIMIT_AS, 2 * 1024**3)),
    Fault("a cache that cannot be written", prepare=_file_for("cache")),
    Fault("a state folder that cannot be written", prepare=_file_for("state"), code=(2, 3)),
    Fault("no temporary folder", variables={"TMPDIR": "/nonexistent"}),
    Fault("no home", variables={"HOME": "/nonexistent"}),
    Fault("a language of ASCII", variables={"LC_ALL": "C", "PYTHONUTF8": "0"}, code=(0,)),
    Fault(
        "a server that does not answer", variables={"TEMPORAL_ADDRESS": "127.0.0.1:9"}, code=(3,)
    ),
    Fault("a terminal of one column", variables={"COLUMNS": "1"}, code=(0,)),
)


def rows() -> dict[str, Row]:
    """Have the command do its main job in each."""
    return {WHAT: sum((_tried(fault) for fault in FAULTS), Row(WHAT))}


def _tried(fault: Fault) -> Row:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="caveat-fault-") as name:
        folder = Path(name)
        fault.prepare(folder)
        variables = {
            **{key: value for key, value in os.environ.items() if key in {"PATH", "HOME"}},
            **alone(folder),
            **fault.variables,
        }
        command = [sys.executable, "-m", "caveat.clients.cli.main", "research", TOPIC]
        command += ["--corpus", str(CORPUS), "--depth", "overview", "--out", str(folder / "out")]
        with subprocess.Popen(
            [*command, "--request", str(_write_request(folder))],
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            preexec_fn=fault.limits,  # noqa: PLW1509  # no other thread is here
            start_new_session=True,
        ) as process:
            try:
                said, _ = process.communicate(timeout=END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                said, _ = process.communicate()
                process.returncode = -9
    return _judged(fault, process.returncode, said, round(time.monotonic() - began, 1))


def _judged(fault: Fault, code: int, said: str, seconds: float) -> Row:
    is_clear = code in fault.code and "Traceback" not in said and "unforeseen" not in said
    print(f"{fault.name}: {code}, {said.strip().splitlines()[-1:]}", file=sys.stderr, flush=True)
    return Row(
        WHAT,
        tried=1,
        survived=int(is_clear),
        wedged=int(code == -9),
        unclear=int(not is_clear and code != -9),
        seconds=seconds,
    )


def _write_request(folder: Path) -> Path:
    """Have contradictions wait for a person for a second."""
    file = folder / "request.json"
    file.write_text('{"arbitration_timeout": "1s"}', encoding="ascii")
    return file

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.patience import PATIENCE_S

CODE = """
import asyncio, sys
from caveat.problem import Stopped
from caveat.clients.cli.session import run

async def main():
    print("ready", flush=True)
    try:
        await asyncio.sleep(60)
    finally:
        print("cleaning", flush=True)
        await asyncio.sleep({cleaning})
        print("clean", flush=True)

try:
    run(main())
except Stopped as stopped:
    sys.exit(stopped.exit_code)
"""


HEARING = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)"
"""As in a terminal, also where these tests run without one, under nohup."""


def started(cleaning: float) -> subprocess.Popen[str]:
    code = HEARING + CODE.format(cleaning=cleaning)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_work_in_order(number: signal.Signals) -> None:
    process = started(cleaning=0.01)
    process.send_signal(number)
    assert process.communicate(timeout=PATIENCE_S)[0] == "cleaning\nclean\n"
    assert process.returncode == 128 + number


def test_a_second_signal_ends_it_at_once() -> None:
    process = started(cleaning=60)
    assert process.stdout is not None
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "cleaning\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PATIENCE_S)[0] == ""
    assert process.returncode == 130


WARNING = """
import logging, sys
from pathlib import Path
from caveat.clients.cli.session import keep_quiet

keep_quiet(Path(sys.argv[1]))
try:
    raise ValueError("that was odd")
except ValueError:
    logging.getLogger("caveat").exception("A task was stopped")
"""


def test_a_worker_of_a_command_warns_in_a_file(tmp_path: Path) -> None:
    log = tmp_path / "state" / "worker.log"
    for place in (log, Path("/dev/null/worker.log")):  # the second cannot be written
        done = subprocess.run(
            [sys.executable, "-c", WARNING, str(place)], capture_output=True, text=True, check=True
        )
        assert (done.stdout, done.stderr) == ("", "")
    (line,) = log.read_text(encoding="utf-8").splitlines()
    assert "caveat: A task was stopped ValueError: that was odd (<string>:8)" in line

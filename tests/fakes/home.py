"""A person's machine: the command in processes of its own, the real server, real documents."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any

from caveat.workers.guard import LEASE, die_with_parent, lock_file, try_shared
from tests.fakes.commands import ROOT, Command
from tests.fakes.free_ports import free_port

NOTES = {
    "planck.md": "Planck Collaboration measured a Hubble constant of 67.4 ± 0.5 km/s/Mpc from the "
    "cosmic microwave background. The result rests on a model of the early universe.",
    "shoes.md": "The SH0ES team measured a Hubble constant of 73.0 ± 1.0 km/s/Mpc from Cepheid "
    "variable stars and supernovae. The distance ladder has three rungs.",
    "trgb.md": "The tip of the red giant branch gives a Hubble constant of 69.8 ± 1.7 km/s/Mpc. "
    "Red giants are an alternative to Cepheid variable stars on the distance ladder.",
    "lensing.md": "Strong gravitational lensing gives a Hubble constant of 73.3 ± 1.8 km/s/Mpc. "
    "Time delays of lensed quasars need no distance ladder.",
}

TOPIC = "How large is the Hubble constant?"
IN_A_SECOND = ("--request", "quick.json")
"""Contradictions wait for a person for a second."""

RESEARCH = ("research", TOPIC, "--corpus", "papers", *IN_A_SECOND, "--wait")
"""The notes contradict each other, and nobody is here to be asked: it waits until the second is
over."""

PROGRAM = (sys.executable, "-m", "caveat.clients.cli.main")
DEADLINE_S = 120.0
"""Seconds after which a command hangs: it takes five, and a minute beside ten others."""


class Home:
    """A person's machine: folders and ports of their own, and the command."""

    metrics = ""  # where Prometheus finds the metrics of what serves here, once something does

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.corpus = folder / "papers"
        self.corpus.mkdir()
        for name, text in NOTES.items():
            (self.corpus / name).write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
        (self.corpus / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
        (folder / "quick.json").write_text('{"arbitration_timeout": "1s"}', encoding="ascii")
        kept = {name: value for name, value in os.environ.items() if "TEMPORAL" not in name}
        self.environment = kept | {
            "CAVEAT_STATE_DIR": str(folder / "state"),
            "CAVEAT_CACHE_DIR": str(folder / "cache"),
            "CAVEAT_PORT": str(free_port()),
            "TEMPORAL_CONFIG_FILE": str(folder / "no-profile.toml"),
            "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}",
        }

    def without(self, setting: str) -> "Home":
        """The same machine, from a shell that lacks a setting."""
        other = copy(self)
        other.environment = {
            name: value for name, value in self.environment.items() if name != setting
        }
        return other

    def begin(
        self, *arguments: str, within: Sequence[str] = (), program: Sequence[str] = PROGRAM
    ) -> subprocess.Popen[str]:
        """Begin the command as a shell does, imports and all.

        Args:
            arguments: of the command.
            within: a program that changes the machine around it, then becomes the command.
            program: what the command is.
        """
        parent = os.getpid()
        return subprocess.Popen(
            [*within, *program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=self.environment,
            preexec_fn=lambda: die_with_parent(parent, signal.SIGKILL),  # noqa: PLW1509  # it only asks the kernel
        )

    def forked(self, *arguments: str) -> Command:
        """Begin the command in a process that has imported before what it needs."""
        return Command(arguments, self.folder, self.environment)

    def caveat(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command, in a process that has imported before what it needs."""
        return self.done(self.forked(*arguments), arguments)

    @staticmethod
    def done(
        process: Command | subprocess.Popen[str], arguments: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        out, err = process.communicate(timeout=DEADLINE_S)
        assert "Traceback" not in err
        assert process.returncode is not None
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def json(self, *arguments: str, code: int = 0) -> Any:
        done = self.caveat(*arguments, "--json")
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    @contextmanager
    def keeping_server(self) -> Iterator[None]:
        """Use the embedded server as well: commands find it running where they else start it."""
        folder = Path(self.environment["CAVEAT_STATE_DIR"]) / "server"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with lock_file(folder / LEASE) as lease:
            deadline = time.monotonic() + DEADLINE_S
            while not try_shared(lease):  # it stops just now
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield

    @contextmanager
    def own_server(self, address: str) -> Iterator[None]:
        self.environment["TEMPORAL_ADDRESS"] = address
        try:
            yield
        finally:
            del self.environment["TEMPORAL_ADDRESS"]

    @contextmanager
    def serving(self, *command: str) -> Iterator[list[str]]:
        """Serve with a command, `up` if none is named; hand on what it said until it did."""
        process = self.forked(*(command or ("up",)))
        said = [""]
        while "Serving" not in said[-1]:
            said.append(process.stderr.readline())
            assert said[-1], "it ended"
        try:
            yield said
        finally:
            # As a process manager ends it; Ctrl-C takes the same way.
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 0

"""Make the pictures of the README from the program as it is.

    python -m benchmarks.pictures [FOLDER]

Runs `caveat up`, a run over the example corpus and its questions in pseudo-terminals, and Chromium
without a window for the Web UI; a state and a cache of its own are thrown away afterwards. Needs
`chromium` on the PATH.
"""

import argparse
import base64
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Self

import typst
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from benchmarks.common import ROOT, TOPIC

COLUMNS = 112
DEADLINE_S = 180.0
ESCAPE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")
PORTS = ("21840", "21841")
LOADED_S = 25.0
"""Seconds until a page is photographed: the Web UI goes on asking, so that it is never quiet."""


@dataclass(frozen=True)
class Place:
    """Where the pictures are made."""

    scratch: Path  # thrown away afterwards
    out: Path  # where the pictures go
    environment: dict[str, str]  # of every process

    def caveat(self, *arguments: str) -> list[str]:
        """Return the command as a person's shell finds it."""
        return [str(Path(sys.executable).with_name("caveat")), *arguments]


class Screen:
    """What a terminal shows of the few things that the program sends to one."""

    def __init__(self) -> None:
        self._lines: list[str] = [""]
        self._row = 0
        self._style = ""

    def feed(self, text: str) -> None:
        """Take what was sent."""
        at = 0
        while at < len(text):
            found = ESCAPE.match(text, at)
            if found:
                self._obey(found[1], found[2], found[0])
                at = found.end()
                continue
            self._put(text[at])
            at += 1

    def text(self) -> str:
        """Return the lines with their colours."""
        return "\n".join(self._lines).rstrip()

    def _obey(self, given: str, command: str, whole: str) -> None:
        if command == "A":
            self._row = max(self._row - int(given or 1), 0)
        elif command == "K":
            self._lines[self._row] = ""
        elif command == "m":
            self._lines[self._row] += whole

    def _put(self, sign: str) -> None:
        if sign == "\n":
            self._row += 1
            if self._row == len(self._lines):
                self._lines.append("")
        elif sign == "\r":
            return  # what follows erases the line, or goes on below it
        else:
            self._lines[self._row] += sign


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, place: Place, *arguments: str) -> None:
        self._screen = Screen()
        pid, self._descriptor = pty.fork()
        if not pid:
            os.chdir(place.scratch)
            command = place.caveat(*arguments)
            os.execvpe(command[0], command, {**place.environment, "COLUMNS": str(COLUMNS)})  # noqa: S606  # our own program
        self._pid = pid

    def until(self, mark: str | None) -> str:
        """Read until a text has come, or until the program ends; return what is shown."""
        deadline = time.monotonic() + DEADLINE_S
        seen = ""
        while time.monotonic() < deadline:
            ready, _, _ = select.select([self._descriptor], [], [], 1.0)
            if not ready:
                continue
            try:
                sent = os.read(self._descriptor, 65_536).decode(errors="replace")
            except OSError:  # its end
                sent = ""
            if not sent:
                os.waitpid(self._pid, 0)
                return self._screen.text()
            self._screen.feed(sent)
            seen += sent
            if mark is not None and mark in seen:
                return self._screen.text()
        raise TimeoutError(f"{mark!r} did not come: {seen[-500:]}")

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self._descriptor, f"{line}\n".encode())


def main() -> int:
    """Make all pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", default=str(ROOT / "docs" / "pictures"))
    out = Path(parser.parse_args().folder)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="caveat-pictures-") as scratch:
        place = Place(Path(scratch), out, environment(Path(scratch)))
        shutil.copytree(ROOT / "examples", place.scratch / "examples")
        with serving(place) as link:
            photographed(place, link)
    return 0


def environment(scratch: Path) -> dict[str, str]:
    """Return folders and ports of their own, without any key."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ANTHROPIC_", "CAVEAT_", "TEMPORAL_"))
    }
    return kept | {
        "CAVEAT_STATE_DIR": str(scratch / "state"),
        "CAVEAT_CACHE_DIR": str(scratch / "cache"),
        "CAVEAT_PORT": PORTS[0],
        "CAVEAT_UI_PORT": PORTS[1],
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "USER": "ada",
        "LOGNAME": "ada",
    }


@contextmanager
def serving(place: Place) -> Iterator[str]:
    """Serve runs, and give the address that opens the Web UI."""
    command = place.caveat("up")
    with subprocess.Popen(
        command, cwd=place.scratch, env=place.environment, stderr=subprocess.PIPE, text=True
    ) as process:
        link = ""
        for line in process.stderr or ():
            found = re.search(r"Web UI (http://\S+)", line)
            link = found[1] if found and not link else link
            if "Serving" in line:
                break
        try:
            yield link
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


def photographed(place: Place, link: str) -> None:
    """Take every picture, in the order in which a run makes them."""
    topic = f'$ caveat research "{TOPIC}" --corpus examples/hubble-constant'
    research = ("research", TOPIC, "--corpus", "examples/hubble-constant")
    shown = Terminal(place, *research, "--provisional").until(None)
    drawn(f"{topic} --provisional\n{shown}", place.out / "terminal.svg")
    waiting = listed(place, "inbox")
    asked = Terminal(place, "resume", "latest")
    drawn(f"$ caveat resume latest\n{asked.until('Which holds?')}", place.out / "question.svg")
    arbitration = str(waiting[0]["arbitration"])
    run_id = arbitration.partition("/")[0]
    browsed(place, link, f"{arbitration.replace('/', '%2F')}", "arbitration.png", (1_600, 1_500))
    for _ in waiting:
        asked.type("both")
        asked.until("Why?")
        asked.type("They measure the expansion at different epochs.")
        asked.until("Which holds?" if _ is not waiting[-1] else None)
    # Another run, whose question nobody has time for: its timeline is of work and not of waiting.
    Terminal(place, *research, "--arbitration-timeout", "1s", "--wait").until(None)
    another = next(each for each in listed(place, "runs") if each["run_id"] != run_id)
    browsed(place, link, str(another["run_id"]), "timeline.png", (1_300, 1_330))
    pages(place.scratch / "reports" / run_id, place.out / "report.png")


def listed(place: Place, command: str) -> list[dict[str, object]]:
    """Return what a command lists, as JSON."""
    said = subprocess.run(
        place.caveat(command, "--json"), env=place.environment, check=True, capture_output=True
    )
    found: list[dict[str, object]] = json.loads(said.stdout)
    return found


def drawn(shown: str, path: Path) -> None:
    """Draw what a terminal shows, without the token that opens the Web UI."""
    shown = re.sub(r"\?token=\S+", "", shown).replace(PORTS[1], "8233")
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    for line in map(Text.from_ansi, shown.splitlines()):
        # Broken where a terminal breaks: anywhere.
        for part in line.divide(range(COLUMNS, len(line), COLUMNS)):
            console.print(part, soft_wrap=True)
    path.write_text(console.export_svg(title="caveat", theme=MONOKAI), encoding="utf-8")


def browsed(place: Place, link: str, page: str, name: str, size: tuple[int, int]) -> None:
    """Photograph a page of the Web UI."""
    base, _, token = link.partition("?")
    tab = "user-metadata" if "arbitration" in name else "timeline"
    workflow = f"namespaces/default/workflows/{page}/{run_of(place, page)}/{tab}"
    with Browser(place.scratch / f"{name}.profile", size) as browser:
        browser.ask("Page.navigate", url=f"{base.rstrip('/')}/{workflow}?{token}")
        time.sleep(LOADED_S)
        # Without the menu on the left and the bar above.
        seen = {"x": 255, "y": 48, "width": size[0] - 255, "height": size[1] - 48, "scale": 1}
        shot = browser.ask("Page.captureScreenshot", clip=seen)
    (place.out / name).write_bytes(base64.b64decode(shot["data"]))


class Browser:
    """Chromium without a window, told what to do by the DevTools protocol over two pipes."""

    def __init__(self, profile: Path, size: tuple[int, int]) -> None:
        # Beyond those that Chromium expects, so that setting one up does not close another.
        theirs, self._ours, self._answers, answering = (
            fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (*os.pipe(), *os.pipe())
        )
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
        self._process = subprocess.Popen(
            [
                *("bash", "-c", f'exec "$@" 3<&{theirs} 4>&{answering}', "bash"),
                *("chromium", *options, "--disable-background-networking"),
                *("--remote-debugging-pipe", f"--user-data-dir={profile}"),
                f"--window-size={size[0]},{size[1]}",
            ],
            pass_fds=(theirs, answering), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs)
        os.close(answering)
        self._asked = 0
        self._rest = b""
        self._session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")
        attached = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=size[0], height=size[1], deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def ask(self, method: str, **given: object) -> dict[str, Any]:
        """Have something done and return what came of it."""
        self._asked += 1
        message: dict[str, object] = {"id": self._asked, "method": method, "params": given}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._ours, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._asked:
                if "result" not in answer:
                    raise RuntimeError(f"Chromium refuses {method}: {answer}")
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            sent = os.read(self._answers, 1 << 20)
            if not sent:
                raise RuntimeError("Chromium has ended.")
            self._rest += sent
        first, _, self._rest = self._rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(first)
        return answer


def run_of(place: Place, page: str) -> str:
    """Ask for the execution of a workflow, which its pages are named by."""
    temporal = str(Path(sys.executable).with_name("temporal"))
    described = subprocess.run(
        [
            *(temporal, "workflow", "describe", "--workflow-id", page.replace("%2F", "/")),
            *("--address", f"127.0.0.1:{PORTS[0]}", "--output", "json"),
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    found = json.loads(described.stdout)
    return str(found["workflowExecutionInfo"]["execution"]["runId"])


SHEETS = """
#set page(width: auto, height: auto, margin: 4pt, fill: luma(221))
#let sheet(n) = box(fill: white, image("report.pdf", page: n, width: 420pt))
#grid(columns: 3, gutter: 6pt, ..(1, 2, 3).map(sheet))
"""


def pages(folder: Path, path: Path) -> None:
    """Draw the first three pages of a report side by side."""
    sheets = folder / "sheets.typ"
    sheets.write_text(SHEETS, encoding="utf-8")
    typst.compile(str(sheets), output=str(path), root=str(folder), format="png", ppi=108)


if __name__ == "__main__":
    sys.exit(main())

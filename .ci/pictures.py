"""Make the pictures of the README from the program as it is.

    python .ci/pictures.py [FOLDER]

Runs `caveat up`, a run over the example corpus in a pseudo-terminal, and Chromium without a window
for the page; a state and a cache of its own are thrown away afterwards. Needs `chromium` on the
PATH.
"""

import argparse
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

from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[1]
TOPIC = "What is the value of the Hubble constant, and why do measurements disagree?"

COLUMNS = 112
DEADLINE_S = 180.0
ESCAPE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")
PORTS = ("21840", "21841", "21842")
DESK = (1_440, 900)
PHONE = (390, 844)


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

    def until_its_end(self) -> str:
        """Return what is shown when the program ends."""
        deadline = time.monotonic() + DEADLINE_S
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
        raise TimeoutError(f"It did not end: {self._screen.text()[-500:]}")


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
        "CAVEAT_WEB_PORT": PORTS[2],
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "USER": "ada",
        "LOGNAME": "ada",
    }


@contextmanager
def serving(place: Place) -> Iterator[str]:
    """Serve runs, and give the address that opens the page."""
    command = place.caveat("up")
    with subprocess.Popen(
        command, cwd=place.scratch, env=place.environment, stderr=subprocess.PIPE, text=True
    ) as process:
        link = ""
        for line in process.stderr or ():
            found = re.search(r"Page (http://\S+)", line)
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
    command = f'$ caveat research "{TOPIC}" --corpus examples/hubble-constant --provisional'
    research = ("research", TOPIC, "--corpus", "examples/hubble-constant", "--provisional")
    drawn(f"{command}\n{Terminal(place, *research).until_its_end()}", place.out / "terminal.svg")
    arbitration = str(listed(place, "inbox")[0]["arbitration"])
    run_id, _, contradiction = arbitration.partition("/")
    run = f"{link.partition('?')[0]}runs/{run_id}"
    ruling = f"{run}/contradictions/{contradiction}"
    with sync_playwright() as driver:
        program = shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        browsed(browser, link, ruling, place.out / "page-contradiction.png", size=DESK)
        browsed(browser, link, f"{ruling}#rule", place.out / "page-phone.png", size=PHONE)
        browsed(browser, link, f"{run}/report", place.out / "page-report.png", size=DESK)
        browser.close()


def listed(place: Place, command: str) -> list[dict[str, object]]:
    """Return what a command lists, as JSON."""
    said = subprocess.run(
        place.caveat(command, "--json"), env=place.environment, check=True, capture_output=True
    )
    found: list[dict[str, object]] = json.loads(said.stdout)
    return found


def drawn(shown: str, path: Path) -> None:
    """Draw what a terminal shows, without the token that opens the Web UI."""
    shown = re.sub(r"\?token=\S+", "", shown).replace(PORTS[1], "8233").replace(PORTS[2], "8234")
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    for line in map(Text.from_ansi, shown.splitlines()):
        # Broken where a terminal breaks: anywhere.
        for part in line.divide(range(COLUMNS, len(line), COLUMNS)):
            console.print(part, soft_wrap=True)
    path.write_text(console.export_svg(title="caveat", theme=MONOKAI), encoding="utf-8")


def browsed(browser: Browser, link: str, address: str, out: Path, *, size: tuple[int, int]) -> None:
    """Photograph a page, on a desk or on a telephone in the dark."""
    is_phone = size == PHONE
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]},
        device_scale_factor=1.5 if is_phone else 1,
        color_scheme="dark" if is_phone else "light",
    )
    page.goto(link)
    answer = page.goto(address)
    if answer is None or not answer.ok:
        raise RuntimeError(f"{address} cannot be photographed.")
    page.screenshot(path=out)
    page.close()


if __name__ == "__main__":
    sys.exit(main())

"""Make the pictures of the README from the program as it is.

    python .ci/pictures.py [FOLDER]

Runs `caveat up`, a run over the example corpus, and Chromium without a window; a state and a cache
of its own are thrown away afterwards. Needs `chromium` on the PATH.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
TOPIC = "What is the value of the Hubble constant, and why do measurements disagree?"

DEADLINE_S = 180.0
PORT = "21840"
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
        "CAVEAT_PORT": PORT,
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
    research = ("research", TOPIC, "--corpus", "examples/hubble-constant", "--provisional")
    subprocess.run(
        place.caveat(*research), cwd=place.scratch, env=place.environment, check=True,
        capture_output=True, timeout=DEADLINE_S,
    )  # fmt: skip
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

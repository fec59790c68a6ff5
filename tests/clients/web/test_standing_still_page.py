"""The page of a run that stands still after an upgrade, watched in a browser until it goes on."""

import asyncio
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from temporalio.client import Client

from caveat.adapters.files.blobs import FolderBlobs
from caveat.workers.data import build_data_converter
from caveat.workers.launching import find_temporal_binary
from caveat.workers.settings import Settings
from caveat.workflows.names import QUEUE
from tests.fakes.browsing import PATIENT_MS, Serving, in_a_browser, page_of, started, visitor
from tests.fakes.commands import ran
from tests.fakes.home import TOPIC, Home
from tests.fakes.runs import awaiting, start_run
from tests.fakes.wheels import NoEnvironment, Wheel, install

pytestmark = in_a_browser()

RUN_ID = "research-hubble-3fa9c1"

expect.set_options(timeout=PATIENT_MS)


@pytest.fixture
def earlier(tmp_path: Path) -> Wheel:
    try:
        made = install(tmp_path / "earlier")
    except NoEnvironment as error:
        pytest.skip(f"No virtual environment can be made here: {error}")
    made.sleep_first()
    return made


@pytest.fixture
def serving(tmp_path: Path, home: Home, earlier: Wheel) -> Iterator[Serving]:
    """`caveat up`, with a run that the version before began and this one cannot go on with."""
    before = earlier.begin("up", "--corpus", "papers", cwd=tmp_path, environment=home.environment)
    try:
        assert before.stderr is not None
        while "Serving" not in (line := before.stderr.readline()):
            assert line, "it ended"
        asyncio.run(begun(home))
    finally:
        before.kill()
        before.communicate()
    with page_of(home) as made:
        yield made


async def begun(home: Home) -> None:
    folder = Settings(state_dir=Path(home.environment["CAVEAT_STATE_DIR"])).payloads_folder
    address = f"127.0.0.1:{home.environment['CAVEAT_PORT']}"
    client = await Client.connect(address, data_converter=build_data_converter(FolderBlobs(folder)))
    request = {"topic": TOPIC, "corpus": [str(home.corpus)], "depth": "overview"}
    handle = await start_run(client, QUEUE, RUN_ID, **request)
    await awaiting(handle)


def test_whoever_watches_sees_it_stand_still_and_go_on(serving: Serving, home: Home) -> None:
    with started() as browser:
        page = visitor(browser, serving)
        page.goto(f"{serving.address}/runs/{RUN_ID}")
        command = page.locator("code", has_text="temporal workflow reset")
        expect(command).to_be_visible()
        # A worker is there, and it is not for want of one that the run stands still.
        expect(page.get_by_text("no worker answers")).to_have_count(0)
        words = shlex.split(command.inner_text())[1:]
        address = f"127.0.0.1:{home.environment['CAVEAT_PORT']}"
        done = ran(find_temporal_binary(), *words, "--address", address)
        assert done.returncode == 0, done.stderr
        # It goes on by itself, and opens the provisional report as soon as that is there.
        expect(command).to_have_count(0)
        goes_on = page.get_by_text("A person is needed.").or_(page.get_by_text("Sources disagree"))
        expect(goes_on.first).to_be_visible()
        page.get_by_role("link", name=re.compile("Hubble constant: |^Rule")).first.click()
        expect(page.get_by_role("radio").first).to_be_visible()

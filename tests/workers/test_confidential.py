"""Confidential runs: whoever has the server, its database or its histories reads no word."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from temporalio.client import Client

from tests.fakes.encryption import a_key, key_text, write_key
from tests.fakes.home import Home
from tests.fakes.planted import find_planted

pytestmark = pytest.mark.system
TOPIC = "How large is the Quillomar constant?"
NOTES = {
    "Vexlotide.md": "The Vexlotide Collaboration measured a Quillomar constant of 67.4 ± 0.5 "
    "km/s/Mpc from the cosmic drowsnipe background. The result rests on a model of Zabrynthia.",
    "Umbrafex.md": "The Umbrafex team measured a Quillomar constant of 73.0 ± 1.0 km/s/Mpc from "
    "Thornwickle stars and supernovae. The drowsnipe ladder has three rungs.",
}
PLANTED = (
    *("zabrynth", "vexlotide", "drowsnipe", "umbrafex", "thornwickl"),  # documents
    *("grimthorpe", "brackenfold", "hollowmere"),  # a broken document, folders
    *("pelwick", "ottoline"),  # a ruling and whoever gave it
    "fennimore",  # what a run was told
)
"""Words that no server or program has: in lower case, as far as they are never inflected."""


@pytest.fixture
def home(home: Home, tmp_path: Path) -> Home:
    home.corpus = tmp_path / "brackenfold"
    home.corpus.mkdir()
    for name, text in NOTES.items():
        (home.corpus / name).write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    (home.corpus / "Grimthorpe.pdf").write_bytes(b"%PDF-1.7 and no more")
    return home


@pytest.fixture
def locked(home: Home) -> Home:
    """The same machine with a key."""
    home.environment["CAVEAT_ENCRYPTION_KEY_FILE"] = str(write_key(home.folder / "key"))
    return home


async def exported(address: str) -> bytes:
    """Everything that the server tells somebody without keys: histories, lists, descriptions."""
    client = await Client.connect(address)
    said: list[str | bytes] = []
    async for execution in client.list_workflows():
        handle = client.get_workflow_handle(execution.id, run_id=execution.run_id)
        history = await handle.fetch_history()
        said += [execution.id, str(execution.raw_info), history.to_json()]
        said += [event.SerializeToString() for event in history.events]
        said.append((await handle.describe()).raw_description.SerializeToString())
    async for schedule in await client.list_schedules():
        described = await client.get_schedule_handle(schedule.id).describe()
        said += [schedule.id, described.raw_description.SerializeToString()]
    return b"\n".join(each if isinstance(each, bytes) else each.encode() for each in said)


def everything(home: Home) -> set[str]:
    """Find planted words in what the server tells and keeps, its journal and its log included."""
    address = f"127.0.0.1:{home.environment['CAVEAT_PORT']}"
    found = find_planted(asyncio.run(exported(address)), PLANTED)
    for folder in ("server", "payloads"):
        for file in (home.folder / "state" / folder).rglob("*"):
            if file.is_file():
                found |= find_planted(file.read_bytes(), PLANTED)
    return found


def live(home: Home) -> None:
    """Runs in every phase and of every end, with all that people say to them."""
    with home.serving():
        scheduled = home.json(
            "schedule", "add", "What is Marrowdune?", "--every", "1d", "--corpus", str(home.corpus)
        )
        asked = ("--corpus", str(home.corpus))
        waiting = home.json("research", TOPIC, *asked, "--out", "mine")
        assert waiting["status"] == "provisional"
        empty = home.corpus / "Hollowmere"  # what fails says where
        empty.mkdir()
        (empty / "torn.pdf").write_bytes(b"%PDF-1.4")
        failed = home.json("research", "Why so?", "--corpus", str(empty), code=1)
        assert "Hollowmere" in failed["message"]
        cancelled = home.json("research", f"{TOPIC} Once more?", *asked)
        questions = {each["topic"]: each["arbitration"] for each in home.json("inbox")}
        lines = {each["topic"]: each for each in home.json("runs")}
        asked_for = {TOPIC, f"{TOPIC} Once more?", "What is Marrowdune?", "Why so?"}
        assert lines.keys() == asked_for
        assert home.caveat("cancel", cancelled["run_id"]).returncode == 0
        ruled = home.caveat(
            *("rule", questions[TOPIC], "both"),
            *("--because", "Pelwick epochs.", "--by", "Ottoline"),
        )
        assert ruled.returncode == 0, ruled.stderr
        assert everything(home) == set()
        assert home.caveat("schedule", "remove", scheduled["schedule"]).returncode == 0
    found = home.json("status", waiting["run_id"])
    assert found["status"] == "completed"


def test_no_word_is_found_on_the_server(locked: Home) -> None:
    live(locked)
    report = (locked.folder / "mine" / "report.md").read_bytes()
    assert {"vexlotide", "pelwick"} <= find_planted(report, PLANTED)
    with locked.keeping_server(), locked.serving():
        assert everything(locked) == set()
    assert everything_at_rest(locked) == set()


def test_without_keys_the_same_words_are_found(home: Home) -> None:
    with home.serving():
        home.json("research", TOPIC, "--corpus", str(home.corpus))
        found = everything(home)
    assert {"vexlotide", "grimthorpe", "brackenfold"} <= found


def begun(home: Home) -> tuple[str, str]:
    """A run that waits for a person, and its question."""
    run_id = home.json("research", TOPIC, "--corpus", str(home.corpus), "--out", "mine")
    (question,) = home.json("inbox")
    return run_id["run_id"], question["arbitration"]


@pytest.fixture
def kept(home: Home) -> Iterator[None]:
    """The embedded server goes on from command to command."""
    with home.keeping_server():
        yield


RULING = ("both", "--because", "Pelwick epochs.", "--by", "Ottoline")


@pytest.mark.usefixtures("kept")
def test_who_lacks_a_key_is_told_which_and_does_the_run_no_harm(locked: Home) -> None:
    key = a_key().id
    run_id, question = begun(locked)
    without = locked.without("CAVEAT_ENCRYPTION_KEY_FILE")
    wrong = locked.without("CAVEAT_ENCRYPTION_KEY_FILE")
    wrong.environment["CAVEAT_ENCRYPTION_KEY"] = key_text(1)
    for home in (without, wrong):
        for command in (("up",), ("rule", question, *RULING)):
            refused = home.caveat(*command)
            assert (refused.returncode, refused.stdout) == (2, "")
            assert key in refused.stderr, command
            assert "CAVEAT_ENCRYPTION_KEY_FILE to that key" in refused.stderr
            assert key in refused.stderr.splitlines()[-1]
        (line,) = home.json("runs")
        assert (line["run_id"], line["topic"]) == (run_id, TOPIC)
        (waits,) = home.json("inbox")
        assert waits["topic"] == f"(encrypted with {key})"
    ruled = locked.caveat("rule", question, *RULING)
    assert ruled.returncode == 0, ruled.stderr
    assert "both hold" in ruled.stderr
    # Nothing is open any more, so that whoever lacks the key may do what needs none.
    with without.serving():
        refused = without.caveat("follow-up", run_id)
        assert refused.returncode == 2
        assert key in refused.stderr.splitlines()[-1]
        own = without.json("research", "What is Drowsnipe?", "--corpus", str(locked.corpus))
        assert own["status"] in {"completed", "provisional"}


@pytest.mark.usefixtures("kept")
def test_a_run_that_began_without_keys_is_finished_with_them(home: Home) -> None:
    run_id, question = begun(home)
    home.environment["CAVEAT_ENCRYPTION_KEY"] = key_text()
    ruled = home.caveat("rule", question, *RULING)
    assert ruled.returncode == 0, ruled.stderr
    assert "both hold" in ruled.stderr
    assert home.json("status", run_id)["status"] == "completed"
    (line,) = home.json("runs")
    assert line["topic"] == TOPIC
    assert not {"pelwick", "ottoline"} & everything_at_rest(home)


def everything_at_rest(home: Home) -> set[str]:
    raw = (home.folder / "state" / "server").glob("temporal.db*")
    return set[str]().union(*(find_planted(each.read_bytes(), PLANTED) for each in raw))

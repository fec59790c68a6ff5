"""The commands of the documentation, run as they stand there."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from caveat.workers.embedded import find_temporal_binary
from tests.fakes.commands import ran
from tests.fakes.free_ports import free_port
from tests.fakes.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "temporal-cli.md").read_text(encoding="utf-8")


def commands() -> list[list[str]]:
    """The block that says it is run by this file."""
    block = re.search(
        r"run by tests/clients/test_readme\.py.*?```console\n(.*?)```", PAGE, re.DOTALL
    )
    assert block is not None
    lines = block.group(1).splitlines()
    return [shlex.split(line.removeprefix("$ ")) for line in lines if line.startswith("$ ")]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The first command, `caveat up`, on ports and folders of its own; gives its address."""
    port = free_port()
    environment = {
        **os.environ,
        "CAVEAT_STATE_DIR": str(tmp_path / "state"),
        "CAVEAT_CACHE_DIR": str(tmp_path / "cache"),
        "CAVEAT_PORT": str(port),
    }
    command = commands()[0]
    assert command[:2] == ["caveat", "up"]
    caveat = str(Path(sys.executable).with_name("caveat"))
    process = subprocess.Popen(
        [caveat, *command[1:]], cwd=ROOT, env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        while "Serving" not in (line := process.stdout.readline()):
            assert line, "`caveat up` ended before it served"
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def wait_until_asked(address: str) -> None:
    """A person types slower than a run needs to find what it asks."""
    described = [str(find_temporal_binary()), "workflow", "describe", "--address", address]
    deadline = time.monotonic() + PATIENCE_S
    while ran(*described, "--workflow-id", "research-hubble/contradiction-1").returncode:
        assert time.monotonic() < deadline, "nobody was asked"


def test_a_run_needs_nothing_but_the_temporal_cli(served: str) -> None:
    said: dict[tuple[str, ...], str] = {}
    for program, *words in commands()[1:]:
        assert program == "temporal"
        if "update" in words:
            wait_until_asked(served)
        done = ran(find_temporal_binary(), *words, "--address", served, "--output", "json")
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        said[tuple(words[:2]) + ((words[-1],) if "query" in words else ())] = done.stdout

    assert json.loads(said["workflow", "start"])["workflowId"] == "research-hubble"
    report = json.loads(said["workflow", "result"])["result"]["report"]
    assert report["topic"] == "What is the value of the Hubble constant?"
    assert [each["ruling"] for each in report["contradictions"]] == ["both"]
    assert [each["signed"] for each in report["contradictions"]] == [False]
    assert len(report["claims"]) >= 10
    progress = json.loads(said["workflow", "query", "progress"])["queryResult"][0]
    assert progress["run_id"] == "research-hubble"
    (written,) = [
        Path(artifact["path"])
        for artifact in json.loads(said["workflow", "result"])["result"]["artifacts"]
        if artifact["format"] == "json"
    ]
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(written.read_text(encoding="utf-8")), schema)
    again = json.loads(said["workflow", "query", "report"])["queryResult"][0]
    assert again == report
    listed = json.loads(said["workflow", "list"])
    assert [run["execution"]["workflowId"] for run in listed] == ["research-hubble"]
    scheduled = [
        event["activityTaskScheduledEventAttributes"]["activityType"]["name"]
        for event in json.loads(said["workflow", "show"])["events"]
        if "activityTaskScheduledEventAttributes" in event
    ]
    assert {"take_stock", "plan", "search", "read_folder", "analyse"} <= set(scheduled)

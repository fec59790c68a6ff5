"""Keys are planted, failures provoked, and everything that Caveat leaves behind is searched."""

import base64
import dataclasses
import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.client import Client, WorkflowHandle
from temporalio.converter import ExternalStorage
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.claude.messages.capabilities import ANTHROPIC
from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.envelope import FailureType
from caveat.contracts.outcome import Outcome
from caveat.workers.data import BlobStorage, build_data_converter
from caveat.workers.models import note
from caveat.workers.settings import Settings
from tests.fakes.claude_house import wired
from tests.fakes.messages_api import Fails, Recorded, Scripted, Serves, StandIn, stand_in
from tests.fakes.planted import find_planted
from tests.fakes.runs import start_run
from tests.fakes.scholar import scholar
from tests.fakes.web import Web, status, the_web
from tests.fakes.worlds import page_text

OLD = "sk-ant-api03-PLANTED-old-8f3Kq0zLw7VbN2xTd5Rj"
NEW = "sk-ant-api03-PLANTED-new-Yc6Hs1mGe9UoPa4iXq7t"
STRAY = "sk-ant-api03-PLANTED-environment-Zk8Wv3BnJr5D"
NOTICES = "PLANTED-password-of-notices-Q2xv7Ld0Ks9"
SECRETS = (OLD, NEW, STRAY, NOTICES)
CANARY = "zanzibarite"
"""Stands in the topic, and so in all that is searched: a search that misses it finds nothing."""


REVOKED_AT = 9  # the call at which the old key is refused: an analysis, in the middle of the run


@dataclass
class Server:
    """A server that repeats the key in everything that goes wrong, as servers should not."""

    accepted: set[str]  # keys that it takes
    key_file: Path  # where the operator puts a new key as soon as the old one is refused
    refused: int = 0  # how often it refused a key
    seen: int = 0  # how often it was called

    def __call__(self, request: Recorded) -> Scripted:
        key = request.headers["authorization"].removeprefix("Bearer ")
        self.seen += 1
        if self.seen == REVOKED_AT:
            self.accepted.discard(OLD)
        if key not in self.accepted:
            self.refused += 1
            if self.accepted:
                self.key_file.write_text(NEW, encoding="utf-8")
            return Fails(401, "authentication_error", message=echo(key))
        return accidents(key).get(self.seen) or scholar(request)


def accidents(key: str) -> Mapping[int, Scripted]:
    """What goes wrong at which call: the plan at first, some analyses later."""
    shout = echo(key).encode()
    return {
        1: Fails(500, message=echo(key)),
        2: Serves(b"<html>%s</html>" % shout, "text/html"),
        4: Serves(b"event: message_start\ndata: {%s\n\n" % shout),
        5: Serves(json.dumps({"key": key}).encode(), "application/json"),
        6: Fails(400, "invalid_request_error", code=key, message=echo(key)),
    }


def echo(key: str) -> str:
    return f"What is {key}, or {base64.b64encode(f'Bearer {key}'.encode()).decode()}?"


def payloads(history: Any) -> Iterator[bytes]:
    """Every payload of a history, decoded."""
    match history:
        case {"data": str(data), "metadata": {**_rest}}:
            yield base64.b64decode(data)
        case dict():
            for value in history.values():
                yield from payloads(value)
        case list():
            for value in history:
                yield from payloads(value)


async def on_the_server(handle: WorkflowHandle[Any, Any]) -> dict[str, bytes]:
    """What Temporal knows of a run and shows in its Web UI."""
    history = (await handle.fetch_history()).to_json()
    metadata = await handle.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)
    progress = await handle.query("progress")
    described = (await handle.describe()).raw_description.SerializeToString()
    return {
        "history": history.encode(),
        "decoded history": b"\n".join(payloads(json.loads(history))),
        "metadata": metadata.SerializeToString(),
        "progress": json.dumps(progress, default=str).encode(),
        "description": described,
    }


def on_disk(folder: Path) -> dict[str, bytes]:
    """What stands in files, their names included, by what they are."""
    places: dict[str, bytes] = {}
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        first, second, *_ = (*file.relative_to(folder).parts, "")
        name = f"{first}/{second}" if first == "state" else first
        places[name] = places.get(name, b"") + file.name.encode() + file.read_bytes()
    return places


async def left_by(
    handle: WorkflowHandle[Any, Outcome], folder: Path, web: Web, **more: str
) -> dict[str, bytes]:
    return {
        **await on_the_server(handle),
        **on_disk(folder),
        **{name: said.encode() for name, said in more.items()},
        "notices": b"".join(request.body for request in web.seen),
    }


def _settings(folder: Path, key_file: Path, web: Web, api: StandIn) -> Settings:
    corpus = folder / "corpus"
    corpus.mkdir()
    for number in range(1, 6):
        text = f"# Page {number}\n\n{page_text(number)} It is about {CANARY}.\n"
        (corpus / f"page-{number}.md").write_text(text, encoding="utf-8")
    made = Settings(
        state_dir=folder / "state",
        config_dir=folder / "config",
        cache_dir=folder / "cache",
        corpus=(corpus,),
        notify=SecretStr(f"json://ada:{NOTICES}@127.0.0.1:{web.port}"),
        ANTHROPIC_API_KEY_FILE=key_file,
        ANTHROPIC_BASE_URL=api.url,
    )
    note(made, ANTHROPIC)
    return made


def _client(client: Client, settings: Settings) -> Client:
    """A client that keeps more than a kilobyte outside of the history, so that something is."""
    storage = ExternalStorage(
        drivers=[BlobStorage(FolderBlobs(settings.payloads_folder))], payload_size_threshold=1024
    )
    converter = dataclasses.replace(
        build_data_converter(FolderBlobs(settings.payloads_folder)), external_storage=storage
    )
    config = client.config()
    config["data_converter"] = converter
    return Client(**config)


@pytest.fixture
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the key is: not in the folder that is searched."""
    file = tmp_path_factory.mktemp("secrets") / "key"
    file.write_text(f"{OLD}\n", encoding="utf-8")
    return file


@pytest.fixture(autouse=True)
def _everything_is_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO, "temporalio")  # its debugging repeats the history
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("ANTHROPIC_API_KEY", STRAY)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", STRAY)


EVERYWHERE = {
    *("history", "decoded history", "metadata", "progress", "description", "logs", "end"),
    *("state/payloads", "state/reports", "state/snapshots", "notices"),
}
"""Places in which the run leaves something of its topic: a search that misses it there would miss
a secret too."""


async def test_no_secret_is_left_anywhere_and_a_new_key_is_taken(
    environment: WorkflowEnvironment,
    tmp_path: Path,
    task_queue: str,
    key_file: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    server = Server({OLD, NEW}, key_file)
    with the_web() as web:
        web.pages["127.0.0.1/*"] = status(204)
        async with stand_in(model=server, key="") as api:
            settings = _settings(tmp_path, key_file, web, api)
            client = _client(environment.client, settings)
            async with wired(client, settings, task_queue):
                handle = await start_run(
                    client,
                    task_queue,
                    topic=f"alpha and beta of {CANARY}",
                    formats=["md", "json"],
                    arbitration_timeout=2,
                )
                outcome = await handle.result()
                logs = caplog.text + str(capfd.readouterr())
                left = await left_by(handle, tmp_path, web, logs=logs, end=repr(outcome))
    assert {
        name: found for name, each in left.items() if (found := find_planted(each, SECRETS))
    } == {}
    assert {name for name, each in left.items() if find_planted(each, (CANARY,))} >= EVERYWHERE
    assert server.refused
    assert {failed.failure.failure_type for failed in outcome.report.failures} >= {
        FailureType.AUTH_ERROR,
        FailureType.PERMANENT,
    }
    assert all(section.claims for section in outcome.report.sections)

"""Whose word opens a folder, and how a worker on another machine comes by one of the page."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.buckets import open_bucket
from caveat.contracts.plan import Grant, ResearchRequest
from caveat.contracts.source import SourceRef
from caveat.contracts.tasks import FolderReadingTask, ReadingTask, StockTask
from caveat.failures import PortFailure
from caveat.workers.settings import Settings
from caveat.workers.signing import Signer, compute_mac, load_signer
from caveat.workers.task_folders import FolderGuard, fetch, share
from caveat.workers.wiring import wire_registry
from caveat.workers.worker import serve_runs
from caveat.workflows.research.workflow import Research
from tests.fakes.buckets import Bucket

RUN = "research-towers-1a2b3c"
OURS = Signer(b"k" * 32)
THEIRS = Signer(b"x" * 32)


def granted(by: Signer, run_id: str, *folders: str) -> Grant | None:
    return by.add_grant(run_id, ResearchRequest(topic="Towers?", corpus=folders)).grant


def asked_else(grant: Grant | None) -> Grant | None:
    return grant and grant.model_copy(update={"topic": "Where is the money?"})


def stock(grant: Grant | None, *folders: str) -> StockTask:
    return StockTask(task_id="t", description="d", corpus=folders, grant=grant)


@pytest.fixture
def secret(tmp_path: Path) -> str:
    folder = tmp_path / "secret"
    folder.mkdir()
    (folder / "tower.md").write_text(
        "# Tower\n\nThe tower of Example is 16.8 metres high, and it was built in 1902.\n",
        encoding="utf-8",
    )
    return str(folder)


@pytest.mark.parametrize(
    "run_id", [RUN, f"{RUN}-revision-1", f"{RUN}-revision-12", f"{RUN}-2026-11-22T19:44:02Z"]
)
def test_what_this_user_named_is_opened(secret: str, run_id: str) -> None:
    guard = FolderGuard(OURS)
    assert guard.find_refused_folder(stock(granted(OURS, RUN, secret), secret), run_id) is None


@pytest.mark.parametrize(
    "run_id", [*(None, "another", f"{RUN}x", f"{RUN}-revision-", f"{RUN}-1", f"{RUN}-2026-11-22")]
)
def test_a_grant_is_for_its_run_alone(secret: str, run_id: str | None) -> None:
    guard = FolderGuard(OURS)
    assert guard.find_refused_folder(stock(granted(OURS, RUN, secret), secret), run_id) == secret


def test_a_grant_of_another_key_or_for_other_folders_opens_nothing(secret: str) -> None:
    guard, ours = FolderGuard(OURS), granted(OURS, RUN, "/somewhere/else")
    assert ours is not None
    for grant in (
        None,
        granted(THEIRS, RUN, secret),
        ours,
        ours.model_copy(update={"folders": (secret,)}),
        asked_else(granted(OURS, RUN, secret)),
        granted(OURS, RUN, secret + "/sub"),
    ):
        assert guard.find_refused_folder(stock(grant, secret), RUN) == secret


def test_a_grant_from_before_topics_were_signed_opens_nothing_and_can_be_read(secret: str) -> None:
    """Late rulings and follow-ups read what their run was asked, and are granted folders anew."""
    old = {
        "run_id": RUN,
        "folders": [secret],
        "signature": compute_mac(OURS.key, "folders", RUN, secret),
    }
    asked = {"topic": "Towers?", "corpus": [secret], "grant": old}
    request = ResearchRequest.model_validate(asked)
    assert request.grant is not None
    assert FolderGuard(OURS).find_refused_folder(stock(request.grant, secret), RUN) == secret
    anew = OURS.add_grant(RUN, request).grant
    assert FolderGuard(OURS).find_refused_folder(stock(anew, secret), RUN) is None


def test_a_configured_folder_and_what_lies_in_it_is_open_to_all(secret: str) -> None:
    guard = FolderGuard(OURS, (Path(secret),))
    assert guard.find_refused_folder(stock(None, secret), RUN) is None
    assert guard.find_refused_folder(stock(None, secret + "/sub"), None) is None
    assert guard.find_refused_folder(stock(None, secret + "/.."), RUN) == secret + "/.."
    assert guard.find_refused_folder(stock(None, secret + "-too"), RUN) == secret + "-too"
    assert guard.find_refused_folder(stock(None), RUN) is None


def test_a_link_to_another_folder_is_not_that_folder(secret: str, tmp_path: Path) -> None:
    link = tmp_path / "open" / "link"
    link.parent.mkdir()
    link.symlink_to(secret)
    assert FolderGuard(OURS, (link.parent,)).find_refused_folder(
        stock(None, str(link)), RUN
    ) == str(link)


def test_a_source_in_a_folder_is_guarded_like_its_folder(secret: str) -> None:
    source = SourceRef(id="s", title="Tower", corpus=secret, path="tower.md")
    reading = ReadingTask(task_id="r", description="d", source=source)
    assert FolderGuard(OURS).find_refused_folder(reading, RUN) == secret
    several = FolderReadingTask(task_id="r", description="d", corpus=(), sources=(source,))
    assert FolderGuard(OURS).find_refused_folder(several, RUN) == secret
    named = reading.model_copy(update={"grant": granted(OURS, RUN, secret)})
    assert FolderGuard(OURS).find_refused_folder(named, RUN) is None


@pytest.fixture
async def served(
    environment: WorkflowEnvironment, task_queue: str, settings: Settings
) -> AsyncIterator[Settings]:
    async with serve_runs(environment.client, wire_registry(settings), queue=task_queue):
        yield settings


async def _started(client: Client, task_queue: str, request: Any, run_id: str) -> Any:
    handle = await client.start_workflow("Research", request, id=run_id, task_queue=task_queue)
    return await handle.result()


async def test_a_stranger_cannot_have_a_folder_read(
    environment: WorkflowEnvironment, task_queue: str, served: Settings, secret: str
) -> None:
    asked = {"topic": "How high is the tower?", "corpus": [secret]}
    with pytest.raises(WorkflowFailureError) as refused:
        await _started(environment.client, task_queue, asked, f"stranger-{task_queue}")
    assert isinstance(refused.value.cause, ApplicationError)
    assert "CAVEAT_CORPUS_ROOTS" in refused.value.cause.message
    assert not list(served.cache_dir.rglob("*.db"))


async def test_this_user_can(
    environment: WorkflowEnvironment, task_queue: str, served: Settings, secret: str
) -> None:
    run_id = f"ours-{task_queue}"
    asked = ResearchRequest(topic="How high is the tower?", corpus=(secret,))
    outcome = await environment.client.execute_workflow(
        Research.run, load_signer(served).add_grant(run_id, asked), id=run_id, task_queue=task_queue
    )
    assert "16.8 metres" in outcome.report.model_dump_json()


NAME = "0123456789abcdef"


@pytest.fixture
def dropped(tmp_path: Path, bucket: Bucket) -> Path:
    """The folder of documents that were shared, and are not on this machine any more."""
    folder = tmp_path / "uploads" / NAME
    folder.mkdir(parents=True)
    (folder / "Größe (2).md").write_text("Alpha is 3 units wide.", encoding="utf-8")
    (folder / "b.pdf").write_bytes(b"%PDF")
    share(folder, open_bucket(f"{bucket.url}/uploads"))
    shutil.rmtree(folder)
    return folder


def test_what_was_shared_is_fetched_once(dropped: Path, bucket: Bucket) -> None:
    kept = open_bucket(f"{bucket.url}/uploads")
    fetch(dropped, dropped.parent, kept)
    assert sorted(each.name for each in dropped.parent.rglob("*")) == [
        NAME, "Größe (2).md", "b.pdf",
    ]  # fmt: skip
    (dropped / "b.pdf").unlink()
    fetch(dropped, dropped.parent, kept)
    assert not (dropped / "b.pdf").exists()


@pytest.mark.parametrize("other", ["elsewhere/0123456789abcdef", "uploads/papers", "uploads/.."])
def test_nothing_else_is_made(dropped: Path, bucket: Bucket, other: str) -> None:
    fetch(dropped.parents[1] / other, dropped.parent, open_bucket(f"{bucket.url}/uploads"))
    assert list(dropped.parent.iterdir()) == []


def test_a_damaged_one_is_named(dropped: Path, bucket: Bucket) -> None:
    name = f"uploads/{NAME}/documents.zip"
    bucket.write(name, b"other")
    with pytest.raises(PortFailure, match="is damaged: drop the documents again"):
        fetch(dropped, dropped.parent, open_bucket(f"{bucket.url}/uploads"))
    assert not dropped.exists()

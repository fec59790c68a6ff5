"""Documents that were dropped onto a page are found by workers of other machines."""

import shutil
from pathlib import Path

import pytest

from caveat.adapters.buckets.blobs import opened
from caveat.failures import PortFailure
from caveat.workers.task_folders import fetch, share
from standins.buckets import Bucket

NAME = "0123456789abcdef"


@pytest.fixture
def dropped(tmp_path: Path, bucket: Bucket) -> Path:
    """The folder of documents that were shared, and are not on this machine any more."""
    folder = tmp_path / "uploads" / NAME
    folder.mkdir(parents=True)
    (folder / "Größe (2).md").write_text("Alpha is 3 units wide.", encoding="utf-8")
    (folder / "b.pdf").write_bytes(b"%PDF")
    share(folder, opened(f"{bucket.url}/uploads"))
    shutil.rmtree(folder)
    return folder


def test_what_was_shared_is_fetched_once(dropped: Path, bucket: Bucket) -> None:
    kept = opened(f"{bucket.url}/uploads")
    fetch(dropped, dropped.parent, kept)
    assert sorted(each.name for each in dropped.parent.rglob("*")) == [
        NAME, "Größe (2).md", "b.pdf",
    ]  # fmt: skip
    (dropped / "b.pdf").unlink()
    fetch(dropped, dropped.parent, kept)
    assert not (dropped / "b.pdf").exists()


@pytest.mark.parametrize("other", ["elsewhere/0123456789abcdef", "uploads/papers", "uploads/.."])
def test_nothing_else_is_made(dropped: Path, bucket: Bucket, other: str) -> None:
    fetch(dropped.parents[1] / other, dropped.parent, opened(f"{bucket.url}/uploads"))
    assert list(dropped.parent.iterdir()) == []


def test_what_nobody_shared_is_left_to_the_task(dropped: Path, bucket: Bucket) -> None:
    folder = dropped.with_name("f" * 16)
    fetch(folder, folder.parent, opened(f"{bucket.url}/uploads"))
    assert not folder.exists()


def test_a_damaged_one_is_named(dropped: Path, bucket: Bucket) -> None:
    name = f"uploads/{NAME}/documents.zip"
    bucket.write(name, b"other", **{"x-amz-meta-sha256": "0" * 64})
    with pytest.raises(PortFailure, match="is not what was put there"):
        fetch(dropped, dropped.parent, opened(f"{bucket.url}/uploads"))
    assert not dropped.exists()

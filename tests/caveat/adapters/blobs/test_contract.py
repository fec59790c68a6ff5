"""What every adapter of the port `Blobs` does: the folder, and a bucket over real HTTP."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from caveat.adapters.buckets import open_bucket
from caveat.adapters.files.blobs import FolderBlobs
from caveat.ports import Blobs
from tests.fakes.buckets import Bucket

NAME = "ab/abcdef.json"


class World:
    """A place for blobs, and the hands of somebody who gets at it past Caveat."""

    def __init__(self, blobs: Blobs, write: Callable[[str, bytes], None]) -> None:
        self.blobs = blobs
        self.write = write


def _folder(request: pytest.FixtureRequest) -> World:
    folder: Path = request.getfixturevalue("tmp_path") / "kept"

    def write(name: str, content: bytes) -> None:
        (folder / name).write_bytes(content)

    return World(FolderBlobs(folder), write)


def _bucket(request: pytest.FixtureRequest) -> World:
    bucket: Bucket = request.getfixturevalue("bucket")
    return World(open_bucket(bucket.url), bucket.write)


@pytest.fixture(
    params=[_folder, pytest.param(_bucket, marks=pytest.mark.xdist_group("buckets"))],
    ids=["folder", "bucket"],
)
def world(request: pytest.FixtureRequest) -> World:
    made: World = request.param(request)
    return made


@pytest.fixture
def blobs(world: World) -> Blobs:
    return world.blobs


def sound(found: bytes) -> bool:
    return found.startswith(b"sound")


@pytest.mark.parametrize("content", [b"", b"\0\xff", b"x" * 3_000_000])
def test_what_is_put_comes_back(blobs: Blobs, content: bytes) -> None:
    blobs.put(NAME, b"before")
    blobs.put(NAME, content)
    assert blobs.get(NAME) == content


def test_what_is_not_there_is_none(blobs: Blobs) -> None:
    blobs.put("ab/other", b"x")
    assert [blobs.get(name) for name in (NAME, "cd/x", "ab/other2")] == [None] * 3


def test_of_several_that_create_one_wins(blobs: Blobs) -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda each: blobs.create(NAME, each), map(_bytes, range(8))))
    assert sum(made) == 1
    assert blobs.get(NAME) == _bytes(made.index(True))
    assert blobs.create(NAME, b"later") is False


def _bytes(number: int) -> bytes:
    return f"writer {number}".encode()


def test_what_is_kept_again_stays_while_it_is_sound(world: World) -> None:
    world.blobs.keep(NAME, b"sound, first", sound)
    world.blobs.keep(NAME, b"sound, second", sound)
    assert world.blobs.get(NAME) == b"sound, first"
    world.write(NAME, b"damaged")
    world.blobs.keep(NAME, b"sound, second", sound)
    assert world.blobs.get(NAME) == b"sound, second"


def test_changes_at_once_are_all_made(blobs: Blobs) -> None:
    def add(number: int) -> None:
        blobs.change(NAME, lambda found: json.dumps([*json.loads(found or b"[]"), number]).encode())

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add, range(12)))
    assert sorted(json.loads(blobs.get(NAME) or b"")) == list(range(12))


def test_what_is_removed_is_gone(blobs: Blobs) -> None:
    blobs.put(NAME, b"x")
    blobs.remove(NAME)
    blobs.remove(NAME)
    blobs.remove("never/there")
    assert not list(blobs.list_all())


def test_names_lie_in_folders(blobs: Blobs) -> None:
    assert blobs.list_names() == ()
    for name in ("b/two", "b/one", "a/b/c", "plain"):
        blobs.put(name, b"x")
    assert blobs.list_names() == ("a/", "b/", "plain")
    assert blobs.list_names("b/") == ("one", "two")
    assert blobs.list_names("a/") == ("b/",)
    assert blobs.list_names("c/") == ()


def test_everything_is_listed_with_size_and_time(blobs: Blobs) -> None:
    assert list(blobs.list_all()) == []
    began = time.time()
    for name in ("plain", "a/b/c", "b/one"):
        blobs.put(name, name.encode())
    found = {each.name: each for each in blobs.list_all()}
    assert {name: each.bytes for name, each in found.items()} == {
        "plain": 5,
        "a/b/c": 5,
        "b/one": 5,
    }
    # A server rounds its seconds as it likes.
    assert all(began - 2 < each.written < time.time() + 2 for each in found.values())


def test_what_was_written_since_is_not_removed_as_old(blobs: Blobs) -> None:
    blobs.put(NAME, b"x")
    (written,) = (each.written for each in blobs.list_all())
    assert not blobs.remove_old(NAME, written)
    assert blobs.get(NAME) == b"x"
    assert blobs.remove_old(NAME, written + 1)
    assert not blobs.remove_old(NAME, written + 1)
    assert not list(blobs.list_all())


def test_renewing_harms_nothing(blobs: Blobs) -> None:
    blobs.renew(NAME)
    blobs.put(NAME, b"x")
    blobs.renew(NAME)
    assert blobs.get(NAME) == b"x"


def test_where_names_the_place(blobs: Blobs) -> None:
    assert blobs.locate(NAME) == f"{blobs.locate()}/{NAME}"

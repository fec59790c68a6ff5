import asyncio
import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.snapshots import KeptSnapshots
from caveat.contracts.failure import FailureType
from caveat.contracts.source import Landmark, Snapshot
from caveat.failures import PortFailure
from tests.fakes.failures import failure_of

SNAPSHOT = Snapshot(text="Größe zählt.", landmarks=(Landmark(offset=0, label="p. 1"),))
ADDRESS = hashlib.sha256(f"{SNAPSHOT.text}\n0\tp. 1\t0".encode()).hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> KeptSnapshots:
    return KeptSnapshots(FolderBlobs(tmp_path / "snapshots"))


def folder_of(store: KeptSnapshots) -> Path:
    return Path(store.blobs.locate())


def files(store: KeptSnapshots) -> list[Path]:
    return [path for path in folder_of(store).rglob("*") if path.is_file()]


async def test_kept_and_opened(store: KeptSnapshots) -> None:
    assert await store.keep(SNAPSHOT) == ADDRESS
    assert await store.keep(SNAPSHOT) == ADDRESS
    assert await store.open(ADDRESS) == SNAPSHOT
    assert files(store) == [folder_of(store) / ADDRESS[:2] / f"{ADDRESS}.json"]


async def test_the_same_text_on_another_page_is_another_snapshot(store: KeptSnapshots) -> None:
    other = SNAPSHOT.model_copy(update={"landmarks": (Landmark(offset=0, label="p. 7"),)})
    addresses = [await store.keep(each) for each in (SNAPSHOT, other)]
    pages = [(await store.open(address)).find_location(0) for address in addresses]
    assert pages == ["p. 1", "p. 7"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back(store: KeptSnapshots, text: str) -> None:
    address = asyncio.run(store.keep(Snapshot(text=text)))
    assert asyncio.run(store.open(address)).text == text


@pytest.mark.parametrize("damage", [b"", b"{", b'{"text": "Other words.", "landmarks": []}'])
async def test_damage_is_noticed_and_mended(store: KeptSnapshots, damage: bytes) -> None:
    await store.keep(SNAPSHOT)
    files(store)[0].write_bytes(damage)
    with pytest.raises(PortFailure, match="changed") as caught:
        await store.open(ADDRESS)
    assert caught.value.failure.failure_type is FailureType.PERMANENT
    await store.keep(SNAPSHOT)
    assert await store.open(ADDRESS) == SNAPSHOT


async def test_lone_surrogates_are_refused(store: KeptSnapshots) -> None:
    with pytest.raises(PortFailure, match="Unicode"):
        await store.keep(Snapshot.model_construct(text="\ud800", landmarks=()))


async def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    caught = await failure_of(KeptSnapshots(FolderBlobs(tmp_path / "file")).keep(SNAPSHOT))
    assert caught.failure_type is FailureType.PERMANENT

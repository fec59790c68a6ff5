"""What is removed from a bucket, and what must never be: moto's server, and real requests."""

import datetime as dt
import math
import time
from pathlib import Path

import pytest

from caveat.adapters import buckets
from caveat.adapters.buckets import BucketBlobs
from caveat.adapters.files.snapshots import KeptSnapshots
from caveat.clients.pruning import Needs, Pruned, prune
from caveat.contracts.source import Snapshot
from caveat.failures import unavailable
from caveat.problem import NoResult
from caveat.workers.blobs import open_blobs
from caveat.workers.settings import Settings
from tests.fakes.buckets import Bucket

OLD, YOUNG, OPEN = "research-old-3fa9c1", "research-young-3fa9c1", "research-open-3fa9c1"
UPLOADS = ("0" * 16, "1" * 16, "2" * 16)


@pytest.fixture
def settings(tmp_path: Path, bucket: Bucket) -> Settings:
    return Settings(state_dir=tmp_path / "state", blobs=bucket.url)


@pytest.fixture
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "RENEWED", dt.timedelta(0))


def moment() -> dt.datetime:
    """A moment after what was written before, and before what is next: buckets round to seconds."""
    at = math.ceil(time.time() + 0.01)
    time.sleep(at + 0.05 - time.time())
    return dt.datetime.fromtimestamp(at, dt.UTC)


def put(settings: Settings, kind: str, name: str, content: str = "{}") -> None:
    open_blobs(settings, getattr(settings, f"{kind}_folder")).put(name, content.encode())


async def snapshot(settings: Settings, text: str) -> str:
    kept = KeptSnapshots(open_blobs(settings, settings.snapshots_folder))
    return await kept.keep(Snapshot(text=text))


def pruned(
    settings: Settings,
    before: dt.datetime,
    *,
    names: frozenset[str] = frozenset(),
    dry: bool = False,
) -> Pruned:
    return prune(settings, before, Needs(names, before.timestamp()), dry=dry)


@pytest.mark.usefixtures("no_grace")
async def test_old_goes_and_what_is_needed_stays(settings: Settings, bucket: Bucket) -> None:
    orphan, cited = await snapshot(settings, "orphan"), await snapshot(settings, "cited")
    for run_id in (OLD, OPEN, YOUNG):
        put(settings, "reports", f"{run_id}/report.json", f'{{"of": "{run_id}"}}')
    put(settings, "reports", f"{OLD}/seal.json")
    for kind in ("payloads", "answers"):
        put(settings, kind, "ab/ab1")
    for each in UPLOADS:
        put(settings, "uploads", f"{each}/documents.zip")
    before = moment()
    evidence = f'{{"snapshot": "{cited}", "corpus": ["/x/uploads/{UPLOADS[0]}"]}}'
    put(settings, "reports", f"{YOUNG}/evidence.json", evidence)
    fresh = await snapshot(settings, "fresh")
    put(settings, "payloads", "ab/ab2")
    there = bucket.names()

    needed = frozenset({OPEN, UPLOADS[1]})
    would = pruned(settings, before, names=needed, dry=True)
    assert bucket.names() == there
    done = pruned(settings, before, names=needed)
    assert done == would
    assert done.runs == (OLD,)
    gone = {
        *(f"reports/{OLD}/{name}" for name in ("report.json", "seal.json")),
        f"snapshots/{orphan[:2]}/{orphan}.json",
        *("payloads/ab/ab1", "answers/ab/ab1"),
        f"uploads/{UPLOADS[2]}/documents.zip",
    }
    assert set(there) - set(bucket.names()) == gone
    assert f"snapshots/{fresh[:2]}/{fresh}.json" in bucket.names()
    assert pruned(settings, before, names=needed) == Pruned()


async def test_what_a_run_may_count_on_stays(settings: Settings, bucket: Bucket) -> None:
    """What is kept again within a day is not written again, and no time shows it."""
    address = await snapshot(settings, "kept by a run an hour ago, and again by one that is open")
    put(settings, "payloads", "ab/ab1")
    put(settings, "reports", f"{OLD}/report.json")
    done = pruned(settings, moment())
    assert done.files == 1
    assert set(bucket.names()) == {f"snapshots/{address[:2]}/{address}.json", "payloads/ab/ab1"}


@pytest.mark.usefixtures("no_grace")
async def test_where_a_report_cannot_be_read_no_text_goes(
    settings: Settings, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = await snapshot(settings, "cited by what cannot be read now")
    before = moment()
    put(settings, "reports", f"{YOUNG}/report.json", f'"{address}"')
    monkeypatch.setattr(BucketBlobs, "get", _refused)
    with pytest.raises(NoResult, match="type it again once that is mended"):
        pruned(settings, before)
    assert f"snapshots/{address[:2]}/{address}.json" in bucket.names()


def _refused(kept: BucketBlobs, name: str) -> bytes:
    raise unavailable("The bucket has too much to do.", resource=kept.locate(name))

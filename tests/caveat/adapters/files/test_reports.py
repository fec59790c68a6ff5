"""Files appear whole, inside their folder, or not at all."""

import asyncio
import errno
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caveat.adapters.files.artifacts import build_folder_name, write_artifact
from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.reports import KeptReports, encode_report
from caveat.adapters.files.snapshots import KeptSnapshots
from caveat.contracts.envelope import FailureType
from caveat.contracts.outcome import Artifact, Ending, Evidence
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.contracts.source import Landmark, Snapshot
from caveat.failures import PortFailure
from caveat.rules.audit.seal import hash_report
from tests.fakes.failures import failure_of
from tests.fakes.kept import an_evidence
from tests.fakes.reports import a_report, written


def _evidence(run_id: str) -> Evidence:
    ended = {"ending": Ending.INSUFFICIENT_EVIDENCE, "reason": "Nothing was found."}
    return an_evidence(run_id, "t", **ended)


def _read(artifact: Artifact) -> bytes:
    return Path(artifact.path).read_bytes()


def _written(report: Report, folder: Path) -> Artifact:
    return write_artifact(folder / "report.json", Format.JSON, encode_report(report, Format.JSON))


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _depth(artifact: Artifact, folder: Path) -> int:
    return len(Path(artifact.path).resolve().relative_to(folder.resolve()).parts)


async def test_a_report_is_written_in_each_of_its_formats(tmp_path: Path) -> None:
    report = a_report()
    store = KeptReports(FolderBlobs(tmp_path))
    artifacts = [await store.publish(report, each) for each in report.formats]
    assert [artifact.format for artifact in artifacts] == list(report.formats)
    folder = tmp_path / report.run_id
    assert _names(folder) == ["report.json", "report.md", "report.pdf", "seal.json"]
    for artifact in artifacts:
        content = _read(artifact)
        assert Path(artifact.path).parent == folder
        assert artifact.size == len(content)
        assert artifact.sha256 == hashlib.sha256(content).hexdigest()
    assert Report.model_validate_json((folder / "report.json").read_bytes()) == report


async def test_a_workflow_id_that_is_used_again_overwrites_no_file(tmp_path: Path) -> None:
    store = KeptReports(FolderBlobs(tmp_path))
    first = a_report(formats=(Format.MARKDOWN, Format.JSON))
    for each in first.formats:
        await store.publish(first, each, "first-execution")
    await store.keep(_evidence(first.run_id), "first-execution")
    second = a_report(formats=(Format.MARKDOWN,), topic="Another?")
    file = await store.publish(second, Format.MARKDOWN, "second-execution")
    folder = tmp_path / first.run_id
    aside = folder / "first-execution"
    assert "Another?" in Path(file.path).read_text()
    assert Report.model_validate_json((aside / "report.json").read_bytes()) == first
    assert (aside / "evidence.json").exists()
    assert not (folder / "report.json").exists(), "it is no file of the second"
    assert not (folder / "evidence.json").exists()
    seal = await store.seal(first.run_id)
    assert seal is not None
    assert seal.reports == (hash_report(written(first)), hash_report(written(second)))
    again = await store.publish(second, Format.MARKDOWN, "second-execution")
    assert again == file
    assert sorted(each.name for each in folder.iterdir()) == [
        "first-execution", "report.md", "seal.json",
    ]  # fmt: skip


async def test_every_report_of_a_run_and_its_evidence_are_sealed(tmp_path: Path) -> None:
    store = KeptReports(FolderBlobs(tmp_path))
    provisional, final = a_report(), a_report(topic="Another?")
    assert await store.seal(final.run_id) is None
    for report in (provisional, final, final):
        await store.publish(report, Format.JSON)
    kept = await store.keep(_evidence(final.run_id))
    seal = await store.seal(final.run_id)
    assert seal is not None
    assert seal.reports == (hash_report(written(provisional)), hash_report(written(final)))
    assert seal.evidence == await store.hash_evidence(final.run_id)
    Path(kept.path).write_bytes(_read(kept).replace(b"Nothing", b"Nobody"))
    assert seal.evidence != await store.hash_evidence(final.run_id)


async def test_what_is_sealed_at_once_is_all_sealed(tmp_path: Path) -> None:
    store = KeptReports(FolderBlobs(tmp_path))
    reports = [a_report(topic=f"{number}?", formats=(Format.JSON,)) for number in range(20)]
    run_id = reports[0].run_id
    publishing = [store.publish(each, Format.JSON) for each in reports]
    await asyncio.gather(*publishing, store.keep(_evidence(run_id)))
    seal = await store.seal(run_id)
    assert seal is not None
    assert set(seal.reports) == set(map(hash_report, map(written, reports)))
    assert seal.evidence == await store.hash_evidence(run_id)


async def test_a_damaged_seal_is_named_and_sealing_goes_on(tmp_path: Path) -> None:
    store, report = KeptReports(FolderBlobs(tmp_path)), a_report()
    await store.publish(report, Format.JSON)
    path = tmp_path / report.run_id / "seal.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(PortFailure, match="is damaged"):
        await store.seal(report.run_id)
    await store.publish(report, Format.JSON)
    assert (await store.seal(report.run_id)) is not None


async def test_kept_evidence_is_read_back(tmp_path: Path) -> None:
    store = KeptReports(FolderBlobs(tmp_path))
    await store.keep(_evidence("research-other-000000"))
    artifact = await store.keep(_evidence("research-x-000000"))
    assert artifact.path == str(tmp_path / "research-x-000000" / "evidence.json")
    assert await store.read_evidence("research-x-000000") == _evidence("research-x-000000")


@pytest.mark.parametrize("run_id", ["research-y-000000", "../research-x-000000", ""])
async def test_evidence_that_nobody_kept_is_not_found(tmp_path: Path, run_id: str) -> None:
    store = KeptReports(FolderBlobs(tmp_path))
    await store.keep(_evidence("research-x-000000"))
    with pytest.raises(PortFailure, match="No evidence of the run") as raised:
        await store.read_evidence(run_id)
    assert raised.value.failure.failure_type is FailureType.NOT_FOUND
    assert raised.value.failure.resource == run_id
    assert _names(tmp_path) == ["research-x-000000"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-5],
        lambda content: b"\xff" + content,
        lambda content: content.replace(b"insufficient_evidence", b"whim"),
        lambda content: content.replace(b"research-x-000000", b"research-y-000000"),
    ],
)
async def test_damaged_evidence_is_named(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    store = KeptReports(FolderBlobs(tmp_path))
    artifact = await store.keep(_evidence("research-x-000000"))
    Path(artifact.path).write_bytes(damage(_read(artifact)))
    with pytest.raises(PortFailure, match="is damaged") as raised:
        await store.read_evidence("research-x-000000")
    assert raised.value.failure.failure_type is FailureType.PERMANENT
    assert raised.value.failure.resource == artifact.path


async def test_a_run_id_cannot_leave_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    for run_id in ("../../etc", "/etc/passwd", "..", "a/b", "", "\0", "x" * 5000):
        artifact = await KeptReports(FolderBlobs(folder)).keep(_evidence(run_id))
        assert _depth(artifact, folder) == 2


@given(st.text(max_size=300), st.text(max_size=300))
def test_two_runs_never_share_a_folder(one: str, other: str) -> None:
    names = {build_folder_name(one), build_folder_name(other)}
    assert len(names) == len({one, other})
    assert all(name and not name.startswith(".") and "/" not in name for name in names)


@pytest.mark.parametrize(
    ("number", "expected", "words"),
    [
        (errno.EACCES, FailureType.AUTH_ERROR, "may not be written"),
        (errno.EROFS, FailureType.UNAVAILABLE, "Read-only file system"),
        (errno.ENOSPC, FailureType.UNAVAILABLE, "No space left on device"),
    ],
)
def test_what_the_system_refuses_is_said_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, expected: FailureType, words: str
) -> None:
    def refused(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    _written(a_report(formats=(Format.JSON,)), tmp_path)
    before = (tmp_path / "report.json").read_bytes()
    monkeypatch.setattr(os, "fsync", refused)
    with pytest.raises(PortFailure) as raised:
        _written(a_report(formats=(Format.JSON,), topic="Another?"), tmp_path)
    assert raised.value.failure.failure_type is expected
    assert words in raised.value.failure.message
    assert (tmp_path / "report.json").read_bytes() == before
    assert _names(tmp_path) == ["report.json"]


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

"""What is removed, and what must never be."""

import datetime as dt
import os
from pathlib import Path

import pytest

from caveat.adapters.claude.messages.dialogue import KeptAnswers
from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.snapshots import KeptSnapshots
from caveat.clients.pruning import Needs, Pruned, prune
from caveat.contracts.source import Snapshot
from caveat.problem import BadInput
from caveat.workers.settings import Settings
from tests.fakes.kept import keep
from tests.fakes.reports import a_report

NOW = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
BEFORE = NOW - dt.timedelta(days=30)
OLD = (NOW - dt.timedelta(days=40)).timestamp()
YOUNG = (NOW - dt.timedelta(days=5)).timestamp()
NOBODY = Needs(frozenset(), BEFORE.timestamp())


def aged(path: Path, when: float = OLD) -> Path:
    """Make a file, or a folder with everything in it, as old as that."""
    for each in (*path.rglob("*"), path):
        os.utime(each, (when, when))
    return path


async def snapshot(settings: Settings, text: str, when: float = OLD) -> str:
    kept = Snapshot(text=text)
    address = await KeptSnapshots(FolderBlobs(settings.snapshots_folder)).keep(kept)
    aged(settings.snapshots_folder / address[:2] / f"{address}.json", when)
    return address


def a_run(settings: Settings, name: str, cites: str = "", when: float = OLD) -> str:
    run_id = keep(settings, a_report().model_copy(update={"run_id": f"research-{name}-3fa9c1"}))
    folder = settings.reports_folder / run_id
    (folder / "more.json").write_text(f'{{"snapshot_sha256": "{cites}"}}')
    aged(folder, when)
    return run_id


def pruned(settings: Settings, needed: Needs = NOBODY, *, dry: bool = False) -> Pruned:
    return prune(settings, BEFORE, needed, dry=dry)


def addresses(folder: Path) -> set[str]:
    return {each.stem for each in folder.rglob("*") if each.is_file()}


async def test_what_is_old_goes_and_what_a_younger_run_cites_stays(settings: Settings) -> None:
    orphan, shared = await snapshot(settings, "orphan"), await snapshot(settings, "shared")
    fresh = await snapshot(settings, "fresh", YOUNG)
    old = a_run(settings, "old", cites=shared)
    young = a_run(settings, "young", cites=shared, when=YOUNG)
    would = pruned(settings, dry=True)
    assert addresses(settings.snapshots_folder) == {orphan, shared, fresh}
    assert (settings.reports_folder / old).is_dir()
    done = pruned(settings)
    assert done == would
    assert done.runs == (old,)
    assert addresses(settings.snapshots_folder) == {shared, fresh}
    assert [each.name for each in settings.reports_folder.iterdir()] == [young]
    assert pruned(settings) == Pruned()


async def test_one_run_goes_however_young_with_what_no_other_cites(settings: Settings) -> None:
    own, shared = await snapshot(settings, "own", YOUNG), await snapshot(settings, "shared", YOUNG)
    orphan = await snapshot(settings, "of nobody")
    going = a_run(settings, "going", cites=own, when=YOUNG)
    extra = settings.reports_folder / going / "evidence.json"
    extra.write_text(f'{{"shelf": ["{shared}"]}}')
    aged(extra.parent, YOUNG)
    old = a_run(settings, "old", cites=shared)
    settings.payloads_folder.mkdir(parents=True)
    (settings.payloads_folder / "of a history.bin").write_bytes(b"x")
    aged(settings.payloads_folder)
    with pytest.raises(BadInput, match="still needs this run"):
        prune(settings, NOW, Needs(frozenset({going}), NOW.timestamp()), dry=False, only=going)
    done = prune(settings, NOW, Needs(frozenset(), NOW.timestamp()), dry=False, only=going)
    assert done.runs == (going,)
    assert addresses(settings.snapshots_folder) == {shared, orphan}
    assert addresses(settings.payloads_folder) == {"of a history"}
    assert [each.name for each in settings.reports_folder.iterdir()] == [old]


async def test_a_named_run_goes_whatever_the_clock_says_and_what_may_be_cited_is_counted(
    settings: Settings,
) -> None:
    own = await snapshot(settings, "own", YOUNG)
    ahead = (NOW + dt.timedelta(minutes=2)).timestamp()
    run_id = a_run(settings, "ahead", cites=own, when=ahead)
    since_then = Needs(frozenset(), OLD)  # another run is under way and may cite its text
    done = prune(settings, NOW, since_then, dry=False, only=run_id)
    assert (done.runs, done.held) == ((run_id,), 1)
    assert not (settings.reports_folder / run_id).exists()
    assert addresses(settings.snapshots_folder) == {own}


async def test_what_runs_need_that_go_on_stays(settings: Settings) -> None:
    cited = await snapshot(settings, "cited by what is followed up")
    used = await snapshot(settings, "kept again since it began", OLD + 60)
    unused = await snapshot(settings, "kept before it began", OLD - 60)
    followed, other = a_run(settings, "followed", cites=cited), a_run(settings, "other")
    needed = Needs(frozenset({"research-open-3fa9c1", followed}), since=OLD + 30)
    for address in (cited, used):  # whose files are those of the open run's time
        aged(settings.snapshots_folder / address[:2] / f"{address}.json", OLD + 60)
    assert pruned(settings, needed).runs == (other,)
    assert addresses(settings.snapshots_folder) == {cited, used}
    assert unused not in addresses(settings.snapshots_folder)


async def test_answers_and_payloads_go_by_their_age(settings: Settings) -> None:
    for folder in (settings.answers_folder, settings.payloads_folder):
        (folder / "ab").mkdir(parents=True)
        for name, when in (("ab1", OLD), ("ab2", YOUNG), (".x.new", OLD)):
            (folder / "ab" / name).write_bytes(b"x")
            aged(folder / "ab" / name, when)
    done = pruned(settings)
    assert done.files == 4
    assert addresses(settings.payloads_folder) == {"ab2"}
    assert (
        await KeptAnswers(FolderBlobs(settings.answers_folder)).recall("ab2") is None
    )  # it is none, and stays


def upload(settings: Settings, name: str, when: float = OLD) -> str:
    folder = settings.uploads_folder / name
    folder.mkdir(parents=True)
    (folder / "note.txt").write_text("Io is a moon.")
    return str(aged(folder, when))


async def test_dropped_documents_stay_while_a_run_can_search_them(settings: Settings) -> None:
    orphan, open_runs = upload(settings, "0" * 16), upload(settings, "1" * 16)
    young, fresh = upload(settings, "2" * 16), upload(settings, "3" * 16, YOUNG)
    folder = settings.reports_folder / a_run(settings, "young", when=YOUNG)
    (folder / "evidence.json").write_text(f'{{"request": {{"corpus": ["{young}"]}}}}')
    needed = Needs(frozenset({Path(open_runs).name}), BEFORE.timestamp())
    assert pruned(settings, needed, dry=True).files == 1
    assert Path(orphan).is_dir()
    assert pruned(settings, needed).files == 1
    assert {str(each) for each in settings.uploads_folder.iterdir()} == {open_runs, young, fresh}

"""What a machine can withhold for a while, so that a worker stands still at a step of a run."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.files.artifacts import folder_name
from caveat.workers.settings import Settings


@contextmanager
def the_index(settings: Settings, corpus: Path) -> Iterator[None]:
    """Keep others from making the index of a folder, as another worker does that is at it."""
    place = CorpusIndex(settings.index_folder, None)._file(corpus).with_suffix(".lock")
    place.parent.mkdir(parents=True, exist_ok=True)
    with _locked(place, os.O_CREAT):
        yield


@contextmanager
def the_reports(settings: Settings, run_id: str) -> Iterator[None]:
    """Keep others from writing the report of a run, as another worker does that writes it."""
    place = settings.reports_folder / folder_name(run_id)
    place.mkdir(parents=True, exist_ok=True)
    with _locked(place):
        yield


@contextmanager
def the_snapshots(settings: Settings, word: str) -> Iterator[None]:
    """Let whoever reads a snapshot with a word in it wait, as a folder of a network can."""
    kept = [each for each in settings.snapshots_folder.rglob("*") if each.is_file()]
    held = [each for each in kept if word.encode() in each.read_bytes()]
    assert held
    for each in held:
        each.rename(each.with_suffix(".withheld"))
        os.mkfifo(each)
    try:
        yield
    finally:
        for each in held:
            each.with_suffix(".withheld").replace(each)


@contextmanager
def the_memory(settings: Settings) -> Iterator[None]:
    """Lock the database that runs are remembered in, as a copy of it does that is being made."""
    with closing(sqlite3.connect(settings.memory_database, isolation_level=None)) as database:
        database.execute("PRAGMA locking_mode = exclusive")
        database.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def _locked(place: Path, how: int = 0) -> Iterator[None]:
    descriptor = os.open(place, os.O_RDONLY | how, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)

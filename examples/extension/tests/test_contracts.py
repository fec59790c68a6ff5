"""What Caveat asks of each, by its own functions."""

import asyncio
import datetime as dt
from pathlib import Path

from caveat_harbour.engine import Logbook
from caveat_harbour.loader import load
from caveat_harbour.notifier import Signal
from caveat_harbour.reasoner import Harbour

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.contracts.notice import Notice, NoticeKind
from caveat.contracts.tasks import SearchTask
from caveat.testing import (
    check_fails_by_name,
    check_loader,
    check_notifier,
    check_reasoner,
    check_search_engine,
)

ORG = b"#+title: The pier\n* Length\nThe pier of Ostend is 1,240 metres long.\n"


def test_the_reasoner(tmp_path: Path) -> None:
    by_rules = ExtractiveReasoner(vocabulary=CorpusIndex(tmp_path, None))
    asyncio.run(check_reasoner(Harbour(by_rules, ""), "harbour"))


def test_the_engine(tmp_path: Path) -> None:
    (tmp_path / "pier.logbook").write_bytes(ORG)
    asyncio.run(check_search_engine(Logbook(tmp_path), "the pier of Ostend"))
    task = SearchTask(task_id="s", description="Search", query="pier", corpus=(), limit=1)
    asyncio.run(check_fails_by_name(Logbook(tmp_path / "gone").search(task)))


def test_the_notifier(tmp_path: Path) -> None:
    notice = Notice(
        id="research-pier-3fa9c1/1",
        kind=NoticeKind.DONE,
        run_id="research-pier-3fa9c1",
        topic="The pier",
        message="The report is there.",
        created=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    )
    asyncio.run(check_notifier(Signal(tmp_path), notice))
    assert len(list(tmp_path.iterdir())) == 1
    asyncio.run(check_fails_by_name(Signal(tmp_path / "gone").notify(notice)))


def test_the_loader() -> None:
    found = check_loader(load, ORG, "1,240 metres")
    assert found.metadata.title == "The pier"

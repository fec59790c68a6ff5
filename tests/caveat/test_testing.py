"""The contract for what packages offer: Caveat keeps it, and what breaks it is seen."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.library import CorpusSearch
from caveat.adapters.documents.formats import DocumentFormat, read
from caveat.adapters.documents.loaded import Loaded, Metadata
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.adapters.notify.several import LogNotifier
from caveat.contracts.claim import Analysis
from caveat.contracts.notice import Notice, NoticeKind
from caveat.contracts.source import Hit, SearchResults, Snapshot
from caveat.contracts.synthesis import Synthesis
from caveat.contracts.tasks import AnalysisTask, SearchTask, SynthesisTask
from caveat.failures import unavailable
from caveat.ports import Answer
from caveat.roles.analyst import ANALYSE
from caveat.roles.role import Reasoner, Role
from caveat.roles.synthesiser import SYNTHESISE
from caveat.testing import (
    check_fails_by_name,
    check_loader,
    check_notifier,
    check_reasoner,
    check_search_engine,
)

NOTE = b"# The pier\n\nThe pier of Ostend is 1,240 metres long.\n"


@pytest.fixture
def own(tmp_path: Path) -> ExtractiveReasoner:
    return ExtractiveReasoner(vocabulary=CorpusIndex(tmp_path / "index"))


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "pier.md").write_bytes(NOTE)
    (folder / "ferry.md").write_text("# Ferry\n\nThe ferry leaves the pier of Ostend at noon.\n")
    return str(folder)


async def test_own_adapters_keep_the_contract(
    own: ExtractiveReasoner, tmp_path: Path, corpus: str
) -> None:
    await check_reasoner(own, "extractive")
    await check_search_engine(CorpusSearch(CorpusIndex(tmp_path / "i")), "pier Ostend", corpus)
    await check_notifier(LogNotifier(), notice())
    check_loader(lambda data: read(DocumentFormat.MARKDOWN, data), NOTE, "1,240 metres")


def notice() -> Notice:
    return Notice(
        id="research-pier-3fa9c1/1",
        kind=NoticeKind.DONE,
        run_id="research-pier-3fa9c1",
        topic="The pier",
        message="The report is there.",
        created=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    )


@dataclass(frozen=True)
class Broken:
    """A reasoner that does one thing otherwise."""

    good: Reasoner
    method: str
    otherwise: Callable[..., Any]

    async def ask(self, role: Role[Any, Any, Any], *about: Any) -> Answer[Any]:
        if role.name == self.method:
            said: Answer[Any] = await self.otherwise(*about)
            return said
        return await self.good.ask(role, *about)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.good, name)


async def _no_plan(*_: object) -> Answer[Any]:
    return Answer(())


def _analyses(change: Callable[[Analysis], Analysis], good: Reasoner) -> Callable[..., Any]:
    async def analyse(task: AnalysisTask, snapshot: Snapshot, on_partial: Any) -> Answer[Analysis]:
        return Answer(change((await good.ask(ANALYSE, task, snapshot, on_partial)).value))

    return analyse


def _moved(found: Analysis) -> Analysis:
    claims = tuple(
        each.model_copy(update={"start": each.start + 1, "end": each.end + 1})
        for each in found.claims
    )
    return found.model_copy(update={"claims": claims})


def _paraphrased(found: Analysis) -> Analysis:
    claims = tuple(each.model_copy(update={"text": "It is wide."}) for each in found.claims)
    return found.model_copy(update={"claims": claims})


@pytest.mark.parametrize(
    ("method", "change", "said"),
    [
        ("plan", None, "plans 0 angles"),
        ("analyse", _moved, "does not stand where it says"),
        ("analyse", _paraphrased, "a claim is its quote"),
        ("analyse", lambda found: Analysis(), "finds nothing about"),
    ],
)
async def test_a_reasoner_that_breaks_a_promise_is_seen(
    own: ExtractiveReasoner, method: str, change: Any, said: str
) -> None:
    otherwise = _analyses(change, own) if change else _no_plan
    with pytest.raises(AssertionError, match=said):
        await check_reasoner(Broken(own, method, otherwise), "extractive")


async def test_a_reasoner_that_cites_what_it_was_not_given_is_seen(own: ExtractiveReasoner) -> None:
    async def invents(task: SynthesisTask, *_: object) -> Answer[Synthesis]:
        honest = (await own.ask(SYNTHESISE, task)).value
        return Answer(honest.model_copy(update={"summary": "It is wide. [c77]"}))

    with pytest.raises(AssertionError, match="c77"):
        await check_reasoner(Broken(own, "synthesise", invents), "extractive")


async def test_another_name_on_the_card_is_seen(own: ExtractiveReasoner) -> None:
    with pytest.raises(AssertionError, match="its card says 'extractive'"):
        await check_reasoner(own, "other")


@dataclass(frozen=True)
class Engine:
    """One that answers everything alike."""

    hits: tuple[Hit, ...]

    async def search(self, task: SearchTask) -> SearchResults:
        return SearchResults(query=task.query, hits=self.hits)


async def test_an_engine_that_breaks_a_promise_is_seen(tmp_path: Path, corpus: str) -> None:
    found = await check_search_engine(
        CorpusSearch(CorpusIndex(tmp_path / "i")), "pier Ostend", corpus
    )
    (one, other) = found.hits
    better = other.model_copy(update={"score": one.score + 1})
    for hits, said in (
        ((), "finds nothing"),
        ((one, one), "twice"),
        ((one, other.model_copy(update={"copies": (one.source,)})), "twice"),
        ((one, better), "best source"),
        ((one,), "a word that does not exist"),
    ):
        with pytest.raises(AssertionError, match=said):
            await check_search_engine(Engine(hits), "pier Ostend")


def _careless(data: bytes) -> Loaded:
    return Loaded(Snapshot(text=data.decode()), Metadata())


def test_a_loader_that_breaks_a_promise_is_seen() -> None:
    with pytest.raises(AssertionError, match="UnicodeDecodeError and not `Unreadable`"):
        check_loader(_careless, NOTE, "1,240 metres")
    with pytest.raises(AssertionError, match="does not hold"):
        check_loader(_careless, NOTE, "7 metres")


async def test_a_failure_without_a_name_is_seen() -> None:
    async def fails(error: Exception | None) -> None:
        if error:
            raise error

    away = unavailable("The flags cannot be hoisted now.", resource="signal")
    assert (await check_fails_by_name(fails(away))).resource == "signal"
    for error, said in ((OSError("away"), "no `PortFailure`"), (None, "does not fail")):
        with pytest.raises(AssertionError, match=said):
            await check_fails_by_name(fails(error))

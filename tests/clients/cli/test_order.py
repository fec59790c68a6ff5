"""A run that a signal breaks in upon while it is being started, and who waits for people."""

import asyncio
import datetime as dt
import io
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console

from caveat.clients.cli.order import RunOrder, _Following, begin
from caveat.clients.cli.patience import patience_of
from caveat.clients.problems import BadInput, OutOfReach
from caveat.clients.runs import Runs
from caveat.contracts.outcome import Artifact, Outcome
from caveat.contracts.phase import Phase
from caveat.contracts.plan import Format, ResearchRequest
from caveat.contracts.progress import Progress
from caveat.contracts.report import Report
from caveat.workers.connection import Connection
from tests.fakes.arbitrations import a_hearing
from tests.fakes.reports import a_report

ORDER = RunOrder("research-x-000000", ResearchRequest(topic="Why?"), Path("reports"))


@dataclass
class Server:
    """Takes a run up when it is told to, and answers as long as it is there."""

    takes_it: bool
    gone: bool = False
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    embedded: bool = True

    async def start(self, *_: Any) -> None:
        self.asked.set()
        if self.gone:
            raise OutOfReach("The Temporal server does not answer.")
        await asyncio.Event().wait()

    async def is_known(self, _: str) -> bool:
        return self.takes_it

    async def while_there(self, work: Awaitable[None]) -> None:
        await work


async def said(server: Server) -> str:
    out = io.StringIO()
    runs, connection = cast("Runs", server), cast("Connection", server)
    begun: Awaitable[None] = begin(ORDER, runs, Console(file=out, width=500), connection)
    starting = asyncio.ensure_future(begun)
    await server.asked.wait()
    if not server.gone:
        starting.cancel()
    with pytest.raises((asyncio.CancelledError, OutOfReach)):
        await starting
    return out.getvalue()


@pytest.mark.parametrize(
    ("server", "sentence"),
    [
        (Server(takes_it=False), "No run was started.\n"),
        (Server(takes_it=True), "The run stays on the server"),
        (Server(takes_it=False, gone=True), "not known whether research-x-000000 was started"),
    ],
)
async def test_whoever_is_broken_in_upon_is_told_what_stays(server: Server, sentence: str) -> None:
    assert sentence in await said(server)


@pytest.mark.parametrize(
    ("provisional", "wait", "at_a_terminal", "elsewhere"),
    [(False, False, True, False), (True, False, False, False), (False, True, True, True)],
)
def test_people_are_waited_for_where_somebody_is_there_or_said_so(
    provisional: bool, wait: bool, at_a_terminal: bool, elsewhere: bool
) -> None:
    patience = patience_of(provisional=provisional, wait=wait)
    assert patience.lasts(somebody_is_here=True) is at_a_terminal
    assert patience.lasts(somebody_is_here=False) is elsewhere


def test_returning_at_once_and_waiting_contradict_each_other() -> None:
    with pytest.raises(BadInput, match="keep one of them"):
        patience_of(provisional=True, wait=True)


@dataclass
class Asked:
    """A run that waits for a person behind its provisional report."""

    waiting: Progress

    async def report(self, _: str) -> Report:
        return a_report()

    async def progress(self, _: str) -> Progress:
        return self.waiting

    async def closed(self, _: str) -> None:
        await asyncio.Event().wait()


async def test_a_provisional_report_comes_with_the_files_that_its_worker_wrote() -> None:
    question = a_hearing().contradiction.model_copy(update={"arbitration": "r/contradiction-1"})
    file = Artifact(format=Format.PDF, path="/kept/report.pdf", sha256="0" * 64, size=1)
    waiting = Progress(
        run_id=ORDER.run_id,
        topic="Why?",
        phase=Phase.AWAITING_RULINGS,
        started=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        contradictions=(question,),
        provisional_files=(file,),
    )
    console = Console(file=io.StringIO())
    following = _Following(ORDER, cast("Runs", Asked(waiting)), console, may_ask=False)
    found = await following.follow()
    assert isinstance(found, Outcome)
    assert found.artifacts == (file,)

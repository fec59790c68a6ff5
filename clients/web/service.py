"""The service: what every page asks and tells, by the same functions as the commands."""

import asyncio
import math
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, cast

from starlette.requests import Request

from caveat.clients.arbitrations import Arbitrations
from caveat.clients.follow_ups import follow_up_request, taken_up
from caveat.clients.requests import new_run_id
from caveat.clients.routing import routed
from caveat.clients.ruling import Rulings
from caveat.clients.runs import Runs
from caveat.clients.standings import Waiting
from caveat.clients.web.audit_log import AuditLog
from caveat.clients.web.reports import ReportCache
from caveat.contracts.plan import ResearchRequest
from caveat.contracts.report import ReportedSource
from caveat.failures import PortFailure
from caveat.ports import Memory, Snapshots
from caveat.rules.run.following_up import Scope
from caveat.workers.connection import Connection
from caveat.workers.keys import keyring
from caveat.workers.settings import Settings
from caveat.workers.signing import signer

if TYPE_CHECKING:
    from caveat.clients.web.live import Live
    from caveat.clients.web.runs import Tallies

_FRESH_S = 1.0
"""Seconds for which the list of open questions is the same for all: the server's is as late."""


@dataclass(frozen=True)
class StartedFollowUp:
    """A follow-up that was started.

    Attributes:
        run_id: its own.
        scope: what it tries again, and what it leaves out.
        remark: who works on it, where that is not what a new run would have.
    """

    run_id: str
    scope: Scope
    remark: str | None


@dataclass
class Service:
    """One server and one state folder.

    Attributes:
        connection: to the server.
        settings: of this process.
    """

    connection: Connection
    settings: Settings
    _listing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _listed: list[Waiting] = field(default_factory=list)
    _listed_at: float = -math.inf

    @cached_property
    def runs(self) -> Runs:
        """The server's runs; what is started here is signed as this user's."""
        return Runs(self.connection.client, signer(self.settings))

    @cached_property
    def arbitrations(self) -> Arbitrations:
        """The server's arbitrations; what is answered here is signed as this user's."""
        return Arbitrations(self.connection.client, signer(self.settings))

    async def waiting(self) -> list[Waiting]:
        """List what waits for a person, as of a moment ago: the whole list is read at once."""
        async with self._listing:
            if time.monotonic() - self._listed_at > _FRESH_S:
                self._listed = await self.arbitrations.waiting()
                self._listed_at = time.monotonic()
        return self._listed

    @cached_property
    def rulings(self) -> Rulings:
        """Where rulings are given."""
        return Rulings(self.runs, self.settings)

    @cached_property
    def reports(self) -> ReportCache:
        """ReportCache."""
        return ReportCache(self.settings, self.runs)

    @cached_property
    def tallies(self) -> "Tallies":
        """What lists say of runs beside what the server's list has."""
        from caveat.clients.web.runs import Tallies  # noqa: PLC0415  # which asks a service

        return Tallies(self)

    @cached_property
    def live(self) -> "Live":
        """The runs that somebody watches."""
        from caveat.clients.web.live import Live  # noqa: PLC0415  # which asks a service

        return Live(self)

    @cached_property
    def audit_log(self) -> AuditLog:
        """Who did what here."""
        return AuditLog(self.settings.audit_log_file)

    async def start(self, request: ResearchRequest) -> str:
        """Start a run by the settings of this process, and return its id."""
        run_id = new_run_id(request.topic, keyring(self.settings.keys_file))
        await self.begin(run_id, routed(request, self.settings))
        return run_id

    async def follow_up(self, run_id: str, *, everything: bool) -> StartedFollowUp:
        """Start a follow-up of a run, worked on as that one was.

        Args:
            run_id: the earlier run.
            everything: whether also that is tried which is not likely to work now.

        Raises:
            NoResult: it still goes on, left nothing to go on with, or nothing is worth trying.
            BadInput: who worked on it cannot be had here.
        """
        request, scope = await follow_up_request(
            self.runs, self.settings, run_id, everything=everything
        )
        new_id, request, remark = await taken_up(self.runs, self.settings, run_id, request)
        await self.begin(new_id, request)
        return StartedFollowUp(new_id, scope, remark)

    async def begin(self, run_id: str, request: ResearchRequest) -> None:
        """Start a run that the workers of the server carry out, and no process of its own."""
        await self.runs.start(run_id, request.model_copy(update={"own_queues": False}))

    @cached_property
    def memory(self) -> Memory:
        """What is remembered of runs and rulings."""
        from caveat.workers.wiring import memory  # noqa: PLC0415  # loads every adapter

        return memory(self.settings)

    @cached_property
    def snapshots(self) -> Snapshots:
        """The texts of sources."""
        from caveat.workers.blobs import snapshots  # noqa: PLC0415  # loads every adapter

        return snapshots(self.settings)

    async def text(self, source: ReportedSource | None) -> str | None:
        """Return the text of a source as it was read; None where it was not, or is gone."""
        if source is None or source.snapshot_sha256 is None:
            return None
        try:
            return (await self.snapshots.open(source.snapshot_sha256)).text
        except PortFailure:
            return None


def service_of(request: Request) -> Service:
    """Return the service of the page that a request came to."""
    return cast("Service", request.app.state.service)

"""The office: what every page asks and tells, by the same functions as the commands."""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

from starlette.requests import Request

from caveat.ports import Memory, Snapshots
from clients.arbitrations import Arbitrations
from clients.runs import Runs
from clients.web.access import Visitor
from workers.connection import Connection
from workers.settings import Settings
from workers.signing import signer


@dataclass
class Office:
    """One server and one state folder.

    Attributes:
        connection: to the server.
        settings: of this process.
    """

    connection: Connection
    settings: Settings

    @cached_property
    def runs(self) -> Runs:
        """The server's runs; what is started here is signed as this user's."""
        return Runs(self.connection.client, signer(self.settings))

    @cached_property
    def arbitrations(self) -> Arbitrations:
        """The server's arbitrations; what is answered here is signed as this user's."""
        return Arbitrations(self.connection.client, signer(self.settings))

    @cached_property
    def memory(self) -> Memory:
        """What is remembered of runs and rulings."""
        from workers.wiring import memory  # noqa: PLC0415  # loads every adapter

        return memory(self.settings)

    @cached_property
    def snapshots(self) -> Snapshots:
        """The texts of sources."""
        from workers.wiring import snapshots  # noqa: PLC0415  # loads every adapter

        return snapshots(self.settings)


def office_of(request: Request) -> Office:
    """Return the office of the page that a request came to."""
    return cast("Office", request.app.state.office)


def visitor_of(request: Request) -> Visitor:
    """Return who sends a request; the doorkeeper lets nobody else pass."""
    return cast("Visitor", request.scope["state"]["visitor"])

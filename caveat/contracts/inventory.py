"""What a corpus holds, as a worker that may open it says."""

from pydantic import Field

from caveat.contracts.backend import Backend
from caveat.contracts.base import Contract
from caveat.contracts.failure import Failure
from caveat.contracts.plan import Grant, ReasonerCard
from caveat.contracts.source import SourceRef, Unread


class BrokenDocument(Contract):
    """A document that cannot be read, and why."""

    path: str
    failure: Failure


LISTED = 100  # documents whose titles a planner is shown: some 2,000 tokens, and 30 KB of history


class Inventory(Contract):
    """What a corpus holds.

    Attributes:
        corpus: absolute folders that will be searched, in order.
        documents: documents that can be searched.
        updated: of those, how many were read anew because they changed.
        broken: documents that cannot be read.
        unread: files that were not looked at.
        beyond: whether there is more to search than these documents: the web, of which nobody can
            take stock.
        grant: lets every worker of this user open these folders for the run.
        engines: names of the search engines that each query is put to, in the order that decides
            between equal places; empty where there is one without a name.
        reasoner: the card of the reasoner of whoever took stock.
        events: whether what happens in the run is told to whoever listens to a broker.
        announced: whether it is told to a webhook.
        listed: the first documents by path, `LISTED` at most, for a planner to see their titles.
        backend: who took stock; a run that has not decided it yet stays with this one.
    """

    corpus: tuple[str, ...]
    documents: int = Field(ge=0)
    updated: int = Field(default=0, ge=0)
    broken: tuple[BrokenDocument, ...] = ()
    unread: tuple[Unread, ...] = ()
    beyond: bool = False
    grant: Grant | None = None
    engines: tuple[str, ...] = ()
    reasoner: ReasonerCard | None = None
    events: bool = False
    announced: bool = False
    listed: tuple[SourceRef, ...] = ()
    backend: Backend | None = None

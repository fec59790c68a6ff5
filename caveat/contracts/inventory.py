"""What a corpus holds, as a worker that may open it says."""

from pydantic import Field

from caveat.contracts.backend import Backend
from caveat.contracts.base import Contract
from caveat.contracts.envelope import Failure
from caveat.contracts.plan import Grant, ReasonerCard
from caveat.contracts.source import SourceRef, Unread


class BrokenDocument(Contract):
    path: str
    failure: Failure


LISTED = 100  # documents whose titles a planner is shown: some 2,000 tokens, and 30 KB of history


class Inventory(Contract):
    corpus: tuple[str, ...]  # absolute folders that will be searched, in order
    documents: int = Field(ge=0)  # documents that can be searched
    languages: tuple[str, ...] = ()  # of these documents, in order of the alphabet
    broken: tuple[BrokenDocument, ...] = ()  # documents that cannot be read
    unread: tuple[Unread, ...] = ()  # files that were not looked at
    beyond: bool = False  # whether there is more to search, as the web
    grant: Grant | None = None  # lets every worker of this user open these folders for the run
    # names of the search engines that each query is put to, in the order that decides between equal
    # places; empty where there is one without a name
    engines: tuple[str, ...] = ()
    reasoner: ReasonerCard | None = None  # of the worker that took stock
    events: bool = False  # whether the run's events are published to a broker
    listed: tuple[SourceRef, ...] = ()  # the first `LISTED` by path, for a planner
    backend: Backend | None = None  # who took stock, and works on undecided runs

"""The `Library` port over the web, alone or with a corpus, and its parts in production."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from caveat.adapters.documents.loaded import Loaded, Unreadable, Why
from caveat.adapters.documents.readers import READERS
from caveat.adapters.http.client import PRODUCT, Client
from caveat.adapters.http.meanings import (
    CLOSED,
    DOWN,
    UNFIT,
    WITHHELD,
    Kind,
    RefusalError,
    RefusedAddressError,
)
from caveat.adapters.http.target import Target
from caveat.adapters.web import fetching
from caveat.adapters.web.robots import Robots
from caveat.contracts.plan import Inventory
from caveat.contracts.source import SourceKind, SourceRef
from caveat.failures import PortFailure, invalid
from caveat.ports import MCP, Document, Library
from caveat.rules.sources.elsewhere import list_alternatives
from caveat.rules.sources.identity import parse_host

_MEANT: Mapping[Why, Kind] = {
    Why.DAMAGED: WITHHELD,
    Why.OWN_REPORT: WITHHELD,
    Why.TOO_LARGE: UNFIT,
    Why.FOR_SALE: CLOSED,
    Why.LATE: DOWN,
}


@dataclass(frozen=True)
class WebLibrary:
    fetcher: fetching.Fetcher

    async def take_stock(
        self, corpus: tuple[str, ...], tell: Callable[[int], None] = lambda _: None
    ) -> Inventory:
        """Say that there is nothing to be counted beforehand: the web is known by searching."""
        return Inventory(corpus=(), documents=0, beyond=True)

    async def read(self, source: SourceRef) -> Document:
        """Fetch a page; see `ports.Library`."""
        if source.url is None:
            raise invalid(f"“{source.title}” has no address on the web.", resource=source.id)
        try:
            page = await self.fetcher.fetch(source.url)
            document = await _load_page(page, source.url)
        except PortFailure as failed:
            failure = failed.failure
            addresses = list_alternatives(source.url, failure.failure_type, source.also_at)
            usable = [each for each in addresses if _may_be_fetched(each)]
            failure = failure.model_copy(update={"alternatives": tuple(usable)})
            raise PortFailure(failure, failed.usage) from failed
        # Complete a source with the page's own metadata.
        # The search's word on the kind and the day stands: an engine has no reason to flatter a
        # page. The page's own title is whole where engines shorten it. The address stays, since the
        # source was found, and is cited, by it.
        facts = document.metadata
        known = source.kind is not SourceKind.UNKNOWN
        completed = source.model_copy(
            update={
                "title": facts.title or source.title,
                "published": source.published or facts.published,
                "kind": source.kind if known else facts.kind,
            }
        )
        return Document(source=completed, snapshot=document.snapshot, losses=document.losses)


def _may_be_fetched(address: str) -> bool:
    try:
        Target.from_url(address)
    except RefusedAddressError:
        return False
    return True


async def _load_page(page: fetching.Page, url: str) -> Loaded:
    """Extract the text of a page, in a process of its own."""
    host = parse_host(page.url)
    try:
        return await asyncio.wrap_future(READERS.submit(page.written_in, page.body, page.charset))
    except Unreadable as refusal:
        refused = RefusalError(str(refusal), _MEANT[refusal.why])
        raise fetching.translate_ending(refused, url=url, host=host) from refusal


def create_web_library() -> WebLibrary:
    """Create the library of the web; one a process, since it paces each host."""
    return WebLibrary(fetching.Fetcher(Client(), Robots(PRODUCT)))


@dataclass(frozen=True)
class SeveralLibraries:
    corpus: Library
    web: Library  # holds those that have nothing but a URL
    # whether the corpus has folders that are searched when a run names none
    default_corpus: bool = False
    # reads what servers of MCP have found; None where none is set up
    read_from_server: Callable[[SourceRef], Awaitable[Document]] | None = None

    async def take_stock(
        self, corpus: tuple[str, ...], tell: Callable[[int], None] = lambda _: None
    ) -> Inventory:
        """Take stock of the corpus; a run that has none is one on the web alone."""
        has_corpus = bool(corpus) or self.default_corpus
        library = self.corpus if has_corpus else self.web
        return await library.take_stock(corpus, tell)

    async def read(self, source: SourceRef) -> Document:
        """Read from the corpus what lies in it, and from the web what does not."""
        if source.path is not None:
            return await self.corpus.read(source)
        if self.read_from_server is not None and urlsplit(source.url or "").scheme == MCP:
            return await self.read_from_server(source)
        if source.url is not None:
            return await self.web.read(source)
        raise invalid(
            f"“{source.title}” is neither in a corpus nor on the web.", resource=source.id
        )

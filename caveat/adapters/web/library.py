"""The `Library` port over the web."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from caveat.adapters.corpus.loaded import Loaded
from caveat.adapters.web.failures import unforeseen, unreadable
from caveat.adapters.web.fetching import Fetcher
from caveat.adapters.web.reading import loaded
from caveat.adapters.web.refusals import Refusal
from caveat.adapters.web.target import host_of
from caveat.contracts.source import SourceKind, SourceRef
from caveat.contracts.tasks import Inventory
from caveat.failures import invalid
from caveat.ports import Document

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class WebLibrary:
    """Pages by their public addresses.

    Attributes:
        fetcher: fetches them.
    """

    fetcher: Fetcher

    async def take_stock(
        self,
        corpus: tuple[str, ...],  # the web has no folders
        on_progress: Callable[[int], None],  # and nothing to count
        exclude: tuple[str, ...] = (),
    ) -> Inventory:
        """Say that there is nothing to be counted beforehand: the web is known by searching."""
        return Inventory(corpus=(), documents=0, beyond=True)

    async def read(self, source: SourceRef) -> Document:
        """Fetch a page; see `ports.Library`.

        Raises:
            PortFailure: there is no page, it may not be read, or it cannot be had now.
        """
        if source.url is None:
            raise invalid(f"“{source.title}” has no address on the web.", resource=source.id)
        page = await self.fetcher.fetch(source.url)
        try:
            found = await asyncio.to_thread(loaded, page)
        except Refusal as refusal:
            host = host_of(page.url)
            raise unreadable(refusal, url=source.url, host=host) from refusal
        except Exception as error:
            host = host_of(page.url)
            _LOG.exception("Unforeseen failure while reading a page of %s", host)
            raise unforeseen(error, url=source.url, host=host) from error
        return Document(source=_completed(source, found), snapshot=found.snapshot)


def _completed(source: SourceRef, found: Loaded) -> SourceRef:
    """Add what the page says to what the search knew.

    The search's word on the kind and the day stands: an engine has no reason to flatter a page. The
    page's own title is whole where engines shorten it. The address stays, since the source was
    found, and is cited, by it.
    """
    facts = found.metadata
    known = source.kind is not SourceKind.UNKNOWN
    return source.model_copy(
        update={
            "title": facts.title or source.title,
            "published": source.published or facts.published,
            "kind": source.kind if known else facts.kind,
        }
    )

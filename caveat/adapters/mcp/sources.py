"""An MCP server as an engine and as a library: what it finds, and the texts that it brings.

It is asked with two tools, as connectors for research assistants have them: `search` takes a
`query` and answers `{"results": [{"id", "title", "url"}]}`, `fetch` takes an `id` and answers
`{"id", "title", "text", "url"}`. Whatever it says is text of strangers.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from caveat.adapters.documents.plain import load_text
from caveat.adapters.mcp.servers import LONGEST, Asking
from caveat.contracts.source import Hit, SearchResults, SourceRef
from caveat.contracts.tasks import Inventory, SearchTask
from caveat.failures import invalid
from caveat.ports import Document, Library
from caveat.rules.sources import source_id

SCHEME = "mcp"

_TITLE = 300
"""Characters of a title, as of other engines' results."""

_ID = 500
"""Characters of an id; one that is longer carries data rather than naming a text."""


@dataclass(frozen=True)
class McpSearch:
    """Searches with one server.

    Attributes:
        asking: the server.
    """

    asking: Asking

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query; see `ports.SearchEngine`."""
        answer = await self.asking.call(self.asking.server.search, {"query": task.query})
        results = answer.get("results")
        if not isinstance(results, list):
            raise invalid(
                f"The MCP server {self.asking.name} answers a search without results.",
                resource=self.asking.name,
            )
        found = (_source(self.asking.name, each) for each in results[: 10 * task.limit])
        sources = {source.id: source for source in found if source is not None}
        best = list(sources.values())[: task.limit]
        hits = (Hit(source=each, score=1 / rank) for rank, each in enumerate(best, start=1))
        return SearchResults(query=task.query, hits=tuple(hits))


@dataclass(frozen=True)
class McpLibrary:
    """Reads from servers what they have found, and everything else where that is read.

    Attributes:
        askings: the servers by name.
        others: reads what is no server's.
    """

    askings: Mapping[str, Asking]
    others: Library

    async def take_stock(
        self,
        corpus: tuple[str, ...],
        on_progress: Callable[[int], None],
        exclude: tuple[str, ...] = (),
    ) -> Inventory:
        """Take stock of the others; see `ports.Library`."""
        return await self.others.take_stock(corpus, on_progress, exclude)

    async def read(self, source: SourceRef) -> Document:
        """Fetch one text; see `ports.Library`."""
        parts = urlsplit(source.url or "")
        if parts.scheme != SCHEME:
            return await self.others.read(source)
        asking = self.askings.get(parts.netloc)
        if asking is None:
            raise invalid(
                f"There is no MCP server “{parts.netloc[:40]}” any more.", resource=source.id
            )
        wanted = {"id": unquote(parts.path.removeprefix("/"))}
        answer = await asking.call(asking.server.fetch, wanted)
        text = answer.get("text")
        if not isinstance(text, str) or not text.strip():
            raise invalid(f"“{source.title}” has no text.", resource=source.id)
        if len(text) > LONGEST:
            raise invalid(f"“{source.title}” is too long to be read.", resource=source.id)
        # Half a surrogate pair can be decoded but not kept.
        whole = text.encode(errors="replace").decode().replace("\0", " ")
        loaded = await asyncio.to_thread(load_text, whole)
        if loaded.is_own_report:
            raise invalid(
                f"“{source.title}” is a report of Caveat's own, which is no source.",
                resource=source.id,
            )
        # What a text says of its own kind and date counts for nothing: anybody can write that.
        return Document(source, loaded.snapshot)


def _source(server: str, result: object) -> SourceRef | None:
    """Name a result by the server that found it.

    Its own word on where it was published is shown in its title and is not its address: a server
    could borrow the standing of any publisher.
    """
    if not isinstance(result, dict):
        return None
    name, title, url = (result.get(key) for key in ("id", "title", "url"))
    if not isinstance(name, str | int) or not 0 < len(str(name)) <= _ID:
        return None
    address = f"{SCHEME}://{server}/{quote(str(name), safe='')}"
    shown = " ".join(title.split())[:_TITLE] if isinstance(title, str) else ""
    if isinstance(url, str) and url.strip() and url.isprintable():
        shown = f"{shown or name} ({url.strip()[:_TITLE]})"
    return SourceRef(id=source_id(address), title=shown or str(name), url=address)

"""An engine over a folder of logbooks: the words of a query, counted."""

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caveat.contracts.source import Hit, SearchResults, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.failures import forbidden, unavailable
from caveat.rules.sources import compute_source_id


def make(resources: Any) -> "Logbook":
    """Make it with what the environment says."""
    folder = resources.setting("LOGBOOK_FOLDER")
    if folder is None:
        raise ValueError("set LOGBOOK_FOLDER to the folder of the logbooks")
    return Logbook(Path(folder))


@dataclass(frozen=True)
class Logbook:
    """Finds the files of a folder that hold words of a query.

    Attributes:
        folder: of the files; Caveat's own library reads them.
    """

    folder: Path

    async def search(self, task: SearchTask) -> SearchResults:
        """Count the words of the query in each file.

        Raises:
            PortFailure: the folder may not be read, or is not there now.
        """
        try:
            hits = await asyncio.to_thread(self._hits, task.query)
        except PermissionError:
            raise forbidden("The logbooks may not be read.", resource="logbook") from None
        except OSError:
            raise unavailable("The logbooks are not there now.", resource="logbook") from None
        return SearchResults(query=task.query, hits=tuple(hits[: task.limit]))

    def _hits(self, query: str) -> list[Hit]:
        wanted = set(re.findall(r"\w{4,}", query.casefold()))
        found = []
        for path in sorted(self.folder.resolve().iterdir()):
            words = re.findall(r"\w{4,}", path.read_text(encoding="utf-8").casefold())
            score = sum(word in wanted for word in words)
            if score:
                found.append((score, Hit(source=self._source(path))))
        return [hit for _, hit in sorted(found, key=lambda each: -each[0])]

    def _source(self, path: Path) -> SourceRef:
        return SourceRef(
            id=compute_source_id(path.as_posix()),
            title=path.stem,
            corpus=str(path.parent),
            path=path.name,
        )

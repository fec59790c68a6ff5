"""Pages of the PDFs that runs have read, as pictures with a quote marked."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from caveat.adapters.documents.formats import DocumentFormat
from caveat.adapters.documents.loaded import Unreadable
from caveat.adapters.documents.loaders import read_content
from caveat.adapters.documents.readers import READERS
from caveat.adapters.files.snapshots import hash_snapshot
from caveat.clients.problems import NoResult
from caveat.clients.runs import Runs
from caveat.contracts.claim import Claim
from caveat.contracts.report import ReportedSource
from caveat.failures import PortFailure
from caveat.workers.settings import Settings
from caveat.workers.signing import load_signer
from caveat.workers.task_folders import FolderGuard


@dataclass
class Pictures:
    """Draws pages, of documents whose text is still the one that a run read."""

    runs: Runs  # where it stands which folders a run was given
    settings: Settings
    _hashes: dict[bytes, str] = field(default_factory=dict)  # so that none is read whole again
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def draw(self, run_id: str, source: ReportedSource, claim: Claim) -> bytes:
        """Draw the page that a claim quotes, as PNG; `NoResult` says why that cannot be."""
        data = await self.find_document(run_id, source)
        try:
            drawn = READERS.draw(data, claim.location or "", claim.quote)
            return await asyncio.wrap_future(drawn)
        except Unreadable as refusal:
            raise NoResult(f"The page cannot be drawn: the document {refusal}.") from None

    async def find_document(self, run_id: str, source: ReportedSource) -> bytes:
        """Return a document whose text is still the one that a run read, or raise `NoResult`."""
        async for data in self._list_documents(run_id, source.path or ""):
            if source.snapshot_sha256 == await self._hash_text(data):
                return data
        raise NoResult(
            "The document is not where the run read it, or it has changed since: here is the "
            "passage as the run kept it."
        )

    async def _list_documents(self, run_id: str, path: str) -> AsyncIterator[bytes]:
        """Yield what lies at a path of the folders that a run was given, and was let open."""
        request = await self.runs.read_request(run_id)
        configured = (*self.settings.corpus, *self.settings.corpus_roots)
        guard = FolderGuard(load_signer(self.settings), configured)
        for each in request.corpus or map(str, self.settings.corpus):
            if guard.may_open(each, request.grant, run_id):
                with suppress(PortFailure, OSError, ValueError):
                    yield await asyncio.to_thread(_read_content, Path(each), path)

    async def _hash_text(self, data: bytes) -> str:
        """Return the address that the text of a PDF is kept at; empty where it has none."""
        name = hashlib.sha256(data).digest()
        async with self._reading:
            if name not in self._hashes:
                try:
                    loaded = await asyncio.wrap_future(READERS.submit(DocumentFormat.PDF, data))
                    self._hashes[name] = hash_snapshot(loaded.snapshot)
                except Unreadable:  # or nobody has time now
                    return ""
        return self._hashes[name]


def _read_content(folder: Path, path: str) -> bytes:
    within = folder.expanduser().resolve()
    return read_content(within / path, within)

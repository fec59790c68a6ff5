"""What a loader returns."""

import datetime as dt
from dataclasses import dataclass

from caveat.contracts.source import Snapshot, SourceKind


@dataclass(frozen=True)
class Metadata:
    """What a document says about itself; None or unknown where it is silent."""

    title: str | None = None
    url: str | None = None
    published: dt.date | None = None
    kind: SourceKind = SourceKind.UNKNOWN
    citations: int | None = None


@dataclass(frozen=True)
class Loaded:
    """A document's readable text and what it says about itself."""

    snapshot: Snapshot
    metadata: Metadata

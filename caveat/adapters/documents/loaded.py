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
    """A document's readable text and what it says about itself.

    Attributes:
        snapshot: its text.
        metadata: what it says about itself.
        is_own_report: whether it is a report of Caveat's own, which is no source.
    """

    snapshot: Snapshot
    metadata: Metadata
    is_own_report: bool = False

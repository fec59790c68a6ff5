"""What packages need that offer Caveat a reasoner, an engine, a notifier or a loader.

These names stay as `docs/versions.md` says; where they come from may change. The ports are in
`caveat.ports`, and what goes through them in `caveat.contracts`.
"""

from caveat.adapters.documents.loaded import Loaded, Metadata, Unreadable, Why
from caveat.adapters.search.asking import Resources
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.plan import ReasonerCard
from caveat.failures import PortFailure, forbidden, invalid, not_found, timed_out, unavailable
from caveat.ports import Answer, Identified, Identity, Notifier, SearchEngine
from caveat.roles.role import Reasoner
from caveat.rules.sources import compute_source_id

__all__ = [
    "Answer",
    "Failure",
    "FailureCategory",
    "FailureType",
    "Identified",
    "Identity",
    "Loaded",
    "Metadata",
    "Notifier",
    "PortFailure",
    "Reasoner",
    "ReasonerCard",
    "Resources",
    "SearchEngine",
    "Unreadable",
    "Why",
    "compute_source_id",
    "forbidden",
    "invalid",
    "not_found",
    "timed_out",
    "unavailable",
]

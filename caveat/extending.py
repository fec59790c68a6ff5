"""What packages need that offer Caveat a reasoner or a search engine.

These names stay as `docs/versions.md` says; where they come from may change. The ports are in
`caveat.ports`, and what goes through them in `caveat.contracts`.
"""

from caveat.adapters.search.asking import Resources
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.plan import ReasonerCard
from caveat.failures import PortFailure, forbidden, invalid, not_found, timed_out, unavailable
from caveat.ports import Answer, Identified, Identity, SearchEngine
from caveat.roles.role import Reasoner
from caveat.rules.sources import compute_source_id

__all__ = [
    "Answer",
    "Failure",
    "FailureCategory",
    "FailureType",
    "Identified",
    "Identity",
    "PortFailure",
    "Reasoner",
    "ReasonerCard",
    "Resources",
    "SearchEngine",
    "compute_source_id",
    "forbidden",
    "invalid",
    "not_found",
    "timed_out",
    "unavailable",
]

"""Sources: which are one, what they are worth, and what stands in them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from caveat.rules.sources import own_reports
from caveat.rules.sources.credibility import (
    ANYONE_HOSTS,
    BAR,
    FEW_FOR_ANGLE,
    RELEVANT,
    amount_of,
    bar,
    checked,
    credibility,
    is_mistaken_for_checked,
    total,
)
from caveat.rules.sources.elsewhere import CACHED, arxiv_number, corrected, elsewhere
from caveat.rules.sources.identity import canonical_url, source_id, voice, web_host
from caveat.rules.sources.known import Known
from caveat.rules.sources.own_reports import is_own_keyword, is_own_report
from caveat.rules.sources.rankings import fused, reciprocal_rank_fusion
from caveat.rules.sources.unread import (
    UNREAD_EXAMPLES,
    set_aside_words,
    tallied,
    unread_names,
    unread_sentences,
    unread_words,
)
from caveat.rules.sources.works import edition, newer, work

if TYPE_CHECKING:
    from caveat.rules.sources.claims import (
        as_counted,
        cited,
        every,
        merged,
        numbered,
        stands,
        stands_in_context,
        verified,
    )
    from caveat.rules.sources.copies import Likeness, likeness, sketch

__all__ = [
    "ANYONE_HOSTS",
    "BAR",
    "CACHED",
    "FEW_FOR_ANGLE",
    "RELEVANT",
    "UNREAD_EXAMPLES",
    "Known",
    "Likeness",
    "amount_of",
    "arxiv_number",
    "as_counted",
    "bar",
    "canonical_url",
    "checked",
    "cited",
    "corrected",
    "credibility",
    "edition",
    "elsewhere",
    "every",
    "fused",
    "is_mistaken_for_checked",
    "is_own_keyword",
    "is_own_report",
    "likeness",
    "merged",
    "newer",
    "numbered",
    "own_reports",
    "reciprocal_rank_fusion",
    "set_aside_words",
    "sketch",
    "source_id",
    "stands",
    "stands_in_context",
    "tallied",
    "total",
    "unread_names",
    "unread_sentences",
    "unread_words",
    "verified",
    "voice",
    "web_host",
    "work",
]

_LATE = {
    **dict.fromkeys(("as_counted", "cited", "every", "merged", "numbered"), "claims"),
    **dict.fromkeys(("stands", "stands_in_context", "verified"), "claims"),
    **dict.fromkeys(("Likeness", "likeness", "sketch"), "copies"),
}
"""What is loaded where it is wanted, and where it stands: it needs quantities and most contracts,
and a process that reads documents, which a run waits for, wants nothing of it."""


def __getattr__(name: str) -> Any:
    """Load what is wanted of `_LATE`."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
    globals()[name] = found
    return found

"""Sources: which are one, what they are worth, and what stands in them."""

from caveat.rules.sources import own_reports
from caveat.rules.sources.credibility import (
    ANYONE_HOSTS,
    BAR,
    FEW_FOR_ANGLE,
    NEAREST,
    RELEVANT,
    SMALL,
    amount_of,
    bar,
    checked,
    credibility,
    is_mistaken_for_checked,
    total,
)
from caveat.rules.sources.elsewhere import CACHED, arxiv_number, corrected, doi_of, elsewhere
from caveat.rules.sources.identity import (
    canonical_url,
    edition,
    newer,
    source_id,
    told_apart,
    voice,
    web_host,
    work,
)
from caveat.rules.sources.own_reports import is_own_keyword, is_own_report
from caveat.rules.sources.rankings import fused, reading_order, reciprocal_rank_fusion
from caveat.rules.sources.unread import (
    UNREAD_EXAMPLES,
    set_aside_words,
    tallied,
    unread_names,
    unread_sentences,
    unread_words,
)

__all__ = [
    "ANYONE_HOSTS",
    "BAR",
    "CACHED",
    "FEW_FOR_ANGLE",
    "NEAREST",
    "RELEVANT",
    "SMALL",
    "UNREAD_EXAMPLES",
    "amount_of",
    "arxiv_number",
    "bar",
    "canonical_url",
    "checked",
    "corrected",
    "credibility",
    "doi_of",
    "edition",
    "elsewhere",
    "fused",
    "is_mistaken_for_checked",
    "is_own_keyword",
    "is_own_report",
    "newer",
    "own_reports",
    "reading_order",
    "reciprocal_rank_fusion",
    "set_aside_words",
    "source_id",
    "tallied",
    "told_apart",
    "total",
    "unread_names",
    "unread_sentences",
    "unread_words",
    "voice",
    "web_host",
    "work",
]

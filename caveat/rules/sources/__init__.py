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
    PARTS_NAMED,
    UNREAD_EXAMPLES,
    in_part_words,
    read_in_part,
    read_without,
    set_aside_words,
    tallied,
    unread_names,
    unread_sentences,
    unread_words,
)

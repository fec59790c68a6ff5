"""Sources: which are one, what they are worth, and what stands in them."""

from caveat.rules.sources import own_reports
from caveat.rules.sources.credibility import (
    BAR,
    FEW_FOR_ANGLE,
    NEAREST,
    RELEVANT,
    SMALL,
    compute_checked_score,
    score_credibility,
    select_bar,
)
from caveat.rules.sources.elsewhere import find_arxiv_id, find_doi, list_alternatives, suggest_query
from caveat.rules.sources.identity import (
    compute_source_id,
    disambiguate_titles,
    find_newer,
    find_publisher,
    find_version,
    index_voices,
    normalise_url,
    parse_host,
)
from caveat.rules.sources.own_reports import is_own_report
from caveat.rules.sources.rankings import fuse_rankings, merge_rankings
from caveat.rules.sources.unread import (
    PARTS_NAMED,
    UNREAD_EXAMPLES,
    collect_missing_parts,
    describe_missing_parts,
    describe_set_aside,
    describe_unread,
    format_unread_names,
    list_missing_parts,
    list_unread_sentences,
    merge_unread,
)

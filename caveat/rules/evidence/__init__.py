"""Evidence: what claims stand in what was read, and which readings are of one text."""

from caveat.rules.evidence.claims import (
    add_claims,
    build_sort_key,
    describe_place,
    filter_unclaimed,
    list_claims,
    merge_analyses,
    number_claims,
    quote_span,
    replace_texts_by_quotes,
    select_cited_sources,
    stands,
    stands_in_context,
    verify_quotes,
    widen_quotes,
)
from caveat.rules.evidence.copies import Known, is_copy, sketch
from caveat.rules.evidence.stated import (
    detect_claim_language,
    find_statements,
    read_figure,
    read_side_value,
    read_value,
)

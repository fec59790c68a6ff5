"""What single sentences may say: the form that code checks, and what it points out to a reader."""

from caveat.rules.sentences.checks import (
    check_prose,
    count_numbers,
    find_sentence_flaws,
    find_text_flaws,
    find_unsupported_figures,
    find_unsupported_numbers,
    is_instruction,
    is_quote_of,
)
from caveat.rules.sentences.grounds import (
    COLUMNS,
    Grounds,
    list_digits,
    list_neighbours,
    list_notes,
    split_cells,
)
from caveat.rules.sentences.hints import find_hints, find_text_hints, is_reported, takes_back

"""Text as rules read it: sentences, prose, words, numbers, and how sentences differ."""

from caveat.rules.text import prose, questions, words
from caveat.rules.text.citations import (
    ANSWER,
    EXCERPT,
    SUMMARY,
    CitedSentence,
    Piece,
    list_marked_ids,
    list_pieces,
    measure_coverage,
    name_section,
)
from caveat.rules.text.sentences import (
    Span,
    find_sentence,
    find_sentences,
    find_value,
    find_window,
    split_sentences,
)
from caveat.rules.text.wording import (
    OWN,
    build_word_set,
    is_same_statement,
    normalise_typography,
    normalise_word,
    normalise_wording,
    tokenise,
)

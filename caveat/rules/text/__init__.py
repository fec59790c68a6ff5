"""Text as rules read it: sentences, prose, words, numbers, and how sentences differ."""

from caveat.rules.text import prose, questions, words
from caveat.rules.text.citations import (
    ANSWER,
    SUMMARY,
    CitedSentence,
    Piece,
    collapsed,
    coverage,
    markers,
    pieces,
    place,
    shortened,
)
from caveat.rules.text.contrast import (
    POLES,
    Frame,
    Place,
    are_opposed,
    differ,
    frames,
    is_disowned,
    is_rounded,
)
from caveat.rules.text.sentences import Span, Windows, sentences, stating
from caveat.rules.text.wording import (
    Token,
    base,
    is_same_statement,
    listed,
    tokens,
    verbatim,
    wording,
)

"""What single sentences may say: their markers, numbers, names and words, held against quotes."""

from caveat.rules.sentences.findings import (
    numbers_in,
    prose_findings,
    sentence_flaws,
    text_flaws,
    title_flaws,
    word_flaws,
)
from caveat.rules.sentences.grounds import Grounds, cells
from caveat.rules.sentences.meaning import orders, takes_back, tells

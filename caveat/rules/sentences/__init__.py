"""What single sentences may say: their markers, numbers, names and words, held against quotes."""

from caveat.rules.sentences.findings import (
    check_prose,
    count_numbers,
    find_sentence_flaws,
    find_text_flaws,
    find_title_flaws,
    find_word_flaws,
)
from caveat.rules.sentences.grounds import Grounds, split_cells
from caveat.rules.sentences.meaning import is_instruction, is_reported, takes_back

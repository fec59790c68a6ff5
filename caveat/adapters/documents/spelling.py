"""What dictionaries tell of words that a page divides, or of which its fonts do not name a sign."""

import gzip
import json
import pkgutil
import re
from functools import cache
from itertools import product

from caveat.rules.text.words import detect_language

LIGATURES = {0x0B: "ff", 0x0C: "fi", 0x0D: "fl", 0x0E: "ffi", 0x0F: "ffl"}
"""By the codes that TeX gives them."""

NAMELESS = "\ufffd"

_OPEN_COMPOUNDS = frozenset({"en", "es", "fr", "it", "pt"})
"""Languages that write compounds with a hyphen; where they are one word, a hyphen divides it."""

_SPELT = _OPEN_COMPOUNDS | {"de", "nl"}
_LETTER = r"[^\W\d_]"
_NO_LETTER = rf"(?:{NAMELESS}|(?<={_LETTER})[\u2190-\u21ff](?={_LETTER}))"
"""A nameless sign, or an arrow in a word: fonts of TeX take the first codes for ligatures."""
_LIGATED = re.compile(rf"(?<!\w){_LETTER}*{_NO_LETTER}(?:{_LETTER}|{_NO_LETTER})+")
_FEWEST = 4  # letters of a word: of fewer, signs of formulas before variables make words too
_MOST = 2  # ligatures of a word
_OFTENER = (
    20  # times that a word occurs for each time of the next likely one: “flat”, and no “fiat”
)


def divides_word(left: str, right: str, language: str) -> bool:
    """Whether a hyphen at a line end divides a word, and is not of a compound."""
    known = _load_words(language) if language in _OPEN_COMPOUNDS else {}
    return left not in known or right not in known or left + right in known


def restore_ligatures(text: str) -> str:
    """Put codes of ligatures for signs within words that make one known word, sign for sign."""
    if not _LIGATED.search(text):
        return text
    language = detect_language(text)
    known = _load_words(language) if language in _SPELT else {}

    def restore(match: re.Match[str]) -> str:
        pieces = re.split(_NO_LETTER, match[0])
        if len(pieces) > _MOST + 1:
            return match[0]
        rated = list[tuple[int, str]]()
        for codes in product(LIGATURES, repeat=len(pieces) - 1):
            signs = [*map(chr, codes), ""]
            spelt = "".join(piece + sign for piece, sign in zip(pieces, signs, strict=True))
            word = spelt.translate(LIGATURES).lower()
            rated.append((known.get(word, 0) if len(word) >= _FEWEST else 0, spelt))
        (next_best, _), (best, spelt) = sorted(rated)[-2:]
        return spelt if best > _OFTENER * next_best else match[0]

    return _LIGATED.sub(restore, text)


@cache
def _load_words(language: str) -> dict[str, int]:
    """Return how often words occur in the subtitles of films in a language."""
    packed = pkgutil.get_data("spellchecker", f"resources/{language}.json.gz")
    words: dict[str, int] = json.loads(gzip.decompress(packed or b""))
    return words

"""Wording: the words, numbers and signs of a sentence in which it can differ from another one.

Only what never changes what is said is levelled: case, white space, punctuation, the article, the
auxiliary "do", contractions, the plural and third-person "s", and how a number is set. Everything
else counts, be it as small as "no", "may" or "<".
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from caveat.quantities.numerals import PERCENT, find_numerals

NOT = "not"  # what every contraction of it is written as


def build_word_set(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


OWN = build_word_set(
    "it this that these those they he she its their his her such here one we our us my i you your"
)
"""Words that mean another thing in each text, where a sentence begins with them."""


class Token(NamedTuple):
    """One normalised word, number or sign, with its place in the text."""

    text: str
    start: int
    end: int
    is_number: bool = False  # whether it is a numeral


def is_same_statement(one: str, other: str) -> bool:
    # They are only if every word, number, negation, comparative and antonym of the one stands in
    # the other too, in the same order: anything else is another statement.
    return normalise_wording(one) == normalise_wording(other)


def normalise_typography(text: str) -> str:
    """Normalise only typography, for verbatim comparison."""
    # Case, white space and punctuation go, nothing else: numbers keep their points and signs.
    return " ".join(_SET.sub(" ", text.casefold().replace("’", "'")).split())


_SET = re.compile(
    r"(?<!\d)[.,:;](?!\d)|(?<=\d)[.,:;](?!\d)|[!\"“”„‘«»…()\[\]*_`]|['-](?!\w)|(?<!\w)'|[–—](?!\d)|(?<=\d)[–—](?!\d)"
)
"""Marks that set a sentence and say nothing of their own."""


@lru_cache(maxsize=1 << 12)  # the sentences of a run: each is compared with all the others
def normalise_wording(text: str) -> tuple[str, ...]:
    """Normalise a sentence; equal results say the same."""
    return tuple(token.text for token in tokenise(text) if token.text not in _EMPTY)


_EMPTY = frozenset({"the", "a", "an", "do", "does"})
"""Words that carry nothing of their own; "did" and "is" tell a time and an attribute."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[-−‐‑–](?=\.?\d)|[^\w\s]")
_SIGNIFICANT = frozenset("%‰?/&#@*′″")
"""Punctuation that says something; so do all symbols: signs, relations, currencies, degrees."""


def tokenise(text: str) -> list[Token]:
    """Split a text into normalised words, numbers and significant signs, in order."""
    # Offsets are in the text as it is given. Articles are still there: they tell a noun from a
    # verb.
    tokens: list[Token] = []
    position, behind_number, is_first = 0, False, True
    digits = (each for each in find_numerals(text) if not each.is_spelt)
    for numeral in (*digits, None):
        end = numeral.start if numeral else len(text)
        for match in _WORD.finditer(text, position, end):
            for part in _read(match, behind_number=behind_number, is_first=is_first):
                tokens.append(Token(part, match.start(), match.end()))
                behind_number = is_first = False
        if numeral is not None:
            tokens.append(Token(numeral.key, numeral.start, numeral.end, is_number=True))
            position, is_first = numeral.end, False
            behind_number = numeral.unit != PERCENT
    return tokens


def _read(match: re.Match[str], *, behind_number: bool, is_first: bool) -> tuple[str, ...]:
    """Normalise a word or a sign; nothing for insignificant ones."""
    written = match[0]
    if not written.isascii():
        written = unicodedata.normalize("NFC", written.replace("’", "'"))
    if written[0].isalnum():
        return normalise_word(written, behind_number=behind_number, is_first=is_first)
    if unicodedata.category(written[0])[0] == "S" or written[0] in _SIGNIFICANT:
        return (written,)
    is_dash = len(match[0]) == 1 and unicodedata.category(written[0]) == "Pd"
    behind = match.string[match.end() : match.end() + 2].lstrip(".")
    return ("-",) if is_dash and behind[:1].isdigit() else ()  # "s-1" is not "s1"


@lru_cache(maxsize=1 << 14)  # the words of a language that recur: half of the time of a reading
def normalise_word(written: str, *, behind_number: bool, is_first: bool) -> tuple[str, ...]:
    """Normalise one written word, which may stand for two."""
    # Units (mW, MW) and single letters (vitamin A) keep their case.
    is_unit = behind_number and len(written) <= 3
    is_letter = len(written) == 1 and written.isupper() and not is_first
    cased = written if is_unit or is_letter else written.casefold()
    return tuple(_strip_plural(part) for part in _expand_contraction(cased))


_CONTRACTED = {
    "cannot": ("can", NOT), "can't": ("can", NOT), "won't": ("will", NOT), "shan't": ("shall", NOT),
    "ain't": (NOT,), "it's": ("it", "is"), "that's": ("that", "is"), "there's": ("there", "is"),
}  # fmt: skip
_ENDINGS = {"'ll": "will", "'re": "are", "'ve": "have", "'m": "am"}


def _expand_contraction(word: str) -> tuple[str, ...]:
    if word in _CONTRACTED:
        return _CONTRACTED[word]
    if word.endswith("n't"):
        return (word[:-3], NOT)
    for ending, meant in _ENDINGS.items():
        if word.endswith(ending):
            return (word.removesuffix(ending), meant)
    return (word.removesuffix("'s"),)


_KEPT = frozenset({"news", "does", "always", "sometimes", "perhaps"})


def _strip_plural(word: str) -> str:
    """Strip the "s" of a plural or a third person, but not of "is", "loss" or "virus"."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")):
        return word
    if word in _KEPT:
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]

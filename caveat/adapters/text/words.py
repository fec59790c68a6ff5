"""Words: how texts are cut into them, which carry no meaning, and what their stems are."""

import functools
import re
import threading
import unicodedata
from typing import NamedTuple

import snowballstemmer


def listing(*lines: str) -> tuple[str, ...]:
    """Cut word lists that are written one after another into words."""
    return tuple(" ".join(lines).split())


class Word(NamedTuple):
    """A word of a text: `text[start:start + len(text)]`, and its stem."""

    text: str
    start: int
    stem: str


WORD = re.compile(r"[^\W_]+")
"""Letters and digits, as SQLite's unicode61 tokenizer cuts, so that stems match its index."""


def words(text: str) -> list[Word]:
    """Cut a text into words, stop words included."""
    return [Word(match[0], match.start(), stem(match[0])) for match in WORD.finditer(text)]


_local = threading.local()


@functools.lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Reduce a word to its Porter stem, without case and accents, as the index does."""
    folded = word.lower()
    if not folded.isascii():
        decomposed = unicodedata.normalize("NFKD", folded)
        folded = "".join(char for char in decomposed if not unicodedata.combining(char))
    if not hasattr(_local, "porter"):  # a stemmer keeps its word in itself: one for each thread
        _local.porter = snowballstemmer.stemmer("porter")
    return str(_local.porter.stemWord(folded))


def is_content(word: str) -> bool:
    """Whether a word carries meaning of its own."""
    return word.lower() not in STOP_WORDS and (len(word) > 1 or word.isdigit())


def content(text: str) -> tuple[Word, ...]:
    """The words of a text that carry meaning, each stem once, in order."""
    first: dict[str, Word] = {}
    for word in words(text):
        if is_content(word.text):
            first.setdefault(word.stem, word)
    return tuple(first.values())


def content_stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(word.stem for word in content(text))


STOP_WORDS = frozenset(
    listing(
        "a about above after again against all almost also although always am among an and",
        "another any are around as at be became because become been before being below between",
        "both but by can cannot could did do does doing don done down during each either else",
        "ever every few for from further get gets give given gives go goes had has have having",
        "he hence her here hers him his how however i if in instead into is isn it its itself",
        "just let like made make makes many may maybe me might more most much must my near need",
        "needs neither never no nor not now of off often on once one only onto or other others",
        "otherwise our ours out over own per perhaps quite rather re really s said same say",
        "says see seem seems seen several shall she should since so some such t take takes than",
        "that the their theirs them themselves then there thereby therefore these they this",
        "those though through thus to together too toward towards under unless until up upon us",
        "use used uses using ve very via was way we well were what whatever when where whereas",
        "whether which while who whom whose why will with within without would yet you your",
        "yours yourself ll et al etc eg ie cf aren wasn weren couldn wouldn shouldn doesn didn",
        "hasn haven hadn ain mustn needn",
    )
)

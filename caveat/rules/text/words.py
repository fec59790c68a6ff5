"""Words: how texts of any language are cut, which words carry no meaning, what their stems are."""

import functools
import math
import re
import threading
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import chain, pairwise
from operator import attrgetter
from typing import NamedTuple

import snowballstemmer
import stop_words

from caveat.quantities.numerals import UNKNOWN, find_decimal_mark
from caveat.quantities.support import Excerpt
from caveat.rules.lines import CUT, RUN, build_word_list, cut_words, list_beyond_ascii


class Word(NamedTuple):
    """A word of a text: `text[start:start + len(text)]`, with its stem and index root.

    `root` lacks the endings of its language; English words keep theirs, since the index strips
    them.
    """

    text: str
    start: int
    stem: str
    root: str

    @property
    def end(self) -> int:
        """Character offset just behind it."""
        return self.start + len(self.text)


_SIGNS = r"+#<>=|&!*/~^:-"
_OPERATOR = re.compile(
    rf"[{_SIGNS}](?<![\w.{_SIGNS}].)(?:[{_SIGNS}]{{1,2}}|(?<=[<>]))(?![\w{_SIGNS}])"
)
"""An operator: <-, <<, ||. It has two signs or is an angle."""
_LETTERED = re.compile(rf"[A-Za-z](?=[+#])(?<![\w.{_SIGNS}].)(?:\+{{1,2}}|#)(?![\w{_SIGNS}])")
"""A name of a letter and signs: C++, F#."""

WORD = re.compile(r"[^\W_]+")  # letters and digits, as SQLite's unicode61 tokenizer cuts

_MARKS = re.compile(r"-{2,}|={2,}|\*{2,}|#{2,}|~{2,}|:{2,}|/{2,}")
"""Signs that only set a text: a rule, an underline, a heading."""


def split_words(text: str, language: str = "en") -> list[Word]:
    """Split a text into words, stop words included; runs without spaces into pairs."""
    words = [
        Word(match[0], match.start(), stem(match[0], language), root(match[0], language))
        for match in CUT.finditer(text)
    ]
    for match in _LETTER.finditer(text):
        at = bisect_left(words, match.start(), key=attrgetter("start"))
        words[at] = words[at]._replace(stem=match[0])
    if _holds_run(text):
        words = [part for each in words for part in _split_pairs(each)]
    signs = [_build_sign_word(match) for match in _find_signs(text)]
    if not signs:
        return words
    places = {each.start for each in signs}
    return sorted(
        [*signs, *(each for each in words if each.start not in places)], key=attrgetter("start")
    )


def find_stems(text: str, wanted: Collection[str], language: str) -> set[str]:
    """Return those of some stems that a text holds."""
    # Of passages by the hundred, what else a word may be and where it stands takes twice the time.
    if _holds_run(text) or any(map(is_letter, wanted)) or any(_find_signs(text)):
        return {word.stem for word in split_words(text, language)}.intersection(wanted)
    words = {*CUT.findall(text)}
    if language not in _STEMMERS:  # of English words the stem begins as they do
        starts = {each[:2] for each in wanted}
        words = {w for w in words if w[:2].lower() in starts or len(w) < 4 or not w.isascii()}
    return {stem(word, language) for word in words}.intersection(wanted)


_LETTER = re.compile(r"[A-HJ-Z](?<=[^\W_\d][ -].)(?![\w.'’])")
"""A single capital within a sentence is a name ("hepatitis B"): its stem is not that of "a"."""


_ONE_OF_RUN = re.compile(f"[{RUN}]")


def _is_run(text: str) -> bool:
    return _ONE_OF_RUN.match(text) is not None


def _holds_run(text: str) -> bool:
    return not text.isascii() and _ONE_OF_RUN.search(text) is not None


def _split_pairs(word: Word) -> Iterator[Word]:
    if not _is_run(word.text) or len(word.text) < 2:
        yield word
        return
    for place, (one, other) in enumerate(pairwise(word.text)):
        yield Word(one + other, word.start + place, one + other, one + other)


def _find_signs(text: str) -> Iterator[re.Match[str]]:
    has_tail = "+" in text or "#" in text  # sought in a tenth of the time of a pattern
    tokens = chain(_LETTERED.finditer(text) if has_tail else (), _OPERATOR.finditer(text))
    return (match for match in tokens if not _MARKS.fullmatch(match[0]))


def _build_sign_word(match: re.Match[str]) -> Word:
    """Spell a sign in letters, which the index takes as one word."""
    named = "".join(c if c.isalpha() else _name_sign(c) for c in match[0].lower())
    return Word(match[0], match.start(), stem(named), named)


@functools.cache
def _name_sign(sign: str) -> str:
    return "".join(filter(str.isalpha, unicodedata.name(sign, "").lower())) + "x"


def build_index_terms(text: str, language: str) -> str:
    """Further index terms of a passage: roots, pairs of characters, signs."""
    if _holds_run(text):  # next to runs a number is no word of its own
        return " ".join(word.root for word in split_words(text, language))
    has_endings = language in _STEMMERS  # else nothing but an accent makes another root
    words = cut_words(text) if has_endings or not text.isascii() else ()
    roots = ((word, root(word, language)) for word in words if has_endings or not word.isascii())
    changed = (one for word, one in roots if one != word.lower())
    return " ".join([*changed, *(_build_sign_word(match).root for match in _find_signs(text))])


_local = threading.local()

_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "es": "spanish", "fi": "finnish", "fr": "french", "hi": "hindi", "hu": "hungarian",
    "id": "indonesian", "it": "italian", "nl": "dutch", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
"""Languages that have a stemmer, and what it is called."""


@functools.lru_cache(maxsize=1 << 16)
def stem(word: str, language: str = "en") -> str:
    """Stem a word as the index does, without case and accents."""
    return str(_load_stemmer("porter").stemWord(root(word, language)))


@functools.lru_cache(maxsize=1 << 16)
def root(word: str, language: str = "en") -> str:
    """Strip case, accents and the endings of its language, but not English ones."""
    plain = word.lower()
    if language in _STEMMERS:
        plain = str(_load_stemmer(_STEMMERS[language]).stemWord(plain))
    if not plain.isascii() and not _is_run(plain):
        decomposed = unicodedata.normalize("NFKD", plain)
        plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    return plain


def _load_stemmer(name: str) -> "snowballstemmer.Stemmer":
    stemmer = _local.__dict__.get(name)
    if stemmer is None:  # a stemmer keeps its word in itself: one for each thread
        stemmer = _local.__dict__[name] = snowballstemmer.stemmer(name)
    return stemmer


def is_content(word: str, language: str = "en") -> bool:
    """Whether a word carries meaning."""
    plain = word.lower()
    if _is_run(plain):
        return plain not in _ASKED and not _PARTICLE.search(plain)
    return plain not in _load_stop_words(language) and (len(plain) > 1 or plain.isdigit())


def list_content_words(text: str, language: str = "en") -> tuple[Word, ...]:
    """The words that carry meaning, each stem once, in order."""
    first: dict[str, Word] = {}
    measures = {word.start for word in find_measures(text, language)}
    nouns = {noun.start() for noun in _NOUN.finditer(text)}
    for word in split_words(text, language):
        has_meaning = is_content(word.text, language) or is_letter(word.stem)
        if (has_meaning or word.start in nouns) and word.start not in measures:
            first.setdefault(word.stem, word)
    return tuple(first.values())


_NOUN = re.compile(r"(?:(?<=\b[Tt]he )|(?<=\b[Aa] )|(?<=\b[Aa]n ))[a-z]+(?=\??\Z)")
"""What a question asks of at its end, as of "the well", is a noun, also where it is a stop word."""

_MEASURE = re.compile(
    r"(?:(?<=\b[Hh]ow )|(?<=\b[Ww]ie ))[a-zäöüß]+(?= (?:is|are|was|were|ist|sind|war|waren) "
    r"(?:(?:the|an?|this|these|my|our|d(?:ie|er|as)|eine?)\b|[A-Z]))|\b[Ww]hy\b"
)


def find_measures(question: str, language: str) -> list[Word]:
    """Find the adjective of "how large is the moon", or "why": the type of an answer, no term."""
    return [
        Word(each[0], each.start(), stem(each[0], language), root(each[0], language))
        for each in _MEASURE.finditer(question)
    ]


def is_letter(stem: str) -> bool:
    """Whether a stem is a one-letter name, such as the B of "hepatitis B"."""
    return len(stem) == 1 and stem.isascii() and stem.isupper()


def list_content_stems(text: str, language: str = "en") -> frozenset[str]:
    return frozenset(word.stem for word in list_content_words(text, language))


@functools.lru_cache(maxsize=1 << 12)
def list_stems(text: str) -> frozenset[str]:
    return list_content_stems(text, detect_language(text))


_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
)
_ARABIC, _CYRILLIC = re.compile("[\u0600-\u06ff]"), re.compile("[\u0400-\u04ff]")

LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fa": "Persian",
    "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip
"""Languages that are told apart, in English."""

_LATIN = build_word_list("en de fr es it pt nl sv da no fi pl cs hu ro tr ca id")

_CLEAR = 5  # function words, and times those of any other language
_SAMPLE = 4_000  # characters to detect a language: some hundred function words
_SHORT = 1_000  # characters of which all are looked at


def detect_language(text: str) -> str:
    """Detect the language (ISO 639-1) by script and function words."""
    sample = text[:_SAMPLE]
    # Three pieces of it decide what is clear, in as little as a sixth of the time.
    middle = len(sample) // 2
    pieces = (sample[:200], sample[middle - 100 : middle + 100], sample[-200:])
    for tried in ("\n".join(pieces), sample) if len(sample) > _SHORT else (sample,):
        (first, most), *others = _rank_languages(tried)
        if most >= _CLEAR and all(most >= _CLEAR * count for _, count in others):
            break
    return first


def detect_sure_language(text: str, beside: str | None = None) -> str | None:
    """Detect the language; None if its function words are few or mixed.

    Args:
        beside: the language that another one must be told from: Danish looks like Swedish.
    """
    (first, most), *others = _rank_languages(text[:_SAMPLE])
    apart = (most >= (4 if name == beside else 2) * count for name, count in others)
    return first if most >= _ENOUGH and all(apart) else None


def detect_foreign_language(text: str) -> str | None:
    """Detect the language if it is surely not English."""
    language = detect_sure_language(text)
    return None if language == "en" else language


@functools.lru_cache(maxsize=1 << 7)  # of documents, some of megabytes
def _find_mark(document: str) -> str:
    return find_decimal_mark(document, detect_sure_language(document)) or UNKNOWN


def read_excerpt(text: str, document: str = "") -> Excerpt:
    """Decide how a text's numerals are read, by the decimal mark of its document."""
    return Excerpt(text, "", detect_language(text), _find_mark(document or text))


_ENOUGH = 1.5
"""Function words of a language, those that others have as well counted in part. Of 2,853 English
sentences of the documents here it is sure of 2,747, and of none wrongly; of 300 messages of
programs in each of eleven languages of 15 to 69%, and wrongly of 5 of 3,300."""


@functools.lru_cache(maxsize=1 << 10)
def _rank_languages(sample: str) -> list[tuple[str, float]]:
    """Candidate languages, likeliest first, with their scores."""
    foreign = list_beyond_ascii(sample)
    for language, script in _SCRIPTS if foreign else ():
        if len(script.findall(foreign)) > len(sample) / 10:
            return [(language, math.inf)]
    if len(_CYRILLIC.findall(foreign)) > len(sample) / 4:
        return _score_languages(sample, ("ru", "uk", "bg"))
    if len(_ARABIC.findall(foreign)) > len(sample) / 4:
        return _score_languages(sample, ("ar", "fa"))
    return _score_languages(sample, _LATIN)


_DOUBT = 0.75
"""Function words that a text without accents must have more of than English has: "point" is one of
French, and no text is French for it."""


_NAME = re.compile(
    r"(?<=[\w,]\s)[A-Z][^\W\d]+(?:['’]\w+)?|"
    r"[A-Z0-9](?:(?<=\d)\s?[^\W\d](?!\w)|(?<=\d)\d?\.?\s(?:de\s)?[^\W\d]{3,}(?=\.?\s(?:de\s)?\d{4})|"
    r"(?<=[B-H])(?<!\w.)(?!\w)|(?<=[A-Z])(?<!\w.)[^\W\d]{2,}(?=\s\d{4}))"
)
"""What begins with a capital within a sentence is a name, as "Let's Encrypt". A letter behind a
number is a unit, a capital alone names a plot or a side, and a month is a month: b, c, h and mai
are function words of Romanian."""


def _score_languages(text: str, languages: tuple[str, ...]) -> list[tuple[str, float]]:
    """Score languages by their function words; shared ones count in part."""
    counted = dict.fromkeys(languages, 0.0)
    if text.isascii() and "en" in counted:
        counted["en"] = _DOUBT
    known = _map_stop_words(languages)
    words = filter(known.__contains__, cut_words(_NAME.sub("0 ", text).lower()))
    for word, count in Counter(words).items():
        share = count / len(known[word])
        for language in known[word]:
            counted[language] += share
    counts = [(language, counted[language]) for language in languages]
    return sorted(counts, key=lambda each: -each[1])


@functools.cache
def _map_stop_words(languages: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {}
    for language in languages:
        known |= {word: (*known.get(word, ()), language) for word in _load_stop_words(language)}
    return known


@functools.cache
def _load_stop_words(language: str) -> frozenset[str]:
    """Function words; English has its own list, since the library's holds words people ask for."""
    if language == "en":
        return STOP_WORDS
    if language not in stop_words.LANGUAGE_MAPPING:
        return frozenset()
    return frozenset(stop_words.get_stop_words(language)) | frozenset(_QUESTIONS.get(language, ()))


_QUESTIONS = {
    "de": build_word_list("wem wen wessen wieviel viele lange beträgt kostet gibt"),
    "es": build_word_list("cuánto cuánta cuántos cuántas cuesta cuál cuáles dónde"),
    "fr": build_word_list("combien coûte est-ce"),
    "it": build_word_list("costa quali quando"),
    "pt": build_word_list("quanto quanta quantos quantas custa quais"),
    "ru": build_word_list("какое какие стоит"),
    "ar": build_word_list("كم ماذا متى أين كيف هل لماذا أي تبلغ يبلغ"),
}
"""Words that only ask, and that lists of function words lack."""

_PARTICLE = re.compile("[的了吗呢吧是在和与은는을를\u3040-\u309f]")
"""Characters that only join words, as every Hiragana may; a pair with one of them says nothing."""

_ASKED = frozenset(
    build_word_list(
        "多少 怎么 怎样 如何 什么 哪里 何时 几个",
        "얼마 마입 입니 니까 습니 하는 무엇 어디 언제 누가 합니 됩니",
    )
)


STOP_WORDS = frozenset(
    build_word_list(
        "a about above after again against all almost also although always am among an and",
        "another any are around as at be because become became been before being below between",
        "both but by can cannot could did do does doing don done down during each either else",
        "ever every few for from further get gets give given gives go goes had has have having",
        "he hence her here hers him his how however i if in instead into is isn it its itself",
        "just knew know known knows let like made make makes many may maybe me might more most",
        "much must my near need needs neither never no nor not now of off often on once one only",
        "onto or other others otherwise ought our ours out over own per perhaps please quite",
        "rather re really s said same say says see seem seems seen several shall she should since",
        "so some still such t take takes tell than that the their theirs them themselves then",
        "there thereby therefore these they this those though through thus to together too toward",
        "towards under unless until up upon us use used uses using ve very via was way we well",
        "were what whatever whats when where whereas whether which while who whom whose why will",
        "with within without won would yes yet you your yours yourself ll et al etc eg ie cf aren",
        "wasn weren couldn wouldn shouldn doesn didn hasn haven hadn ain mustn needn",
    )
)

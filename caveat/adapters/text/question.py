"""A question as it is looked for: its words, what may stand for them, and the form of an answer."""

import functools
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from importlib import resources
from types import MappingProxyType

from caveat.rules.text.words import Word, is_letter, list_content_words, stem

STAND_IN = 0.6  # what a synonym counts for the word that was asked for

UNKNOWN = 0.5
"""What a word weighs that no document holds, of the mean of the others: by rarity alone it would
weigh most, and the writer's word for a thing would decide."""

_LEAST = 0.3
"""Weight that no word falls below: in a collection about one subject its name is everywhere, and is
still what the question is about."""


FRAMING = 0.5
"""What a word counts that only frames a question: "come" is rare in a manual, and tells nothing."""


@dataclass(frozen=True)
class Term:
    """One word of a question."""

    stem: str
    weight: float  # how much it tells, from its rarity in the corpus
    forms: Mapping[str, float]  # stems that stand for it, itself among them, and what each counts


@dataclass(frozen=True)
class Question:
    """What is looked for."""

    terms: tuple[Term, ...]  # its words that carry meaning, in order
    # patterns that fitting answers have: a price, a span of time, a day
    answers: tuple[re.Pattern[str], ...]
    language: str = "en"  # in which it is asked; what it is compared with is read as of the same
    whole: float = field(init=False)

    def __post_init__(self) -> None:
        """Add the weights up; a question without words weighs 1, so that shares of it are 0."""
        object.__setattr__(self, "whole", sum(term.weight for term in self.terms) or 1.0)


def list_wanted_stems(text: str, language: str = "en") -> tuple[str, ...]:
    """Name every stem whose frequency `parse_question` wants to know."""
    stems = [word.stem for word in list_content_words(text, language)]
    return tuple(
        dict.fromkeys([*stems, *(other for each in stems for other in _find_related_stems(each))])
    )


def find_unmet_stems(text: str, frequencies: Mapping[str, int], language: str) -> tuple[str, ...]:
    """Name the stems of a question that no document holds in any of their forms."""
    return tuple(
        word.stem
        for word in list_content_words(text, language)
        if not is_letter(word.stem)
        and not any(frequencies.get(each) for each in (word.stem, *_find_related_stems(word.stem)))
    )


def parse_question(
    text: str,
    frequencies: Mapping[str, int],
    passages: int,
    language: str = "en",
    nearest: Mapping[str, str] = MappingProxyType({}),
) -> Question:
    """Read a question.

    Args:
        frequencies: passages of the corpus that hold each of its `list_wanted_stems`.
        nearest: stems of the corpus that are spelt much like those which it lacks.
    """
    found = list_content_words(text, language)
    own = {word.stem for word in found}
    counted = {
        each: frequencies.get(each, 0)
        or max((frequencies.get(other, 0) for other in _find_related_stems(each)), default=0)
        or int(each in nearest)
        for each in own
    }
    rarity = {
        each: max(_LEAST, math.log(1 + (passages - count + 0.5) / (count + 0.5)))
        for each, count in ((each, min(count, passages)) for each, count in counted.items())
        if count
    }
    mean = sum(rarity.values()) / len(rarity) if rarity else 1.0
    terms = tuple(
        Term(
            stem=word.stem,
            weight=mean
            if is_letter(word.stem)
            else rarity.get(word.stem, UNKNOWN * mean) * _weigh_word(word),
            forms=_weigh_forms(word.stem, own) | _match_misspelling(word.stem, nearest),
        )
        for word in found
    )
    return Question(terms, find_answer_forms(text), language)


def _weigh_word(word: Word) -> float:
    """Say what a word counts for its kind; one with a capital letter is a name ("Skerry Point")."""
    return FRAMING if word.text.islower() and word.stem in _load_framing() else 1.0


_COUNTED = (
    r"(?:\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|"
    r"forty|fifty|sixty|ninety|hundred|thousand|million|billion|half|few|several))"
)

_WHEN = r"\A\W*(?:(?:since|until|by|from) )?when\b|\b(?:since|until) when\b"
"""Not "what does it get when ...": that asks for no day."""

_COINS = r"(?:dollars?|euros?|pounds?|cents?|ct|pence|p|francs?|yen|rupees?|kron(?:a|er|or))"
_CURRENCIES = r"(?:usd|eur|gbp|chf|jpy|cny|aud|cad|nzd|sek|nok|dkk|pln|czk|inr)"

_PRICE = (
    r"[$€£¥₹]\s?\d|\d\s?[$€£¥₹]|"
    rf"(?i:\d\s?{_CURRENCIES}\b|\b{_CURRENCIES}\s?\d|(?:\d\s?|{_COUNTED}[\s-]+){_COINS}\b)|"
    r"(?i:\bfree\b|\bgratis\b|\bno (?:charge|costs?|fees?)\b|\bwithout charge\b)"
)
_PRECISE: tuple[tuple[str, str], ...] = (
    (r"\bcosts?\b|\bprices?\b|\bhow (?:expensive|much money)\b|\bfees?\b", _PRICE),
    (
        _WHEN + r"|\b(?:what|which) (?:year|date|day|month)\b",
        (
            r"\b(?:1[5-9]|20)\d\d\b|(?i:\b(?:january|february|march|april|june|july|august|"
            r"september|october|november|december)\b)"
        ),
    ),
)
"""Kinds of questions that a number alone does not answer: at what price, when."""

_DEGREES = (
    r"(?:many|much|big|large|small|wide|high|tall|hot|cold|long|old|far|fast|often|soon|deep|heavy|"
    r"strong|thick|loud|expensive|acidic)\b"
)

_NUMBER = (
    (
        rf"\bhow (?:\w+ )?{_DEGREES}|"
        r"\bhow \w+ (?:may|can|must|should)\b|\bsizes?\b|\btemperature|"
        r"\b(?:what|which) (?:age|number|level|year|date|version|port|value|rate|percentage)"
        r"\b|\bprice|\bcosts?\b|\bvalue of\b|\bconstant\b"
    ),
    (
        r"(?<!\w)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|"
        r"fifty|hundred|thousand|million|billion|half|quarter|once|twice|dozen|daily|weekly|"
        r"monthly|yearly|annually)\b|(?i:\b(?:none|zero|unlimited|no limit)\b)"
    ),
)

_ABROAD = (
    (
        r"多少|几[个天年月次]|いくら|何[人日時冊年円]|얼마|몇|\bcuánt|\bcombien\b|\bquant[oai]\b|"
        r"\bwie ?(?:viele?|hoch|lange|weit)\b|\bсколько\b|\bكم\b"
    ),
    r"\d|[一二三四五六七八九十百千万两半]",
)
"""Who asks how much in another language is answered by a number."""


def _read(kinds: Iterable[tuple[str, str]]) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    return tuple((re.compile(asked, re.IGNORECASE), re.compile(said)) for asked, said in kinds)


_FORMS = tuple(map(_read, (_PRECISE, [_NUMBER], [_ABROAD])))
"""Of answers; a question has those of the first of these kinds that it is of."""


def find_answer_forms(text: str) -> tuple[re.Pattern[str], ...]:
    """Tell from its wording what a sentence has that answers a question; nothing for many."""
    return next((found for kinds in _FORMS if (found := _select_forms(text, kinds))), ())


def score_forms(answers: Sequence[re.Pattern[str]], *told: str) -> float:
    """How many of the forms of an answer some texts have, 0 to 1."""
    found = [any(map(each.search, told)) for each in answers]
    return sum(found) / len(found) if found else 0.0


def _select_forms(
    text: str, kinds: Iterable[tuple[re.Pattern[str], re.Pattern[str]]]
) -> tuple[re.Pattern[str], ...]:
    return tuple(said for asked, said in kinds if asked.search(text))


MISSPELT = 0.8
"""What a word counts that is spelt much like the one that was asked for and that nobody holds."""


def _match_misspelling(word: str, nearest: Mapping[str, str]) -> dict[str, float]:
    return {nearest[word]: MISSPELT} if word in nearest else {}


def _weigh_forms(word: str, asked: Set[str]) -> dict[str, float]:
    """Say what each stem counts for a word, but those that are asked for themselves."""
    # Sorted: whoever adds their weights up gets the same sum in every process.
    related = sorted(_find_related_stems(word).items())
    return {each: worth for each, worth in related if each not in asked} | {word: 1.0}


def _find_related_stems(word: str) -> Mapping[str, float]:
    """Name the stems that may stand for a stem, without itself, with what they count."""
    return _load_groups().get(word, MappingProxyType({}))


@functools.cache
def _load_framing() -> frozenset[str]:
    """Name the stems of words that only frame a question ("big", "thing", "come"), by hand."""
    return frozenset(each for line in _read_stem_lines("framing.txt") for each in line)


@functools.cache
def _load_groups() -> Mapping[str, Mapping[str, float]]:
    """Read the list, made by hand: the stems of a line stand for each other."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for stems in _read_stem_lines("synonyms.txt"):
        for each in stems:
            found[each].update(dict.fromkeys(sorted(stems - {each}), STAND_IN))
    return MappingProxyType(found)


def _read_stem_lines(name: str) -> Iterator[set[str]]:
    """Read the stems of each line, without what stands behind a number sign."""
    lines = resources.files(__package__).joinpath(name).read_text("utf-8").splitlines()
    return ({stem(word) for word in line.partition("#")[0].split()} for line in lines)

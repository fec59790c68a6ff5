"""Scopes: what confines a value that answers a question, and which two have one scope.

Two answers in other words look alike where one is of another year, version, part, place, condition
or kind: "the draft sets aside 17%", "after the amendments, 21%". Both sentences are read whole,
with the title where a sentence leaves it to the title of what it speaks, and whatever confines one
of them and not the other keeps them apart: to miss a contradiction costs less than to ask in vain.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from caveat.adapters.extractive.asked import Asked, Levels, Sort, levels, nouns_of
from caveat.adapters.extractive.clauses import TOKEN, clause, level_of
from caveat.adapters.extractive.fitting import LABELLED
from caveat.adapters.extractive.narrowing import NARROWING
from caveat.adapters.extractive.times import years_named
from caveat.adapters.text.words import STOP_WORDS, listing
from caveat.quantities.reading import Quantity


@dataclass(frozen=True)
class Scope:
    """What confines an answer.

    Attributes:
        question: that it answers.
        words: of its sentence.
        above: of its title and heading.
        kinds: words such as "draft", "adult" or "first" beside the value and in the heading.
        labels: numbers that tell a thing from others of its name.
        before: words right before the subject: "the slow train".
        adjuncts: the first words of adjuncts of place and circumstance, and of remarks.
        conditions: numbers that say under what it is so: "at 900 °C".
        turns: "after", "once", "without" and their like.
        names: words with a capital, in its sentence or above it.
        symbol: the letter that stands for the value.
        symbols: all letters of its sentence that may stand for something.
        says_noun: whether it has the noun that is asked for.
        is_apart: whether it points at something else, "for these", or stands under a title that
            confines the subject.
        title: with the heading, as they are written.
    """

    question: Asked
    words: Levels
    above: Levels
    kinds: frozenset[str]
    labels: frozenset[str]
    before: Levels
    adjuncts: Levels
    conditions: frozenset[str]
    turns: frozenset[str]
    names: Levels
    symbol: str
    symbols: frozenset[str]
    says_noun: bool
    is_apart: bool
    title: str

    def is_of(self, other: "Scope") -> bool:
        """Whether two answers to one question are of one scope, as far as they say."""
        if self.question != other.question or (self.is_apart and self.title != other.title):
            return False
        if other.is_apart and self.title != other.title:
            return False
        return (
            self.kinds == other.kinds
            and self.before == other.before
            and self.turns == other.turns
            and self.conditions == other.conditions
            and not self._is_labelled_apart(other)
            and not _is_elsewhere(self, other)
            and not _is_elsewhere(other, self)
            and self._is_one_noun(other)
            and (self.question.has_names or not self._is_named_apart(other))
        )

    def _is_labelled_apart(self, other: "Scope") -> bool:
        return bool(self.labels and other.labels) and self.labels.isdisjoint(other.labels)

    def _is_one_noun(self, other: "Scope") -> bool:
        """Whether both have the noun, or one has it beside the symbol that the other uses."""
        if self.question.sort is not Sort.ANY or (self.says_noun and other.says_noun):
            return True
        one, another = (self, other) if self.says_noun else (other, self)
        return one.says_noun and bool(another.symbol) and another.symbol in one.symbols

    def _is_named_apart(self, other: "Scope") -> bool:
        """Whether each speaks of somebody whom the other does not name."""
        mine = self.names - other.words - other.above
        return bool(mine) and bool(other.names - self.words - self.above)


def _is_elsewhere(one: Scope, other: Scope) -> bool:
    """Whether an adjunct of one names what the other has nowhere."""
    known = other.words | other.above | one.question.words
    return any(not _has(each, known) for each in one.adjuncts)


def scope(
    sentence: str, value: Quantity, question: Asked, title: str, heading: str
) -> Scope | None:
    """Tell what confines an answer.

    Args:
        sentence: that states it.
        value: in the sentence.
        question: that it answers.
        title: of its source.
        heading: right above it, empty where that is the title.

    Returns:
        None where the sentence leaves it to its title what it speaks of, and may speak of
        something else.
    """
    words, above = levels(sentence), levels(f"{title} {heading}")
    unsaid = [each for each in question.subject if not _has(each, words)]
    if unsaid and not _speaks_of_the_title(sentence, value, question):
        return None
    around = clause(sentence, value.start, value.end)
    part = _Part(sentence, around.start, around.end, value, question)
    raw = {each.lower() for each in TOKEN.findall(f"{part.besides} {heading}")}
    symbol = _SYMBOL.search(sentence[: value.start])
    where = f"{title}: {heading}" if heading else title
    return Scope(
        question=question,
        words=words,
        above=above,
        kinds=frozenset(raw & NARROWING) - {each.lower() for each in TOKEN.findall(question.text)},
        labels=frozenset(_labels(f"{sentence} {title} {heading}")) - _numbers(question.text),
        before=frozenset(_before(sentence, question)),
        adjuncts=frozenset((*part.adjuncts(), *part.remarks())),
        conditions=frozenset(part.conditions()),
        turns=frozenset(part.turns()) if question.sort is not Sort.DATE else frozenset(),
        names=_capitals(sentence) | _capitals(title) | _capitals(heading),
        symbol=symbol[1] if symbol else "",
        symbols=frozenset(_LETTER.findall(sentence)),
        says_noun=all(_has(each, words | above) for each in question.named),
        is_apart=part.points() or (bool(unsaid) and _confines(where, question)),
        title=where,
    )


def is_named(sentence: str, above: str, question: Asked) -> bool:
    """Whether a sentence, or what stands above it, names the subject of a question."""
    words = levels(sentence) | levels(above)
    return all(_has(each, words) for each in question.subject)


_PRONOUNS = re.compile(r"\b(?:it|its|they|their|he|his|she|her|there|we|you|I)\b", re.IGNORECASE)


def _speaks_of_the_title(sentence: str, value: Quantity, question: Asked) -> bool:
    """Whether a sentence that does not name the subject has a pronoun or a word of the question."""
    around = clause(sentence, value.start, value.end)
    beside = sentence[around.start : around.end]
    told = levels(beside)
    nouns = {noun for each in question.dimensions for noun in nouns_of(each)}
    is_told = not told.isdisjoint(question.words | question.event | nouns)
    return is_told or _PRONOUNS.search(beside) is not None


def _has(word: str, words: Levels) -> bool:
    """Whether a word stands among some, be it with another ending: "Moravian" and "Moravia"."""
    if word in words:
        return True
    return len(word) > _STEM and any(
        len(each) > _STEM and (each.startswith(word[:-1]) or word.startswith(each[:-1]))
        for each in words
    )


_STEM = 4
"""Letters up to which an ending is as much of a word as its stem."""

_DETERMINERS = frozenset(listing("the a an its his her their our my your each every"))


def _before(sentence: str, question: Asked) -> Iterator[str]:
    """The words right before the subject that tell it from others: "the slow train"."""
    tokens = list(TOKEN.finditer(sentence))
    for place, (one, other) in enumerate(pairwise(tokens)):
        level = level_of(one[0])
        if level_of(other[0]) not in question.subject or level in question.words or not level:
            continue
        opens = place == 0 or tokens[place - 1][0].lower() in _DETERMINERS
        is_beside = sentence[one.end() : other.start()] in {" ", "-"}
        is_word = one[0].lower() not in STOP_WORDS and not one[0].endswith("ing")
        if opens and is_beside and is_word and level[0] != "~":
            yield level


def _labels(text: str) -> Iterator[str]:
    yield from (match[1] for match in LABELLED.finditer(text) if not years_named(match[1]))


def _numbers(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\d[\w.]*", text))


def _capitals(text: str) -> Levels:
    """Words with a capital that open no sentence."""
    return frozenset(level_of(each) for each in re.findall(r"(?<=[\w,] )[A-Z]\w+", text)) - {""}


_PREPOSITIONS = frozenset(
    listing(
        "in on at with without of for from under over above below after before since until during",
        "within outside inside between per to",
    )
)
_KIND_OF_TEXT = levels(
    "sheet handbook manual guide catalogue brochure specification specifications minutes report"
    " history tour introduction commentary constitution notes note leaflet page pages facts figures"
    " data rules overview review reviewed test diary letter letters list index news update bulletin"
    " faq questions answers summary description documentation details technical pilot book"
    " encyclopedia newsletter pricing prices accounts statistics profile background status owner"
    " card excerpt brief primer glance installation installing safety reference memoir article wiki"
    " website readme policy terms contract agreement programme"
)
"""Words of titles that say what kind of text it is, and not of what."""


def _confines(title: str, question: Asked) -> bool:
    """Tell whether a title speaks of a part or a kind of the subject: "Orm viaduct, main span"."""
    tokens = list(TOKEN.finditer(title))
    at = [place for place, each in enumerate(tokens) if level_of(each[0]) in question.subject]
    if not at:
        return False
    # Where a text itself is asked about, "summary" says which one is meant.
    texts = frozenset[str]() if question.words & _KIND_OF_TEXT else _KIND_OF_TEXT
    known = question.words | texts | {""}
    first, last = at[0], at[-1]
    if first and title[tokens[first - 1].end() : tokens[first].start()] in {" ", "-"}:
        word = tokens[first - 1][0]
        if level_of(word) not in known and word.lower() not in STOP_WORDS:
            return True  # "the Gallows Oak"
    behind = [each[0] for each in tokens[last + 1 :]]
    more = [word for word in behind if level_of(word) not in known]
    return bool(more) and _is_narrower(title[tokens[last].end() :], behind[0], more)


def _is_narrower(rest: str, opening: str, more: list[str]) -> bool:
    """Tell it by what stands behind the subject: a preposition, "the", a number, a name, a kind."""
    is_for_readers = opening.lower() == "for" and rest[0] in ":,"
    if opening.lower() in _PREPOSITIONS and not is_for_readers:
        return True
    if re.match(r"\W+\s?the\b", rest, re.IGNORECASE):
        return True
    if any(word.lower() in NARROWING or word[0].isdigit() for word in more):
        return True
    return any(word[0].isupper() for word in more[1:])


_POINTS = re.compile(
    r"\b(?:this|these|those)\s(?P<noun>\w+)|\bthat\s(?:country|age|year|time|part|case|place|town"
    r"|city|season|month|day|end|side|date|model|version|kind|sort|one|moment|stage|occasion)\b"
    r"|(?:\A|[,;]\s)(?:here|there),?\s(?!(?:is|are|was|were|has|have)\b)"
    r"|\b(?:for|of|on|in|with)\sthese\b(?=[,.\s])",
    re.IGNORECASE,
)
_COUNTED_IN = re.compile(
    r"\b(?:not (?:counting|counted|including|included)|excluding|excluded|including|included"
    r"|inclusive|exclusive|alone)\b",
    re.IGNORECASE,
)
"""What says that something is part of the value or is not."""
_TURNS = re.compile(
    r"\b(?:if|unless|when|whenever|once|(?<!not )until|till|while|before|after|since|during|except"
    r"|without|above|below|outside|inside|within|beyond|as of)\b",
    re.IGNORECASE,
)
_STOP = re.compile(r"[,;:.]\s")
"""Where the clause ends that a turn behind the value opens: "2,700 kg while loaded"."""
_ADJUNCT = re.compile(
    r"\b(?:in|at|outside|inside|within|under|among|during|throughout|across|near|without|beyond"
    r"|for|on)\s(?P<all>(?:(?:the|a|an|its|our|their|all|any|most|some|this)\s)?)"
    r"(?P<word>[\w'’-]+)(?:\s[\w'’-]+)?",
    re.IGNORECASE,
)
_REMARK = re.compile(r"\((?P<word>[a-z][\w-]+)[^()]*\)")
_NEUTRAL = frozenset(
    listing(
        "same extent total use practice general fact spring summer autumn winter early late mid",
    )
)
"""Behind a preposition what confines nothing, or says the date once more."""
_SEASON = re.compile(
    r"\b(?:spring|summer|autumn|winter|early|late)(?:\s(?:of|in))?\s\Z", re.IGNORECASE
)
_CONDITION = re.compile(
    r"\b(?:at|above|below|under|over|with|of|for|in)\s(?:about\s)?"
    r"(?P<number>[-−]?\d[\d.,]*)(?!\d?:)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d[,.]?")


@dataclass(frozen=True)
class _Part:
    """The clause of a value, and what stands before it in its sentence."""

    sentence: str
    start: int
    end: int
    value: Quantity
    question: Asked

    @property
    def text(self) -> str:
        return self.sentence[self.start : self.end]

    @property
    def besides(self) -> str:
        """The clause without the value, and without "the spring of" right before a year."""
        before = _SEASON.sub("", self.sentence[self.start : self.value.start])
        return f"{before} {self.sentence[self.value.end : self.end]}"

    def points(self) -> bool:
        """Whether it points at what another sentence speaks of: "for these", "in that country"."""
        match = _POINTS.search(self.text)
        return match is not None and level_of(match["noun"] or "") not in self.question.words

    def turns(self) -> Iterator[str]:
        """Yield "after", "once" and their like, those of the value and the question left out."""
        asked = self.question.text.lower()
        yield from (match[0].lower() for match in _COUNTED_IN.finditer(self.sentence))
        end = _STOP.search(self.sentence, self.end)
        whole = self.sentence[self.start : end.start() if end else len(self.sentence)]
        for match in _TURNS.finditer(whole):
            turn = match[0].lower()
            if not self._is_of_value(match.start(), match.end()) and turn not in asked:
                yield turn

    def adjuncts(self) -> Iterator[str]:
        """Yield the first words of what says where or under what it is so."""
        for match in _ADJUNCT.finditer(self.text):
            word = match["word"].lower()
            is_open = match["all"].strip().lower() in {"all", "any"} or word in _NEUTRAL
            is_number = any(map(str.isdigit, word))
            if is_open or is_number or self._is_of_value(match.start(), match.end("word")):
                continue
            if level_of(word):
                yield level_of(word)

    def remarks(self) -> Iterator[str]:
        """Yield the first words of remarks in brackets, "(red)", but for those around the value."""
        for match in _REMARK.finditer(self.sentence):
            if level_of(match["word"]) and not match.start() < self.value.start < match.end():
                yield level_of(match["word"])

    def conditions(self) -> Iterator[str]:
        """Yield the numbers that say under what it is so."""
        for match in _CONDITION.finditer(self.text):
            number = match["number"].rstrip(".,")
            if not self._is_of_value(match.start(), match.end()) and not _YEAR.fullmatch(number):
                yield number

    def _is_of_value(self, start: int, end: int) -> bool:
        return self.start + start < self.value.end and self.value.start < self.start + end


_SYMBOL = re.compile(
    r"(?<!\w)([A-Zα-ωΔ]|[a-z](?=\s?=)|Δ[A-Z]|E[a-z]|R0)"
    r"(?:\s?=\s?|\s(?:is|was|of\s\w+\sis)\s(?:\w+\s){0,3})\Z"
)
"""A letter right before the value that stands for it."""
_LETTER = re.compile(r"(?<!\w)([A-Za-zα-ωΔ]|Δ[A-Z]|E[a-z]|R0)(?!\w)")

"""Fitting: which quantity of a sentence is of the sort that a question asks for."""

import re
from collections.abc import Iterator

from caveat.adapters.extractive.asked import (
    LENGTH,
    SHARE,
    TIME,
    Asked,
    Levels,
    Sort,
    counted,
    dimension_of,
    levels,
    nouns_of,
)
from caveat.adapters.extractive.clauses import clause
from caveat.adapters.extractive.times import years_named
from caveat.quantities.numerals import numerals
from caveat.quantities.reading import Quantity, is_former, values
from caveat.quantities.units import Kind
from caveat.rules.text import is_disowned

LABELLED = re.compile(
    r"\b(?:[Vv]ersion|[Rr]elease|[Pp]hase|[Pp]art|[Ss]tage|[Rr]ound|[Cc]lass|[Tt]ype|[Gg]rade"
    r"|[Mm]odel|[A-Z][\w’'-]*)\s(\d[\w.]*\w|\d|I{1,3}|IV|V)\b"
)
"""A number that tells one thing from another of its name: "version 2.0", "Harald II"."""


def fitting(sentence: str, above: Levels, question: Asked) -> Quantity | None:
    """Find the one value of a sentence that may answer a question.

    Args:
        sentence: of a source.
        above: words of its title and heading.
        question: what is asked.

    Returns:
        None where there is none, where there are several, or where the words beside the only one
        say that it is something else.
    """
    found = [each for each in _candidates(sentence, question) if not _is_label(sentence, each)]
    found = [each for each in found if not is_former(sentence, each.start, each.end)]
    if len(found) > 1 and question.sort is Sort.ANY:  # "at 589 nm n is 1.56"
        found = [each for each in found if each.kind is Kind.NUMBER]
    if len(found) != 1:
        return None
    (value,) = found
    is_owned = value.kind is Kind.DATE or not is_disowned(sentence, value.start, value.end)
    return value if is_owned and _is_told(sentence, above, value, question) else None


def _candidates(sentence: str, question: Asked) -> list[Quantity]:
    found = [each for each in values(sentence) if _is_of_the_sort(each, question)]
    return found or list(_in_words(sentence, question))


def _is_of_the_sort(quantity: Quantity, question: Asked) -> bool:
    if question.sort is Sort.DATE:
        return quantity.kind is Kind.DATE
    if question.sort is Sort.COUNT:
        return quantity.kind is Kind.COUNT and counted(quantity.unit) in question.named
    if question.sort is Sort.AMOUNT:
        return dimension_of(quantity) in question.dimensions
    return quantity.kind in {Kind.NUMBER, Kind.MEASURE, Kind.PERCENT}


def _is_label(sentence: str, quantity: Quantity) -> bool:
    labels = {match.start(1) for match in LABELLED.finditer(sentence)}
    return quantity.kind is Kind.NUMBER and quantity.start in labels


_FRACTION = re.compile(
    r"\b(?P<about>(?:about|some|nearly|almost|roughly)\s)?"
    r"(?:(?P<many>a|one|two|three|four)[\s-])?(?P<part>half|thirds?|quarters?|fifths?|tenths?)\b"
    r"(?=\sof\b)",
    re.IGNORECASE,
)
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_MANY = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_ABOUT, _EXACT = 0.1, 0.02
"""Share by which a fraction in words may be off, with "about" and without."""
_AGE = re.compile(r"\b(?:age of|aged)\s\S+", re.IGNORECASE)
_SINGLE = re.compile(r"\b(?:a single|only one|just one)\s(\w+)", re.IGNORECASE)
_UNKNOWN_UNIT = re.compile(r"\s(per\s\w+|[A-Za-zµ]\w*)")


def _in_words(sentence: str, question: Asked) -> Iterator[Quantity]:
    """Read what is no quantity by itself: "three quarters of", "aged 35", "a single referee"."""
    if question.dimensions == {SHARE}:
        yield from _fractions(sentence)
    if question.manner == "old":
        yield from _ages(sentence)
    if question.sort is Sort.COUNT:
        for match in _SINGLE.finditer(sentence):
            if counted(match[1].lower()) in question.named:
                yield Quantity(*match.span(), Kind.COUNT, 1.0, match[1], 1.0, 1.0)
    if question.sort is Sort.ANY:
        yield from _unknown(sentence)


def _ages(sentence: str) -> Iterator[Quantity]:
    for age in _AGE.finditer(sentence):
        for each in numerals(age[0]):
            start, end = age.start() + each.start, age.start() + each.end
            yield Quantity(start, end, Kind.DURATION, each.number, "yr", each.low, each.high)


def _fractions(sentence: str) -> Iterator[Quantity]:
    for match in _FRACTION.finditer(sentence):
        part = match["part"].lower().removesuffix("s")
        if not match["many"] and part != "half":
            continue
        share = 100.0 * _MANY[(match["many"] or "a").lower()] / _PARTS[part]
        room = share * (_ABOUT if match["about"] else _EXACT)
        yield Quantity(*match.span(), Kind.PERCENT, share, "%", share - room, share + room)


def _unknown(sentence: str) -> Iterator[Quantity]:
    """Read numbers with units that no table has, "150 millidarcy", and those in brackets."""
    for each in numerals(sentence):
        if each.spelt or years_named(sentence[each.start : each.end]):
            continue
        unit = _UNKNOWN_UNIT.match(sentence, each.end)
        if unit is not None:
            symbol = " ".join(unit[1].lower().split())
            span = each.start, unit.end()
            yield Quantity(*span, Kind.MEASURE, each.number, symbol, each.low, each.high)
        elif sentence[each.end : each.end + 1] == ")":
            span = each.start, each.end
            yield Quantity(*span, Kind.NUMBER, each.number, "", each.low, each.high)


_SUPPOSED = re.compile(
    r"\b(?:would|could|might|if|unless|expected|forecast|planned|proposed|suppose|used to|formerly"
    r"|originally|previously|earlier|target)\b",
    re.IGNORECASE,
)
_OFTEN = re.compile(r"\b(?:every|each|interval|between|once|twice|per)\b", re.IGNORECASE)
_LENGTHS = tuple(
    levels(words)
    for words in ("long length", "high height", "deep depth", "wide across diameter", "thick")
)
"""Words for one direction in which a length is measured."""
_COST = levels("price cost fee fare budget")


def _is_told(sentence: str, above: Levels, value: Quantity, question: Asked) -> bool:
    """Tell whether the words beside a value let it be what is asked for."""
    around = clause(sentence, value.start, value.end)
    beside = sentence[around.start : around.end]
    told = levels(beside)
    if _SUPPOSED.search(beside) or _is_labelled_otherwise(sentence, above, value, question):
        return False
    if question.sort is Sort.DATE:
        return not question.event.isdisjoint(told | _behind_comma(sentence, value))
    if question.sort is Sort.AMOUNT:
        return not _is_another_amount(told, question) and _says_how(sentence, above, question)
    if question.sort is Sort.COUNT:
        return _says_rest(sentence, above, question)
    return True


_LABEL = re.compile(r"\A([^:]{2,80}):\s?[^\s:]{0,12}\s?\Z")


def _is_labelled_otherwise(sentence: str, above: Levels, value: Quantity, question: Asked) -> bool:
    """Whether a line such as "Irrigated land: 740 km²" is labelled with more than was asked."""
    label = _LABEL.match(sentence[: value.start])
    if label is None:
        return False
    nouns = {noun for each in question.dimensions for noun in nouns_of(each)}
    more = levels(_NUMBERED.sub("", label[1])) - question.words - nouns - above
    return any(not each.startswith("#") for each in more)


_NUMBERED = re.compile(r"\S*\d\S*(?:\s[a-zµ]{1,3}\b)?")
_FRONT = re.compile(r"\A\s*(?:\w+\s){0,4}\Z")
_COMMA = re.compile(r",\s")
_SUBORDINATE = re.compile(r"[;:]\s|\s(?:that|which|who|because|whereas|while|but)\s")


def _behind_comma(sentence: str, value: Quantity) -> Levels:
    """What happened on a date that opens a sentence: "In 1847, two brothers built the mill"."""
    if not _FRONT.match(sentence[: value.start]) or not _COMMA.match(sentence, value.end):
        return frozenset()
    end = _SUBORDINATE.search(sentence, value.end)
    return levels(sentence[value.end : end.start() if end else len(sentence)])


def _is_another_amount(told: Levels, question: Asked) -> bool:
    """Whether other words of measure stand beside the value than those of the question."""
    if LENGTH in question.dimensions and question.manner:
        own = [each for each in _LENGTHS if question.manner in each]
        named = [each for each in _LENGTHS if each & told]
        return bool(own and named) and own[0] not in named
    nouns = {noun for each in question.dimensions for noun in nouns_of(each)}
    named_by = (told & nouns) - question.named - question.words
    if not _COST.isdisjoint(question.words) or question.manner == "expensive":
        named_by -= _COST
    if question.manner == "often":
        named_by -= levels("interval")
    return bool(named_by) and not told & question.named


def _says_how(sentence: str, above: Levels, question: Asked) -> bool:
    if question.dimensions == {SHARE}:
        return _says_rest(sentence, above, question)
    if TIME not in question.dimensions or question.named:
        return True
    if question.manner == "often":
        return _OFTEN.search(sentence) is not None
    if question.manner in {"old", "long"} and not question.rest:
        return True
    return _says_rest(sentence, above, question)


_LASTS = levels("take takes last lasts duration")


def _says_rest(sentence: str, above: Levels, question: Asked) -> bool:
    """Whether an answer has a word of the question that is no name, or says that it lasts."""
    told = levels(sentence) | above
    lasts = TIME in question.dimensions and not told.isdisjoint(_LASTS)
    return not question.rest or not question.rest.isdisjoint(told) or lasts

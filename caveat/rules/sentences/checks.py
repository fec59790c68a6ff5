"""The hard checks of a sentence: its form alone, which code decides.

Its claims were given, its numbers and quotations stand in what it cites, it states nothing that
was overruled, is in the right language and instructs nobody. What it means, readers judge.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from caveat.contracts.audit import Check
from caveat.contracts.source import Claim
from caveat.quantities.numerals import FRACTION, PERCENT, POINTS, TIMES, find_numbers, find_numerals
from caveat.quantities.reading import find_values
from caveat.quantities.support import Excerpt, find_unsupported, is_rounded, is_time
from caveat.rules.lines import collapse_spaces
from caveat.rules.sentences.grounds import Grounds, list_digits
from caveat.rules.text.citations import CitedSentence
from caveat.rules.text.wording import is_same_statement
from caveat.rules.text.words import LANGUAGES, detect_language, detect_sure_language, list_stems


def check_sentence(
    sentence: CitedSentence, grounds: Grounds, *, quotes_alone: bool = False
) -> Iterator[tuple[Check, str]]:
    """Check the form of one sentence; nothing is yielded where it may stand.

    Args:
        grounds: what it may rest on.
        quotes_alone: whether no model wrote it. Then it is nothing but a quote, and cites the claim
            that it quotes and those that are the same statement.
    """
    if not (sentence.cited or sentence.gaps):
        yield Check.COVERAGE, "It cites no claim that may be used."
    cited = []
    for name in dict.fromkeys(sentence.cited):
        if claim := grounds.claims.get(name):
            cited.append(claim)
            if not claim.is_usable:
                yield Check.CONTRADICTION, f"It rests on claim {name}, which is {claim.state}."
        else:
            yield Check.CITATION, f"{name} names no claim."
    # Spaces between the columns of a quote are one in a sentence, and may join two numbers.
    is_quote = any(is_quote_of(sentence.text, each) for each in cited)
    if not (quotes_alone and is_quote):
        for number in find_unsupported_figures(sentence.text, cited, grounds):
            yield Check.NUMBER, f"{number} stands in nothing that it cites."
    if not quotes_alone:
        yield from ((Check.CITATION, f) for f in _find_form_flaws(sentence.text, cited, grounds))
    elif cited and not (
        is_quote and all(is_same_statement(sentence.text, each.quote) for each in cited)
    ):
        yield Check.QUOTE, "It is no quote of each claim that it cites."


def find_text_flaws(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Say what is wrong with the form of words that rest on some claims."""
    for number in find_unsupported_figures(text, cited, grounds):
        yield f"{number} stands in nothing that it cites."
    yield from _find_form_flaws(text, cited, grounds)


def is_quote_of(text: str, claim: Claim) -> bool:
    """Whether words are the quote of a claim, and nothing else."""
    one, other = (collapse_spaces(each).strip(_AROUND).casefold() for each in (text, claim.quote))
    return one == other


_AROUND = " “”\"'."  # what may stand around a quote

# Numbers.


def find_unsupported_figures(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Name the unsupported numbers but times, which a reader checks, and small ones in words."""
    language = grounds.language or detect_language(text)
    for each in find_unsupported_numbers(text, cited, grounds):
        spelt = [numeral for numeral in find_numerals(each, language) if numeral.is_spelt]
        large = [n for n in spelt if n.unit in _MEASURED or abs(n.value) > _COUNTED]
        if (large or any(map(str.isnumeric, each))) and not is_time(each, language):
            yield each


_COUNTED = 12
_MEASURED = frozenset({FRACTION, PERCENT, POINTS, TIMES})  # units that count no thing


def find_unsupported_numbers(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Name the numbers of a text, with their units, that stand in nothing that it cites.

    A cell may have any unit where its heads name none, and stand as it is written.
    """
    # "One" may stand for a thing, and what is missing may be counted in words.
    counted = {1} if cited else set(range(13))
    language = grounds.language or detect_language(text)
    excerpt = Excerpt(text, language=language)
    yield from find_unsupported(excerpt, _list_sources(cited, grounds, language), counted)


def _list_sources(cited: Sequence[Claim], grounds: Grounds, language: str) -> Iterator[Excerpt]:
    for claim in cited:
        yield from grounds.list_excerpts(claim)
    if not cited:  # what is missing may be named as the question names it
        yield Excerpt(grounds.topic)
    for named in (grounds.topic, *grounds.titles.values()):  # "Terra 8", where a quote says "it"
        yield Excerpt("; ".join(_NAME.findall(named)), is_name=True)
    for number in grounds.find_computed_numbers({claim.id for claim in cited}):
        yield Excerpt(number, language=language, is_computed=True)


_NAME = re.compile(r"\b[A-ZÀ-Þ][\w-]*\s(?!1\d{3}|20\d\d)\d[\w.]*")

# Quotations, languages, instructions.

QUOTATION = re.compile(r"“[^“”]*+”|”[^“”]*+”|„[^„“]*+“|«[^«»]*+»|\"[^\"]*+\"|‘[^‘]*?’(?!\w)")


def _find_form_flaws(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    yield from _find_altered_quotations(text, cited, grounds)
    yield from _find_overruled_values(text, cited, grounds)
    language = detect_sure_language(QUOTATION.sub(" ", text), beside=grounds.language)
    if language and grounds.language and language != grounds.language:
        wanted = LANGUAGES.get(grounds.language, grounds.language)
        yield f"It is in {LANGUAGES[language]}, and the report is to be in {wanted}."
    if is_instruction(text):
        yield "It speaks to whoever writes: it is an instruction and no finding."


def _find_altered_quotations(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Words in quotation marks that stand in no quote, title or heading."""
    known = _strip_punctuation(
        " … ".join([grounds.topic, *(f"{c.quote} … {grounds.describe_origin(c)}" for c in cited)])
    )
    for quotation in QUOTATION.findall(text):
        words = re.sub(r"\[(\w)\]", r"\1", quotation[1:-1])  # “[f]or eleven hours”
        parts = re.split(r"\[?(?:…|\.{3})\]?", words)
        for part in filter(None, map(_strip_punctuation, parts)):
            if f" {part} " not in f" {known} ":
                yield f"“{part[:80]}” is set as a quotation and stands in no quote that it cites."


def _find_overruled_values(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """What was overruled: a value of a claim that is used for something else, or such words."""
    for side in grounds.overruled:
        beside = [claim.quote for claim in cited if claim.id not in side.claims]
        if len(beside) < len(cited) and states_value(text, side.value, beside):
            yield f"It states “{side.value[:80]}”, which is overruled."
    if grounds.overruled:  # a day that stands in no quote, which is else for a reader to judge
        for number in find_unsupported_numbers(text, cited, grounds):
            if any(states_value(number, side.value) for side in grounds.overruled):
                yield f"It states “{number}”, which is overruled."
    if not grounds.fallen:
        return
    known = " ".join(f"{claim.quote} {grounds.describe_origin(claim)}" for claim in cited)
    text_words, quoted = _strip_punctuation(text), _strip_punctuation(known)
    for claim in grounds.fallen:
        words_of = _strip_punctuation(claim.quote)
        if words_of in text_words and words_of not in quoted:
            yield f"It states what {claim.id} says, which is {claim.state}."


def states_value(text: str, value: str, beside: Sequence[str] = ()) -> bool:
    """Whether a text states a value: in its words, by its digits without a unit, or rounded.

    Args:
        beside: texts that give the text numbers of their own.
    """
    words, digits = _list_words(value), list_digits(value)
    units = {each.unit for each in find_values(value)}
    others = [text[e.start : e.end] for e in find_values(text) if e.unit and e.unit not in units]
    # "In 60 days" states no 60 km/h.
    told = list_digits(text).difference(*map(list_digits, (*beside, *others)))
    if (words and words <= _list_words(text)) or (digits and digits <= told):
        return True
    exact = next((each.value for each in find_numerals(value) if each.is_read), None)
    numbers, *quoted = (
        {each.value for each in find_numerals(each, detect_language(each)) if each.is_read}
        for each in (text, value, *beside)
    )
    return exact is not None and any(is_rounded(e, exact) for e in numbers.difference(*quoted))


# A report is checked several times over: as it is put together, when it is mended, by its audit.
@lru_cache(maxsize=1 << 11)
def _list_words(text: str) -> frozenset[str]:
    return frozenset((*list_stems(text), *find_numbers(text)))


_ORDER = re.compile(
    r"\b(?:assistants?|chatbots?|AIs?|language models?|writers?|summar(?:ies|y))\b[^.!?]{0,60}?"
    r"\b(?:must|should|shall|have to|has to|are to|is to)\s+(?:\w+ly\s+|not\s+)?"
    r"(?:state|say|report|mention|write|conclude|repeat|cite|omit|claim)\b"
    r"|(?:^|[,:;]\s|please\s)(?:state|say|write|mention|include|repeat|report)\b[^.!?]{0,30}?"
    r"\b(?:every|any|all|each|your)\s+(?:summar|reports?\b|answers?\b|repl)"
    r"|\b(?:ignore|disregard|forget)\b[^.!?]{0,30}\binstructions\b|\bsystem prompt\b"
    r"|\byour (?:\w+ )?(?:instructions|report|answer|response|output)\b"
    r"|\bas an? (?:AI|language model)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 12)
def is_instruction(words: str) -> bool:
    """Whether words tell whoever writes from them what to write; in quotation marks they may."""
    return bool(_ORDER.search(QUOTATION.sub(" ", words)))


@lru_cache(maxsize=1 << 12)
def _strip_punctuation(text: str) -> str:
    """Reduce a text to its words and numbers, to compare what is said, not how it is set."""
    return re.sub(r"[^\w%±+−-]+", " ", text).strip().casefold()

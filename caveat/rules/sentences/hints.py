"""Hints: what code notices beside a sentence, in a few words, for the reader who judges it.

A hint decides nothing. Each comes from laying a sentence beside the clauses of its quotes that it
takes its words from: what those clauses limit or deny, and what is near and fell.
"""

import re
from collections.abc import Iterator, Sequence

from caveat.contracts.claim import Claim
from caveat.quantities.numerals import find_numerals
from caveat.quantities.support import is_time
from caveat.rules.lines import collapse_spaces
from caveat.rules.sentences.checks import find_unsupported_numbers, states_value
from caveat.rules.sentences.grounds import Grounds
from caveat.rules.text import CitedSentence, find_value
from caveat.rules.text.words import detect_foreign_language, detect_language, list_stems

_MOST = 4  # hints of a sentence: a reader heeds a few


def find_hints(sentence: CitedSentence, grounds: Grounds) -> tuple[str, ...]:
    """Say what a reader should look at in a sentence; nothing where it is words of a quote."""
    cited = [grounds.claims[n] for n in dict.fromkeys(sentence.cited) if n in grounds.claims]
    return find_text_hints(sentence.text, cited, grounds)


def find_text_hints(text: str, cited: Sequence[Claim], grounds: Grounds) -> tuple[str, ...]:
    """Say what a reader should look at in words that rest on some claims."""
    plain = collapse_spaces(text).strip(' “”".')
    if not cited or any(plain == collapse_spaces(each.quote).strip(' “”".') for each in cited):
        return ()
    hints = [
        *_find_fallen_claims(text, cited, grounds),
        *_find_unquoted_numbers(text, cited, grounds),
    ]
    if _share_a_language(text, cited):
        quotes = [_CODE.sub("", each.quote) for each in cited]
        aligned = " … ".join(_align(text, quote) for quote in quotes)
        hints += _find_limits(text, aligned)
    return tuple(dict.fromkeys(hints))[:_MOST]


_CODE = re.compile(r"(?:\A|(?<=\t))[A-Z]{2,3}(?=\t)")  # "NOR" of Norway


def _share_a_language(text: str, cited: Sequence[Claim]) -> bool:
    is_foreign = any(detect_foreign_language(each.quote) for each in cited)
    languages = {detect_language(text), detect_language(" ".join(each.quote for each in cited))}
    return not is_foreign and len(languages) == 1


# Alignment.

_CLAUSE = re.compile(
    r"[;:—.!?]\s|,\s|\s–\s|\s(?=(?:but|while|whereas|although|though|because|which)\s)"
)
_ALIGNED = 0.34  # share of a clause's words that a sentence has where it takes them from it


def measure_overlap(one: str, other: str) -> float:
    """Return the share of one text's words that another one has."""
    words = list_stems(one)
    return len(words & list_stems(other)) / len(words) if words else 0.0


def _align(text: str, quote: str) -> str:
    """The clauses of a quote that a sentence takes its words from, else the nearest one."""
    clauses = [each for each in _CLAUSE.split(quote) if each.strip()] or [quote]
    near = [each for each in clauses if measure_overlap(each, text) >= _ALIGNED]
    return " … ".join(near) or max(clauses, key=lambda each: measure_overlap(each, text))


def _find_unquoted_numbers(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Numbers that stand in no quote: how they may follow, and whether a ruling overruled them."""
    names = {each.id for each in cited}
    for each in grounds.calculations:
        is_own = each.is_guessed and {operand.claim_id for operand in each.operands} <= names
        if is_own and find_value(text, each.result):
            values = {operand.name: operand.value for operand in each.operands}
            formula = "".join(values.get(sign, sign) for sign in each.expression)
            yield f"{each.result} stands in no quote; it may be {formula[:150]}"
    refused = [*find_unsupported_numbers(text, cited, grounds)]
    language = grounds.language or detect_language(text)
    yield from (f"{each} stands in no quote" for each in refused if is_time(each, language))
    for number in find_unsupported_numbers(text, cited, grounds, is_strict=True):
        if number not in refused:
            yield f"no head gives ‘{number}’ this unit and scale"
    for side in grounds.overruled:  # a cited claim of it says something else as well
        if not names.isdisjoint(side.claims) or states_value(text, side.value):
            yield f"‘{side.value[:80]}’ was overruled"
    # A small number in words counts what a reader sees, but where its quotes have another one.
    quoted = (find_numerals(each.quote, detect_language(each.quote)) for each in cited)
    if any(numeral.is_spelt for numerals in quoted for numeral in numerals):
        for number in refused:
            yield f"{number} stands in no quote"


# What is denied, doubted, or said of a part.


def _compile(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_DENIAL = _compile(
    r"no longer|not|no|never|none|nobody|nothing|neither|nor|without|cannot|unless|\w+n['’]t"
)
_PART = _compile(  # "including" and "about the office" were told wrongly more often than rightly
    r"some|several|few|many|most|half|among|of whom|of which|between|at least|at most|as of"
    r"|(?:nearly|almost|about|around|roughly)(?= \S?\d)"
)
_DOUBT = _compile(
    "(?-i:may)|might|could|would|should|if|unless|perhaps|possibly|likely|probably|subject to"
    "|fears?|hopes?|believes?|thinks?|expects?|plans?|planned|proposed?|intends?|alleged(?:ly)?"
    "|drafts?|considered|asked|whether"
)


def _find_limits(text: str, aligned: str) -> Iterator[str]:
    for pattern in (_DENIAL, _PART):  # a doubt was told wrongly more often than rightly
        if (limit := pattern.search(aligned)) and not pattern.search(text):
            yield f"the quote says ‘{limit[0]}’"


_SPEECH = _compile("says?|said|told|stated|reported|claims?|claimed|according to|argues?|argued")
_OPENS_SPEECH = re.compile(r"(?:\bthat|[,:])\s*[“\"]?\s*$")
_CONDITION = _compile("if|unless|provided|assuming|only|except|but not")


def takes_back(before: str, behind: str) -> bool:
    """Whether what was cut off a sentence denies, doubts, limits or reports what is left of it."""
    limits = [_DENIAL, _DOUBT, *([_SPEECH] if _OPENS_SPEECH.search(before) else [])]
    return any(limit.search(before) for limit in limits) or bool(_CONDITION.search(behind))


def is_reported(quote: str) -> bool:
    """Whether words report what somebody says, and so are that one's and not their source's."""
    # In languages whose words of saying nobody knows here, always: an echo must settle nothing.
    return detect_language(quote) != "en" or bool(_SPEECH.search(quote))


# What else is said.

_ALIKE = 0.7  # share of a sentence's words from which another claim is about the same


def _find_fallen_claims(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Claims that say nearly the same, and fell."""
    quoted = " ".join(claim.quote for claim in cited)
    for claim in grounds.fallen:
        is_near = measure_overlap(text, claim.quote) >= _ALIKE
        if is_near and measure_overlap(claim.quote, quoted) < _ALIKE:
            yield f"it is near to {claim.id}, which is {claim.state}: ‘{claim.quote[:80]}’"

"""Hints: what code notices beside a sentence, in a few words, for the reader who judges it.

A hint decides nothing. It names what the quotes deny and the sentence does not, numbers of which
code is not sure, and what a ruling overruled.
"""

import re
from collections.abc import Iterator, Sequence

from caveat.contracts.source import Claim
from caveat.quantities.support import is_time
from caveat.rules.sentences.checks import find_unsupported_numbers, states_value
from caveat.rules.sentences.grounds import Grounds, list_neighbours
from caveat.rules.text.citations import CitedSentence
from caveat.rules.text.sentences import find_value
from caveat.rules.text.words import detect_language

_MOST = 4  # hints of a sentence: a reader heeds a few


def find_hints(sentence: CitedSentence, grounds: Grounds) -> tuple[str, ...]:
    """Say what a reader should look at in a sentence."""
    cited = [grounds.claims[n] for n in dict.fromkeys(sentence.cited) if n in grounds.claims]
    return find_text_hints(sentence.text, cited, grounds)


def find_text_hints(text: str, cited: Sequence[Claim], grounds: Grounds) -> tuple[str, ...]:
    """Say what a reader should look at in words that rest on some claims."""
    hints = [*_find_unquoted_numbers(text, cited, grounds)]
    denial = _DENIAL.search(" … ".join(each.quote for each in cited))
    if denial and not _DENIAL.search(text):
        hints.append(f"the quote says ‘{denial[0]}’")
    return tuple(dict.fromkeys(hints))[:_MOST]


def _find_unquoted_numbers(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Numbers that stand in no quote: how they may follow, and whether a ruling overruled them."""
    names = {each.id for each in cited}
    for each in grounds.calculations:
        is_own = each.is_guessed and {operand.claim_id for operand in each.operands} <= names
        if is_own and find_value(text, each.result):
            values = {operand.name: operand.value for operand in each.operands}
            formula = "".join(values.get(sign, sign) for sign in each.expression)
            yield f"{each.result} stands in no quote; it may be {formula[:150]}"
    language = grounds.language or detect_language(text)
    beside = " ".join(words for each in cited for words in list_neighbours(each))
    for number in find_unsupported_numbers(text, cited, grounds):
        if is_time(number, language) and not find_value(beside, number):  # a reader sees that
            yield f"{number} stands in no quote"
    for side in grounds.overruled:  # a cited claim of it says something else as well
        if not names.isdisjoint(side.claims) or states_value(text, side.value):
            yield f"‘{side.value[:80]}’ was overruled"


# What is denied, doubted, or said of a part.


def _compile(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_DENIAL = _compile(
    r"no longer|not|no(?!\. ?[\d(])|never|none|nobody|nothing|neither|nor|without|cannot|unless"
    r"|\w+n['’]t"
)
_DOUBT = _compile(
    "(?-i:may)|might|could|would|should|if|unless|perhaps|possibly|likely|probably|subject to"
    "|fears?|hopes?|believes?|thinks?|expects?|plans?|planned|proposed?|intends?|alleged(?:ly)?"
    "|drafts?|considered|asked|whether"
)


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

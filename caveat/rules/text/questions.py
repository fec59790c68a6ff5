"""Questions: the parts of one that asks for several things."""

import re
from functools import cache
from typing import NamedTuple

from caveat.rules.text.words import detect_language


class _Words(NamedTuple):
    """The words by which a language asks, as patterns."""

    asking: str  # what opens a question for a word
    verbs: str  # what opens a question for yes or no
    joint: str  # what joins two questions
    subject: str  # what stands behind such a verb in a question of its own


_ENGLISH = _Words(
    "(?:(?:at|by|for|from|in|on|to|under|with) )?(?:how|what|which|when|whom?|whose)|where|why",
    "did|does|do|is|are|was|were|has|have|had|can|will",
    "and",
    r"the|an?|any\w*|it|they|he|she|there",
)
_ASKING = {
    "en": _ENGLISH,
    "de": _Words(
        "(?:(?:ab|an|auf|aus|bei|bis|für|in|mit|seit|um|von|zu) )?"
        "(?:wie|welche[mnrs]?|wann|wem|wen)"
        "|was|wo|wohin|woher|wer|wessen|warum|weshalb|wodurch",
        "ist|sind|war|waren|hat|haben|hatte|hatten|wird|werden|wurde|wurden|kann|soll|gibt|gab",
        "und",
        "d(?:as|er|ie)|eine?|er|sie|es|jemand|man",
    ),
    "fr": _Words(
        "comment|quel(?:le)?s?|quand|où|qui|que|combien|pourquoi",
        "est-ce|est|sont|a-t|ont|était|sera|peut",
        "et",
        "l[ae]s?|une?|ils?|elles?|on",
    ),
    "es": _Words(
        "cómo|qué|cuál(?:es)?|cuándo|dónde|quién(?:es)?|cuánt[oa]s?|por qué",
        "es|son|era|fue|fueron|ha|han|será|puede",
        "y",
        "el|las?|los|una?",
    ),
}
_WHOLE = re.compile(r"(?<=[?？]) ")
_SHORTEST = 8  # characters of a part that asks by itself


@cache
def _compile_patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Compile what begins a part, what marks a question, and what makes a part ask."""
    # Both read text whose runs of white space are one space each.
    asking, verbs, joint, subject = _ASKING.get(language, _ENGLISH)
    begins = rf" ?(?:[,;?] ?(?:{joint} )?| {joint} )(?=¿?(?:{asking})\b)"
    begins += rf"|[,;] ?(?:{joint} )?(?=(?:{verbs})\b)| {joint} (?=(?:{verbs}) (?:{subject})\b)"
    is_one = rf"[?？]|^\s*¿?(?:{asking})\b"
    asks = rf"\b(?:{asking})\b|^\s*¿?(?:{verbs})\b"
    first, second, third = (re.compile(each, re.IGNORECASE) for each in (begins, is_one, asks))
    return first, second, third


def split_question(question: str) -> tuple[str, ...]:
    """Split a question: "What does it cost, when, and who decides?" asks three.

    A part that only names the form of an answer ("when") joins the part before it. A case with a
    question about it is one: "My session hangs, what helps?".
    """
    # A shell takes the question mark away from who leaves the quotation marks out.
    begins, is_one, asks = _compile_patterns(detect_language(question))
    if not is_one.search(question):
        return (question,)
    pieces = [
        piece.strip(" ,;?？")
        for whole in _WHOLE.split(" ".join(question.split()))
        for piece in begins.split(whole)
        if piece.strip(" ,;?？")
    ]
    if len(pieces) < 2 or not asks.search(pieces[0]):
        return (question,)
    before = (pieces[0], *pieces)
    return tuple(
        each if len(each) >= _SHORTEST else f"{of}, {each}"
        for each, of in zip(pieces, before, strict=False)
    )

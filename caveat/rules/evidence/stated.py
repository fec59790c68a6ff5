"""Stated values: which sentences say how much a quantity is."""

import math
import re
from collections.abc import Iterator, Mapping
from itertools import product

from caveat.contracts.contradiction import Side
from caveat.contracts.source import CLAIM_LIMIT, Claim, Snapshot
from caveat.contracts.synthesis import Figure
from caveat.quantities.dates import Date, find_dates
from caveat.quantities.numerals import find_numerals
from caveat.quantities.reading import Quantity, find_quantities, is_changed_from
from caveat.quantities.units import are_comparable, convert_to_base
from caveat.rules.evidence.claims import quote_span, verify_quotes
from caveat.rules.text.sentences import split_sentences
from caveat.rules.text.words import LANGUAGES, detect_language, detect_sure_language

STATEMENTS = 3
"""Values that are taken of one document: its own, and those it compares them with."""

_WORD = re.compile(r"[^\W\d_]{2,}")

_DIFFERENCE = re.compile(
    r"\b(?:higher|lower|larger|smaller|more|less|greater|above|below|differs?|exceeds?|consistent"
    r"|agrees?|compared|tension)\b",
    re.IGNORECASE,
)
"""A sentence that sets values side by side; those are mostly other people's, or differences."""


def detect_claim_language(claim: Claim) -> str:
    """Detect the language of a quote; English where nobody is sure and its numbers are read."""
    near = f"{claim.before} {claim.quote} {claim.after}"
    if sure := detect_sure_language(near):
        return sure
    # Of a row nobody is sure: "1.480 | 81,5" is read as where both are numbers.
    guess = detect_language(f"{claim.location or ''} {near}")
    for text, language in product((near, claim.quote), ("en", _COMMA, guess)):
        if all(each.is_read for each in find_numerals(text, language)):
            return language
    return guess


_COMMA = "de"  # a language that writes 1.234,5


def read_side_value(side: Side, claims: Mapping[str, Claim]) -> tuple[Quantity, ...]:
    """Read the value of a side in the language of the claim that states it best."""
    return find_quantities(side.value, _detect_side_language(side, claims))


def read_side_dates(side: Side, claims: Mapping[str, Claim]) -> tuple[Date, ...]:
    """Read the dates of a side, also those without a year."""
    return tuple(find_dates(side.value, _detect_side_language(side, claims)))


def _detect_side_language(side: Side, claims: Mapping[str, Claim]) -> str:
    claim = claims.get(side.claim)
    return detect_claim_language(claim) if claim else "en"


def read_figure(figure: Figure) -> Quantity | None:
    """Read a figure's words as its number says that they were read."""
    read = (each for name in LANGUAGES for each in find_quantities(figure.value, name))
    return next((each for each in read if math.isclose(each.number, figure.number)), None)


def read_value(
    sentence: str,
    unit: str,
    about: str | None = None,
    near: Quantity | None = None,
    language: str = "en",
) -> Quantity | None:
    """Read how much a sentence says that a quantity is.

    Args:
        about: the quantity's name, all of whose words the sentence must have; None if it is known
            to be about it.
        near: what it is known to state, or its only value; else the first estimate counts.

    Returns:
        An estimate in a convertible unit, unless it is denied or compared with others.
    """
    if about is not None:
        named, words = (set(_WORD.findall(text.casefold())) for text in (about, sentence))
        if not named or not named <= words or _DIFFERENCE.search(sentence):
            return None
    stated = find_quantities(sentence, language)
    comparable = [each for each in stated if are_comparable(each.unit, unit)]
    if near is not None:  # and no other one in its place: "from 15 to 20 and from 7 to 10 euros"
        sought = convert_to_base(near.number, near.unit)
        apart = {each: abs(convert_to_base(each.number, each.unit) - sought) for each in comparable}
        numbers = [each.value for each in find_numerals(sentence, language) if each.is_read]
        is_alone = len(comparable) == 1 and near.number not in numbers
        nearest = sorted(comparable, key=apart.__getitem__)[:1]
        comparable = [
            each for each in nearest if is_alone or each.agrees_with(near) or not apart[each]
        ]
    fitting = (
        each
        for each in comparable
        if each.is_estimate
        and not is_changed_from(sentence, each.start)
        and not _NOT_SO.search(sentence[: each.start])
    )
    return next(fitting, None)


_NOT_SO = re.compile(r"(?i:\b(?:not|rather than|instead of|no longer)\s)\Z")


def find_statements(
    snapshot: Snapshot, source_id: str, about: str, unit: str, relevance: float
) -> tuple[Claim, ...]:
    """Find what a text states about a quantity, at most `STATEMENTS` values.

    Returns:
        A claim for each value, in the order of the text, without assignment and name.
    """
    claims = tuple(_build_claims(snapshot, source_id, about, unit, relevance))[:STATEMENTS]
    return verify_quotes(claims, snapshot)[0]


def _build_claims(
    snapshot: Snapshot, source_id: str, about: str, unit: str, relevance: float
) -> Iterator[Claim]:
    seen: set[tuple[float, ...]] = set()
    for span in split_sentences(snapshot.text):
        sentence = snapshot.text[span.start : span.end]
        value = read_value(sentence, unit, about)
        # What is longer and reads as one sentence is a table or a list.
        if value is None or len(sentence) > CLAIM_LIMIT:
            continue
        stated = (value.number, value.low, value.high) if value.uncertain else (value.number,)
        if stated in seen:
            continue
        seen |= {stated, (value.number,)}  # which says it again in short
        yield quote_span(snapshot, span, source_id, relevance)

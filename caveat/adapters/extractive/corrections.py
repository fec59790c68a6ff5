"""Corrections: sentences that say which figure is to be read in place of another one."""

import re
from collections.abc import Iterator, Sequence

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import ContradictionKind, Disagreement, Side
from caveat.quantities.reading import Quantity, find_quantities
from caveat.rules.text.words import list_content_stems

_NUMBER = r"\d(?:[\d.,]{0,20}\d)?"

_FIGURE = re.compile(_NUMBER)

_CORRECTION = re.compile(
    rf"\bread \W?\d[^;\n]{{0,30}} (?:for|instead of|not|rather than) \W?({_NUMBER})"
    rf"|\b(?:correct|errat|corrigend|misprint)[^\n]{{1,200}}"
    rf"\b(?:not|instead of|rather than) \W?({_NUMBER})"
    rf"|(?<![\d.,])({_NUMBER})[^;\n\d]{{0,120}}\bshould (?:read|have (?:read|been))\b",
    re.IGNORECASE,
)
"""What says that something was wrong, and the figure that was: "read 4.2 m for 4.7 m", "one
correction: it is £46,800, not £46,300", "20 mg should read 10 mg"."""


def is_correction(text: str) -> bool:
    """Whether a sentence, with the heading above it, corrects a figure."""
    return _CORRECTION.search(text) is not None


def corrects(correction: str, sentence: str) -> bool:
    """Whether a correction is one of a sentence: it takes back a figure that stands there."""
    # A word of both says that the same thing is meant, and another figure what holds.
    wrong = _find_corrected_figure(correction)
    stated, right = (set(_FIGURE.findall(text)) for text in (sentence, correction))
    words = list_content_stems(correction) & list_content_stems(sentence)
    return wrong in stated and bool(right - stated) and any(map(str.isalpha, words))


def find_corrections(claims: Sequence[Claim]) -> Iterator[Disagreement]:
    """Hold claims that correct a figure against those of other sources that still state it."""
    # "£46,800, not £46,300" in the next minutes is in other words than what they correct.
    ordered = sorted(claims, key=lambda claim: (-claim.relevance, claim.id))
    for correction in filter(lambda claim: is_correction(claim.quote), ordered):
        right, wrong = _read_correction(correction.quote)
        if right is None or wrong is None:
            continue
        stating = [
            claim
            for claim in ordered
            if claim.source_id != correction.source_id
            and not is_correction(claim.quote)
            and corrects(correction.quote, claim.quote)
            and _states(claim.quote, wrong)
        ]
        if stating:
            value = correction.quote[right.start : right.end]
            denied = correction.quote[wrong.start : wrong.end]
            yield Disagreement(
                kind=ContradictionKind.NUMERIC,
                sides=(
                    Side(
                        claim=stating[0].id,
                        backing=tuple(claim.id for claim in stating[1:]),
                        value=denied,
                    ),
                    Side(claim=correction.id, value=value),
                ),
                about=f"Corrected in one source: {denied} in one, {value} in the other",
            )


def _find_corrected_figure(correction: str) -> str:
    """The figure that a correction takes back, empty where it is none."""
    found = _CORRECTION.search(correction)
    return next(figure for figure in found.groups() if figure) if found else ""


def _read_correction(correction: str) -> tuple[Quantity | None, Quantity | None]:
    """What is to be read, and what in place of; nothing where they are not alike."""
    figure, read = _find_corrected_figure(correction), find_quantities(correction)
    wrong = [each for each in read if figure and figure in correction[each.start : each.end]]
    alike = [each for each in read if wrong and each not in wrong and each.unit == wrong[-1].unit]
    if not alike:
        return None, None
    return min(alike, key=lambda each: abs(each.start - wrong[-1].start)), wrong[-1]


def _states(sentence: str, wrong: Quantity) -> bool:
    return any(
        each.number == wrong.number and each.unit == wrong.unit
        for each in find_quantities(sentence)
    )

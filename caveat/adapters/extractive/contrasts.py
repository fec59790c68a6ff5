"""Contrasts: sentences of different sources that differ in a negation, an opposite or a number.

Everything else of them must agree word for word, so that one thing is meant; what no form of
`forms` reads is compared all the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from caveat.adapters.extractive.attributes import Attribute
from caveat.adapters.extractive.entities import EVERYWHERE, UNSAID
from caveat.adapters.extractive.forms import is_labelled
from caveat.rules.text import Frame, Place, find_frames
from caveat.rules.text.words import list_content_stems

_SHOWN = 120  # characters of a sentence that are shown to say what two of them are about


@dataclass(frozen=True)
class Contrast:
    """What a sentence says at the place in which others differ from it."""

    frame: Frame

    @property
    def is_number(self) -> bool:
        """Whether a number stands there."""
        return self.frame.place is Place.NUMBER

    @property
    def number(self) -> float:
        """The number that stands there, 0 where none does."""
        try:
            return float(self.frame.filled) if self.is_number else 0.0
        except ValueError:
            return 0.0

    def agrees_with(self, other: "Contrast") -> bool:
        """Whether both can be true."""
        return not self.frame.excludes(other.frame)


def find_contrasts(quote: str, topic: frozenset[str]) -> Iterator[tuple[Attribute, Contrast, str]]:
    """Find the places at which others may say otherwise.

    Args:
        topic: stems of the topic; a sentence that has none of them may be about anything.

    Yields:
        The sentence without the place as an attribute, what stands there, and its words.
    """
    if topic and topic.isdisjoint(list_content_stems(quote)):
        return
    for frame in find_frames(quote):
        written = quote[frame.start : frame.end]
        if frame.filled:
            around = f"{quote[: frame.start]}…{quote[frame.end :]}"
        else:
            around, written = written, "denied" if frame.is_denied else "affirmed"
        of = UNSAID if is_labelled(quote) else EVERYWHERE
        yield Attribute(of, frame.words, _quote_sentence(around)), Contrast(frame), written


def _quote_sentence(sentence: str) -> str:
    """Quote a sentence, or its beginning."""
    text = " ".join(sentence.split()).rstrip(".")
    return f"“{text}”" if len(text) <= _SHOWN else f"“{text[: _SHOWN - 1]}…”"

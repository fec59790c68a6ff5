"""Mistakes in what people wrote or typed about teams, as failures."""

from textwrap import shorten

from caveat.failures import PortFailure, invalid

_SENTENCE = 500
"""Characters that a failure's message may have; names and titles are of any length."""


def mistake(sentence: str, *, resource: str) -> PortFailure:
    """Name what is wrong in one sentence, cut where it is longer than a failure may say."""
    return invalid(shorten(sentence, _SENTENCE, placeholder=" …"), resource=resource)

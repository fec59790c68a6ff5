"""Coverage: enough of what a report states carries a citation."""

from collections.abc import Iterator, Sequence

from caveat.contracts.audit import Check, Finding
from caveat.rules.text import Piece, measure_coverage

COVERAGE_THRESHOLD = 0.85
"""Share of factual sentences that carry a citation; below it a report fails."""


def check_coverage(pieces: Sequence[Piece], *, quotes_alone: bool) -> Iterator[Finding]:
    """Name the sentences without a citation where they may not be."""
    # Without a language model nothing but quotes is written, so there may be none. With one, a few
    # may join what is cited; a paragraph without any citation joins nothing.
    few = measure_coverage(pieces) >= COVERAGE_THRESHOLD
    for piece in pieces:
        if few and not quotes_alone:
            wrong = [each for some in piece.uncited_paragraphs for each in some]
        else:
            wrong = [each for each in piece.sentences if not each.cited]
        for sentence in wrong:
            message = f"No citation carries “{sentence.excerpt}”"
            yield Finding(check=Check.COVERAGE, where=piece.where, message=message)

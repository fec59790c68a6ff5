"""Evidence: what claims stand in what was read, and which readings are of one text."""

from caveat.rules.evidence.claims import (
    as_counted,
    cited,
    every,
    merged,
    numbered,
    stands,
    stands_in_context,
    verified,
)
from caveat.rules.evidence.copies import Likeness, likeness, sketch

__all__ = [
    "Likeness",
    "as_counted",
    "cited",
    "every",
    "likeness",
    "merged",
    "numbered",
    "sketch",
    "stands",
    "stands_in_context",
    "verified",
]

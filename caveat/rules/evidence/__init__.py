"""Evidence: what claims stand in what was read, and which readings are of one text."""

from caveat.rules.evidence.claims import (
    as_counted,
    cited,
    every,
    joined,
    merged,
    numbered,
    stands,
    stands_in_context,
    verified,
)
from caveat.rules.evidence.copies import Known, Relation, likeness, sketch
from caveat.rules.evidence.stated import statements, value_of

__all__ = [
    "Known",
    "Relation",
    "as_counted",
    "cited",
    "every",
    "joined",
    "likeness",
    "merged",
    "numbered",
    "sketch",
    "stands",
    "stands_in_context",
    "statements",
    "value_of",
    "verified",
]

"""Evidence: what claims stand in what was read, and which readings are of one text."""

from caveat.rules.evidence.claims import (
    as_counted,
    cited,
    every,
    in_their_quotes,
    joined,
    merged,
    numbered,
    stands,
    stands_in_context,
    unclaimed,
    verified,
    worded,
)
from caveat.rules.evidence.copies import Known, Relation, Sketch, likeness, relation, sketch
from caveat.rules.evidence.stated import statements, value_of

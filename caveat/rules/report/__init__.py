"""The report as code makes it: assembled, appraised, and open about what is missing."""

from caveat.rules.report.answering import DIRECT, SHOWN, angle_named, works_of
from caveat.rules.report.assembly import assemble, synthesis_input
from caveat.rules.report.calculations import is_right
from caveat.rules.report.confidence import applied
from caveat.rules.report.derivation import cited_claim_ids, cited_source_ids, derived, lost_readings
from caveat.rules.report.disclosure import by_language_models
from caveat.rules.report.limitations import not_looked_at
from caveat.rules.report.publication import grounds, part_asked, published
from caveat.rules.report.revision import revision
from caveat.rules.report.statements import (
    ANSWER,
    Statement,
    kept,
    key_of,
    left_out,
    mended,
    statements,
    unsupported,
    verified_by,
)
from caveat.rules.report.values import Conflict, Disputed, conflict, disputed

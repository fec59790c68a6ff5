"""The report as code makes it: assembled, appraised, and open about what is missing."""

from caveat.rules.report.answering import DIRECT, SHOWN, index_report_voices, name_angle
from caveat.rules.report.appraisal import build_confidence, count_lost_readings
from caveat.rules.report.assembly import assemble, build_synthesis_input
from caveat.rules.report.calculations import add_calculations, find_calculations, find_fault
from caveat.rules.report.closest import (
    AS_GOOD,
    WINDOW,
    Window,
    cut_window,
    describe_counting,
    describe_languages,
    find_place,
    find_room,
    format_pinpoint,
    is_count,
)
from caveat.rules.report.disclosure import write_disclosure
from caveat.rules.report.limitations import describe_unread_files
from caveat.rules.report.portions import (
    forget_dropped,
    join_portions,
    mark_outdated,
    select_untouched,
    split_evidence,
)
from caveat.rules.report.publication import build_stated_grounds, build_synthesis_grounds
from caveat.rules.report.revision import compare_reports
from caveat.rules.report.statements import (
    ANSWER,
    Statement,
    find_carrying_claims,
    index_read_sentences,
    list_statements,
    list_unsupported,
    record_left_out,
    record_reading,
    rewrite_synthesis,
    update_section,
)
from caveat.rules.report.values import Disputed, find_conflict, find_disputed_quantity, state_sides

"""Revisions: what a follow-up, or a schedule's next run, changed, in sentences that code writes."""

from collections.abc import Iterator

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Report, Revision
from caveat.rules.contradictions.choices import describe_settlement
from caveat.rules.contradictions.recurrence import match_contradictions


def compare_reports(of: str, before: Report | None, after: Report) -> Revision:
    """Compare a report with that of the run that it follows up, if that has one."""
    if before is None:
        return Revision(of=of, changes=("The earlier run had no report.",))
    return Revision(of=of, changes=tuple(_list_changes(before, after)))


def _list_changes(before: Report, after: Report) -> Iterator[str]:
    old, new = ({claim.quote for claim in each.claims} for each in (before, after))
    if added := len(new - old):
        yield f"{_format_count(added, 'claim')} new."
    if removed := len(old - new):
        yield f"{_format_count(removed, 'claim')} no longer used."
    empty = {section.assignment_id for section in before.sections if not section.claims}
    for section in after.sections:
        if section.claims and section.assignment_id in empty:
            yield f"“{section.title}” is answered now."
    if read := len(_list_texts(after) - _list_texts(before)):
        yield f"{_format_count(read, 'text')} new."
    yield from _compare_contradictions(before, after)
    lost, still = (sum(not f.recovered for f in each.failures) for each in (before, after))
    if still < lost:
        yield f"{lost - still} of {lost} failed tasks were made good."
    elif lost:
        yield f"{still} failed tasks remain."
    has_model = before.reasoner.uses_language_model and after.reasoner.uses_language_model
    if has_model and before.confidence.value != after.confidence.value:
        yield (
            f"The confidence is {after.confidence.value:.2f}; it was {before.confidence.value:.2f}."
        )


def _format_count(number: int, noun: str) -> str:
    return f"{number} {noun} is" if number == 1 else f"{number} {noun}s are"


def _compare_contradictions(before: Report, after: Report) -> Iterator[str]:
    """Say which contradictions were opened, settled or are gone, a sentence each."""
    known = match_contradictions(
        after.contradictions,
        before.contradictions,
        {claim.id: claim for claim in after.claims},
        {claim.id: claim for claim in before.claims},
    )
    for now in after.contradictions:
        then = known.get(now.id)
        if then is None:
            yield f"New contradiction: {_end_sentence(now.about)} It {_describe_end(now)}"
        elif (then.state, then.ruling) != (now.state, now.ruling):
            has_quotes = "“" in now.about  # which stand in no others
            title = now.about.rstrip(".") if has_quotes else f"“{now.about}”"
            yield f"{title} {_describe_end(now)}"
    for gone in before.contradictions:
        if gone not in known.values():
            yield f"No longer found: {_end_sentence(gone.about)}"


def _describe_end(contradiction: Contradiction) -> str:
    end = f"{describe_settlement(contradiction)}."
    return f"{end} Reason: {_end_sentence(contradiction.reason)}" if contradiction.ruling else end


def _end_sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def compare_scheduled_runs(before: Report, after: Report) -> Revision:
    """Compare two runs of one schedule; other quotes of the same texts are no change."""
    if _list_texts(before) == _list_texts(after):
        return Revision(of=before.run_id, changes=())
    return compare_reports(before.run_id, before, after)


def _list_texts(report: Report) -> set[str]:
    return {each.snapshot_sha256 for each in report.sources if each.snapshot_sha256}

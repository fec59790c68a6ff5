"""Revisions: what a follow-up changed, in sentences that code writes."""

from collections.abc import Iterator

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Report, Revision
from caveat.rules.contradictions.choices import verdict
from caveat.rules.contradictions.recurrence import matched, place_of


def revision(of: str, before: Report | None, after: Report) -> Revision:
    """Compare a report with that of the run that it follows up.

    Args:
        of: workflow id of the earlier run.
        before: its report; None when it ended without one.
        after: the new report, of the same topic.
    """
    if before is None:
        return Revision(of=of, changes=("The earlier run had no report.",))
    return Revision(of=of, changes=tuple(_changes(before, after)))


def _changes(before: Report, after: Report) -> Iterator[str]:
    old, new = ({place_of(claim) for claim in each.claims} for each in (before, after))
    if added := len(new - old):
        yield f"{_counted(added, 'claim')} new."
    if removed := len(old - new):
        yield f"{_counted(removed, 'claim')} no longer used."
    yield from _answered(before, after)
    read = {source.id for source in after.sources if source.snapshot_sha256} - {
        source.id for source in before.sources if source.snapshot_sha256
    }
    if read:
        more = "One more source was" if len(read) == 1 else f"{len(read)} more sources were"
        yield f"{more} read."
    yield from contradictions_since(before, after)
    yield from _failures(before, after)
    if before.confidence.value != after.confidence.value:
        yield (
            f"The confidence is {after.confidence.value:.2f}; it was {before.confidence.value:.2f}."
        )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun} is" if number == 1 else f"{number} {noun}s are"


def _answered(before: Report, after: Report) -> Iterator[str]:
    empty = {section.assignment_id for section in before.sections if not section.claims}
    for section in after.sections:
        if section.claims and section.assignment_id in empty:
            yield f"“{section.title}” is answered now."


def contradictions_since(before: Report, after: Report) -> Iterator[str]:
    """Say which contradictions were opened, settled or are gone, a sentence each."""
    known = matched(
        after.contradictions,
        before.contradictions,
        {claim.id: claim for claim in after.claims},
        {claim.id: claim for claim in before.claims},
    )
    for now in after.contradictions:
        then = known.get(now.id)
        if then is None:
            yield f"{now.id} is new: {_sentence(now.about)} It {_ended(now)}"
        elif (then.state, then.ruling) != (now.state, now.ruling):
            yield f"{now.id} {_ended(now)}"
    for gone in before.contradictions:
        if gone not in known.values():
            yield f"{gone.id} of the earlier report is no longer found: {_sentence(gone.about)}"


def _ended(contradiction: Contradiction) -> str:
    end = f"{verdict(contradiction)}."
    return f"{end} Reason: {_sentence(contradiction.reason)}" if contradiction.ruling else end


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _failures(before: Report, after: Report) -> Iterator[str]:
    lost = sum(not failed.recovered for failed in before.failures)
    still = sum(not failed.recovered for failed in after.failures)
    if still < lost:
        yield f"{lost - still} of {lost} failed tasks were made good."
    elif lost:
        yield f"{still} failed tasks remain."

"""Revisions: what a follow-up changed, in sentences that code writes."""

from collections.abc import Iterator

from caveat.contracts.claim import Claim
from caveat.contracts.report import Report, Revision


def revision(before: Report, after: Report) -> Revision:
    """Compare a report with the one that it revises; both of the same topic."""
    return Revision(of=before.run_id, changes=tuple(_changes(before, after)))


def _changes(before: Report, after: Report) -> Iterator[str]:
    old, new = _words(before.claims), _words(after.claims)
    if added := len(new - old):
        yield f"{added} claims are new."
    if removed := len(old - new):
        yield f"{removed} claims are no longer used."
    yield from _answered(before, after)
    read = {source.id for source in after.sources if source.snapshot_sha256} - {
        source.id for source in before.sources if source.snapshot_sha256
    }
    if read:
        yield f"{len(read)} more sources were read."
    yield from _failures(before, after)
    if before.confidence.value != after.confidence.value:
        yield (
            f"The confidence is {after.confidence.value:.2f}; it was {before.confidence.value:.2f}."
        )


def _words(claims: tuple[Claim, ...]) -> set[tuple[str, int, int]]:
    return {(claim.source_id, claim.start, claim.end) for claim in claims}


def _answered(before: Report, after: Report) -> Iterator[str]:
    empty = {section.assignment_id for section in before.sections if not section.claims}
    for section in after.sections:
        if section.claims and section.assignment_id in empty:
            yield f"“{section.title}” is answered now."


def _failures(before: Report, after: Report) -> Iterator[str]:
    lost = sum(not failed.recovered for failed in before.failures)
    still = sum(not failed.recovered for failed in after.failures)
    if still < lost:
        yield f"{lost - still} of {lost} failed tasks were made good."
    elif lost:
        yield f"{still} failed tasks remain."

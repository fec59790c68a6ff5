"""Revisions: what a follow-up changed, in sentences that code writes."""

from collections.abc import Iterator, Sequence

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Report, Revision
from caveat.rules.verdicts import verdict


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
    old, new = _words(before.claims), _words(after.claims)
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
    yield from _contradictions(before, after)
    yield from _failures(before, after)
    if before.confidence.value != after.confidence.value:
        yield (
            f"The confidence is {after.confidence.value:.2f}; it was {before.confidence.value:.2f}."
        )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun} is" if number == 1 else f"{number} {noun}s are"


def _words(claims: tuple[Claim, ...]) -> set[tuple[str, int, int]]:
    return {(claim.source_id, claim.start, claim.end) for claim in claims}


def _answered(before: Report, after: Report) -> Iterator[str]:
    empty = {section.assignment_id for section in before.sections if not section.claims}
    for section in after.sections:
        if section.claims and section.assignment_id in empty:
            yield f"“{section.title}” is answered now."


def _contradictions(before: Report, after: Report) -> Iterator[str]:
    known = list(before.contradictions)
    for now in after.contradictions:
        then = _same(now, after, known, before)
        if then is None:
            yield f"{now.id} is new: {_sentence(now.about)} It {_ended(now)}"
            continue
        known.remove(then)
        if (then.state, then.ruling) != (now.state, now.ruling):
            yield f"{now.id} {_ended(now)}"
    for gone in known:
        yield f"{gone.id} of the earlier report is no longer found: {_sentence(gone.about)}"


def _same(
    now: Contradiction, after: Report, known: Sequence[Contradiction], before: Report
) -> Contradiction | None:
    """Find what was known of a contradiction: between the same words, else about the same thing."""
    for then in known:
        if then.about == now.about and _sides(then, before) == _sides(now, after):
            return then
    for then in known:
        if then.kind is now.kind and (
            then.about == now.about or _sides(then, before) == _sides(now, after)
        ):
            return then
    return None


def _sides(contradiction: Contradiction, report: Report) -> set[tuple[str, int, int]]:
    return _words(tuple(claim for claim in report.claims if claim.id in contradiction.claims))


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

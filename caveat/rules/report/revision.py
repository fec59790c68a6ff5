"""Revisions: what a follow-up, or a schedule's next run, changed, in sentences that code writes."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Report, ReportedSource, Revision
from caveat.rules.contradictions.choices import describe_settlement
from caveat.rules.contradictions.recurrence import match_contradictions
from caveat.rules.lines import shorten


def compare_reports(of: str, before: Report | None, after: Report) -> Revision:
    """Compare a report with that of the run that it follows up, if that has one."""
    if before is None:
        return Revision(of=of, changes=("The earlier run had no report.",))
    return Revision(of=of, changes=tuple(_list_changes(before, after)))


def _list_changes(before: Report, after: Report) -> Iterator[str]:
    old, new = ({claim.place for claim in each.claims} for each in (before, after))
    if added := len(new - old):
        yield f"{_format_count(added, 'claim')} new."
    if removed := len(old - new):
        yield f"{_format_count(removed, 'claim')} no longer used."
    yield from _describe_answered(before, after)
    read = {source.id for source in after.sources if source.snapshot_sha256} - {
        source.id for source in before.sources if source.snapshot_sha256
    }
    if read:
        more = "One more source was" if len(read) == 1 else f"{len(read)} more sources were"
        yield f"{more} read."
    yield from _compare_contradictions(before, after)
    yield from _compare_failures(before, after)
    has_model = before.reasoner.uses_language_model and after.reasoner.uses_language_model
    if has_model and before.confidence.value != after.confidence.value:
        yield (
            f"The confidence is {after.confidence.value:.2f}; it was {before.confidence.value:.2f}."
        )


def _format_count(number: int, noun: str) -> str:
    return f"{number} {noun} is" if number == 1 else f"{number} {noun}s are"


def _describe_answered(before: Report, after: Report) -> Iterator[str]:
    empty = {section.assignment_id for section in before.sections if not section.claims}
    for section in after.sections:
        if section.claims and section.assignment_id in empty:
            yield f"“{section.title}” is answered now."


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


def _compare_failures(before: Report, after: Report) -> Iterator[str]:
    lost = sum(not failed.recovered for failed in before.failures)
    still = sum(not failed.recovered for failed in after.failures)
    if still < lost:
        yield f"{lost - still} of {lost} failed tasks were made good."
    elif lost:
        yield f"{still} failed tasks remain."


_SHOWN = 200  # characters of a quote: enough to recognise it; the report has it whole
_MOST = 40  # changes that are listed: who wants more reads both reports

_NUMBER = re.compile(r"\d+(?:[.,\u202f\u00a0 ]\d+)*")


def compare_scheduled_runs(before: Report, after: Report) -> Revision:
    """Say what has changed since an earlier run of the same schedule; nothing where nothing has."""
    # Changed in the world, not with the reasoner: a source that says what it said is no news,
    # whatever is quoted of it this time. Only texts that are new, have changed or are gone can
    # bring or take claims, and contradictions come and go with these.
    changes = list(_list_source_changes(before, after))
    if len(changes) > _MOST:
        changes[_MOST:] = [f"{len(changes) - _MOST} more changes are not listed."]
    return Revision(of=before.run_id, changes=tuple(changes))


def _list_source_changes(before: Report, after: Report) -> Iterator[str]:
    then, now = _read(before), _read(after)
    for place in sorted(now.keys() - then.keys()):
        yield f"New source: {_quote_title(now[place])}."
    changed = {
        place
        for place in now.keys() & then.keys()
        if now[place].snapshot_sha256 != then[place].snapshot_sha256
    }
    for place in sorted(changed):
        yield f"The text of {_quote_title(now[place])} has changed."
    for place in sorted(then.keys() - now.keys()):
        yield f"Not among the sources any more: {_quote_title(then[place])}."
    moving = changed | (now.keys() ^ then.keys())
    yield from _compare_quotes(
        _list_quotes(before, moving), _list_quotes(after, moving), {**then, **now}
    )
    yield from _compare_contradictions(before, after)


_Said = tuple[str, str]  # where a source lies, and what is quoted of it


def _compare_quotes(
    old: Sequence[_Said], new: Sequence[_Said], sources: Mapping[str, ReportedSource]
) -> Iterator[str]:
    gone = [statement for statement in old if statement not in new]
    come = [statement for statement in new if statement not in old]
    for was, now in _pair_changed(gone, come):
        gone.remove(was)
        come.remove(now)
        before, after = _quote_sentence(was), _quote_sentence(now)
        yield f"{_quote_title(sources[now[0]])}: {before} is now {after}."
    for statement in come:
        yield f"New in {_quote_title(sources[statement[0]])}: {_quote_sentence(statement)}."
    for statement in gone:
        yield f"Gone from {_quote_title(sources[statement[0]])}: {_quote_sentence(statement)}."


def _pair_changed(gone: Sequence[_Said], come: Sequence[_Said]) -> list[tuple[_Said, _Said]]:
    """Pair sentences of one source that differ in their numbers alone."""
    waiting = {_mask_numbers(statement): statement for statement in reversed(gone)}
    return [(waiting.pop(_mask_numbers(now)), now) for now in come if _mask_numbers(now) in waiting]


def _mask_numbers(statement: _Said) -> _Said:
    return statement[0], _NUMBER.sub("#", statement[1])


def _list_quotes(report: Report, moving: Collection[str]) -> list[_Said]:
    """What is quoted of the sources that lie at these places, once each."""
    places = {source.id: _find_place(source) for source in report.sources}
    statements = ((places.get(claim.source_id, ""), claim.quote) for claim in report.claims)
    return list(dict.fromkeys(each for each in statements if each[0] in moving))


def _read(report: Report) -> dict[str, ReportedSource]:
    return {_find_place(source): source for source in report.sources if source.snapshot_sha256}


def _find_place(source: ReportedSource) -> str:
    """Where a source lies; its id changes with the text of a document."""
    return source.path or source.url or source.id


def _quote_title(source: ReportedSource) -> str:
    return f"“{source.title[:120]}”"


def _quote_sentence(statement: _Said) -> str:
    return f"“{shorten(statement[1], _SHOWN)}”"

"""What a scheduled run found otherwise than the one before: of the world, not of the reasoner.

A source that says what it said is no news, whatever is quoted of it this time: only texts that are
new, have changed or are gone can bring or take claims, and contradictions come and go with these.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from caveat.contracts.report import Report, ReportedSource, Revision
from caveat.rules.report.revision import contradictions_since

_SHOWN = 200
"""Characters of a quote: enough to recognise it; the report has it whole."""

_MOST = 40
"""Changes that are listed: who wants more reads both reports."""

_NUMBER = re.compile(r"\d+(?:[.,\u202f\u00a0 ]\d+)*")


def news(before: Report, after: Report) -> Revision:
    """Say what has changed since an earlier run of the same schedule; nothing where nothing has."""
    changes = list(_changes(before, after))
    if len(changes) > _MOST:
        changes[_MOST:] = [f"{len(changes) - _MOST} more changes are not listed."]
    return Revision(of=before.run_id, changes=tuple(changes))


def _changes(before: Report, after: Report) -> Iterator[str]:
    then, now = _read(before), _read(after)
    for place in sorted(now.keys() - then.keys()):
        yield f"New source: {_titled(now[place])}."
    changed = {
        place
        for place in now.keys() & then.keys()
        if now[place].snapshot_sha256 != then[place].snapshot_sha256
    }
    for place in sorted(changed):
        yield f"The text of {_titled(now[place])} has changed."
    for place in sorted(then.keys() - now.keys()):
        yield f"Not among the sources any more: {_titled(then[place])}."
    moving = changed | (now.keys() ^ then.keys())
    yield from _claims(_said(before, moving), _said(after, moving), {**then, **now})
    yield from contradictions_since(before, after)


_Said = tuple[str, str]
"""Where a source lies, and what is quoted of it."""


def _claims(
    old: Sequence[_Said], new: Sequence[_Said], sources: Mapping[str, ReportedSource]
) -> Iterator[str]:
    gone = [said for said in old if said not in new]
    come = [said for said in new if said not in old]
    for was, now in _moved(gone, come):
        gone.remove(was)
        come.remove(now)
        yield f"{_titled(sources[now[0]])}: {_quoted(was)} is now {_quoted(now)}."
    for said in come:
        yield f"New in {_titled(sources[said[0]])}: {_quoted(said)}."
    for said in gone:
        yield f"Gone from {_titled(sources[said[0]])}: {_quoted(said)}."


def _moved(gone: Sequence[_Said], come: Sequence[_Said]) -> list[tuple[_Said, _Said]]:
    """Pair sentences of one source that differ in their numbers alone."""
    waiting = {_form(said): said for said in reversed(gone)}
    return [(waiting.pop(_form(now)), now) for now in come if _form(now) in waiting]


def _form(said: _Said) -> _Said:
    return said[0], _NUMBER.sub("#", said[1])


def _said(report: Report, moving: Collection[str]) -> list[_Said]:
    """What is quoted of the sources that lie at these places, once each."""
    places = {source.id: _place(source) for source in report.sources}
    said = ((places.get(claim.source_id, ""), claim.quote) for claim in report.claims)
    return list(dict.fromkeys(each for each in said if each[0] in moving))


def _read(report: Report) -> dict[str, ReportedSource]:
    return {_place(source): source for source in report.sources if source.snapshot_sha256}


def _place(source: ReportedSource) -> str:
    """Where a source lies; its id changes with the text of a document."""
    return source.path or source.url or source.id


def _titled(source: ReportedSource) -> str:
    return f"“{source.title[:120]}”"


def _quoted(said: _Said) -> str:
    text = " ".join(said[1].split())
    return f"“{text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'}”"

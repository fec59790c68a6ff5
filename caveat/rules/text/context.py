"""Context: the sentences around a quote that a reader needs to understand it."""

from bisect import bisect_right

from caveat.contracts.source import Snapshot
from caveat.rules.text.sentences import Span, sentences

NEIGHBOURS = 3
"""Sentences on each side. Of 67 questions of the tuning half of benchmarks/answers the seven best
windows answered 39, 42 and 45 with one, two and three."""

LONGEST = 700
"""Characters of a quote and its context together, about 110 words: what one looks over at once. A
longer quote has none."""

_REACH = 2 * LONGEST
"""Characters on each side that are cut into sentences to find them: what begins or ends farther
away than the longest fits into no window, and to cut takes half of the time of keeping a claim."""


def around(snapshot: Snapshot, start: int, end: int) -> Span:
    """Find what is shown around a quote: whole sentences under the same heading.

    Args:
        snapshot: the text.
        start: where the quote begins.
        end: where it ends.

    Returns:
        A span that holds the quote; the quote's own where nothing fits.
    """
    low, high = _bounds(snapshot, start, end)
    near = [Span(low + each.start, low + each.end) for each in sentences(snapshot.text[low:high])]
    before = [each for each in near if each.end <= start][-NEIGHBOURS:]
    behind = [each for each in near if each.start >= end][:NEIGHBOURS]
    whole = _completed(near, start, end)
    for _ in range(NEIGHBOURS):
        if behind and behind[0].end - whole.start <= LONGEST:
            whole = Span(whole.start, behind.pop(0).end)
        if before and whole.end - before[-1].start <= LONGEST:
            whole = Span(before.pop().start, whole.end)
    return whole


def _completed(near: list[Span], start: int, end: int) -> Span:
    """The sentences that hold the quote, where they are no longer than a window."""
    own = [each for each in near if each.start < end and start < each.end]
    whole = Span(min([start, *(s.start for s in own)]), max([end, *(s.end for s in own)]))
    return whole if whole.end - whole.start <= LONGEST else Span(start, end)


def _bounds(snapshot: Snapshot, start: int, end: int) -> tuple[int, int]:
    """Where the text under the quote's heading begins and ends, at most a reach away."""
    marks = snapshot.landmarks
    place = bisect_right(marks, start, key=lambda mark: mark.offset)
    low = max(start - _REACH, 0)
    if place:
        heading = marks[place - 1]
        name = heading.label.rsplit(" › ", 1)[-1]
        shown = snapshot.text.startswith(name, heading.offset)
        own = heading.offset + (len(name) if shown else 0)
        low = max(low, own if own <= start else heading.offset)
    high = min(end + _REACH, len(snapshot.text))
    following = next((mark.offset for mark in marks[place:] if mark.offset >= end), high)
    return low, min(high, following)

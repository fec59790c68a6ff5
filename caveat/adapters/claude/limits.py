"""How long an answer may take, and how long it may be."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """The bounds of one role.

    Attributes:
        deadline_s: seconds for a whole task, its second turn included. Shorter than the activity's
            start-to-close in `workflows/options.py`, so that a slow answer ends as a timeout with
            its usage and not as a lost worker.
        room: tokens of an answer. Asked for again with more where it is not enough.
    """

    deadline_s: float
    room: int


@dataclass(frozen=True)
class Limits:
    """Every bound on calls.

    Attributes:
        connect_s: seconds to connect; a server that is there accepts at once.
        silence_s: seconds without a byte: a stream sends pings more often than that.
        planning: at most eight angles of a few lines.
        reformulation: one line.
        analysis: at most twenty claims with their quotes.
        detection: a line for each pair of claims.
        debate: one or two sentences a claim.
        synthesis: a whole report's prose, the longest answer of a run.
        writing: the same prose once more.
        search: a search and a word; the results are the server's and take no room.
    """

    connect_s: float = 5
    silence_s: float = 120
    planning: Bounds = Bounds(deadline_s=165, room=4_000)
    reformulation: Bounds = Bounds(deadline_s=50, room=1_000)
    analysis: Bounds = Bounds(deadline_s=165, room=8_000)
    detection: Bounds = Bounds(deadline_s=165, room=12_000)
    debate: Bounds = Bounds(deadline_s=165, room=12_000)
    synthesis: Bounds = Bounds(deadline_s=345, room=24_000)
    writing: Bounds = Bounds(deadline_s=345, room=24_000)
    search: Bounds = Bounds(deadline_s=45, room=1_000)

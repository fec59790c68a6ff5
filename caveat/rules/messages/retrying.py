"""When a message is tried again that its receiver could not deal with."""

LADDER_S = (1.0, 2.0, 4.0)
"""Seconds before each further attempt, as of every task: a fault that outlives 7 s needs more than
the same message once more."""

ATTEMPTS = len(LADDER_S) + 1
"""The first one, and one after each rung; then the message is dead."""

MOST_WAITING = 1_000
"""Messages that wait for one agent at most: whoever is so far behind is better told by its senders'
failures than by a backlog. The next one is refused to its sender, and none is dropped for it."""


def delay(failures: int) -> float | None:
    """Return the seconds until the next attempt after so many failures; None after the last."""
    return LADDER_S[failures - 1] if 0 < failures < ATTEMPTS else None

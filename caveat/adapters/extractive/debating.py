"""The debate without a model: each participant counts what its lens shows, and says no more."""

from caveat.contracts.debate import Challenge
from caveat.contracts.tasks import DebateTask


def debate(task: DebateTask) -> tuple[Challenge, ...]:
    """Say what one participant has to say about the claims, most telling first."""
    del task
    return ()

"""Whether a run has ended in a way that a follow-up may mend, and what of it."""

from caveat.contracts.outcome import NamedEnd, Outcome, RunRecord
from caveat.rules.following_up import Scope, scope
from clients.standings import Standing


def invites_follow_up(stands: Standing | RunRecord) -> bool:
    """Say whether a run has ended in a way that a follow-up may mend."""
    return not scope_of(stands).is_empty


def scope_of(stands: Standing | RunRecord, *, everything: bool = False) -> Scope:
    """Say which failures of an ended run a follow-up tries again, and which it leaves out.

    Args:
        stands: the run; one that goes on or left nothing has nothing to be tried again.
        everything: whether also that is tried which is not likely to work now.
    """
    if isinstance(stands, RunRecord):
        return scope(stands.ending, stands.failures, everything=everything)
    match stands.closed:
        case Outcome():
            return scope(None, stands.failures(), everything=everything)
        case NamedEnd() as end:
            return scope(end.ending, end.failures, everything=everything)
        case _:
            return Scope()

"""How long a command stays with a run that waits for people."""

from enum import Enum, auto

from caveat.clients.problems import BadInput


class Patience(Enum):
    """What a command does while a run waits for people."""

    NONE = auto()  # return with the provisional report
    WHILE_ASKING = auto()
    """Ask whoever sits at the terminal and wait; without anybody there, as `NONE`."""
    FULL = auto()  # wait until people have ruled, or their time is over

    def lasts(self, *, somebody_is_here: bool) -> bool:
        """Say whether to wait."""
        return self is Patience.FULL or (self is Patience.WHILE_ASKING and somebody_is_here)


def parse_patience(*, wait: bool, provisional: bool = False, detach: bool = False) -> Patience:
    """Read the options that say it."""
    if detach and (wait or provisional):
        raise BadInput("--detach follows nothing: leave --wait and --provisional out.")
    if provisional and wait:
        raise BadInput("--provisional returns at once and --wait waits: keep one of them.")
    if provisional:
        return Patience.NONE
    return Patience.FULL if wait else Patience.WHILE_ASKING

"""Whose server it is, before anything connects to it."""

from workers.connection import configured
from workers.problem import ServerProblem


def names_own_server() -> bool:
    """Say whether the environment or a Temporal profile names a server of your own.

    A configuration that cannot be used means one, too: connecting then says what is wrong with it.
    """
    try:
        return configured() is not None
    except ServerProblem:
        return True

"""Whoever sits at this machine."""

import getpass


def user() -> str | None:
    """Name whoever types, as the machine knows them; None of a user id without a name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # as in many containers
        return None


def person() -> str:
    """Name whoever types, for people."""
    return user() or "somebody at the terminal"

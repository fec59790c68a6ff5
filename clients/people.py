"""Whoever sits at this machine."""

import getpass


def person() -> str:
    """Name whoever types, as the machine knows them."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without an entry, as in some containers
        return "somebody at the terminal"

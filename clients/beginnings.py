"""What people type for a run or an arbitration, before anybody is asked whether there is one."""

from clients.problems import BadInput

LATEST = "latest"
"""Stands for the run that was started last."""


def run_beginning(typed: str) -> str:
    """Take the beginning of a run's id from what was typed.

    Raises:
        BadInput: it is empty.
    """
    return _beginning(typed, "a run", "caveat runs")


def arbitration_beginning(typed: str) -> str:
    """Take the beginning of an arbitration's id from what was typed.

    Raises:
        BadInput: it is empty.
    """
    return _beginning(typed, "an arbitration", "caveat inbox")


def _beginning(typed: str, what: str, command: str) -> str:
    beginning = typed.strip("\r\n")
    if not beginning.strip():
        raise BadInput(
            f"Name {what}: its id or the beginning of it, as `{command}` lists it, or `{LATEST}`."
        )
    return beginning

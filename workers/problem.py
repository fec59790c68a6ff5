"""What people are told when the Temporal server cannot be used."""


class ServerProblem(Exception):
    """The Temporal server cannot be used.

    Args:
        sentence: exactly one sentence for people that says what to do.
    """

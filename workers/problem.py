"""What people are told when the Temporal server cannot be used."""


class ServerProblem(Exception):  # noqa: N818  # it is shown as a sentence, not as an error type
    """The Temporal server cannot be used.

    Args:
        sentence: exactly one sentence for people that says what to do.
    """

"""What goes wrong for people who come in, each with one sentence that says what to do."""


class Problem(Exception):
    """Something that a person is told in one sentence.

    Args:
        sentence: what is wrong and what to do about it.
    """


class BadInput(Problem):
    """What was asked cannot be done as it was asked."""


class NoSuchRun(BadInput):
    """The server does not know a run of that id."""


class NoResult(Problem):
    """The run exists and does not have what was asked of it."""


class OutOfReach(Problem):
    """A server, or a worker behind it, does not answer."""

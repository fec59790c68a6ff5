"""What waits for a person."""

import datetime as dt

from caveat.contracts.base import Contract


class Waiting(Contract):
    """One line of the inbox.

    Attributes:
        arbitration: workflow id, which `caveat rule` takes.
        topic: what its run was asked.
        about: what the sources disagree about.
        opened: when people were asked, UTC.
        deadline: until when they may rule, UTC.
    """

    arbitration: str
    topic: str
    about: str
    opened: dt.datetime
    deadline: dt.datetime

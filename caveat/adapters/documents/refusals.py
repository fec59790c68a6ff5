"""Why a document is not read; the text completes “The page at … ” or “name.pdf … ”."""

from enum import StrEnum


class Why(StrEnum):
    """What stands against a document."""

    DAMAGED = "damaged"
    """It holds nothing that can be read, or nothing of its format."""
    TOO_LARGE = "too-large"
    """It takes more time, memory or room than one document may."""
    FOR_SALE = "for-sale"
    """It says that it is open to those who pay; what it shows all the same is not taken."""
    LATE = "late"
    """The machine had too much else to do; another time may be better."""


class Unreadable(Exception):
    """A document cannot be read, and reading it again ends the same way.

    Args:
        said: completes a sentence that begins with the document's name.
        why: what stands against it.
    """

    def __init__(
        self, said: str = "is damaged, or not what its ending says", why: Why = Why.DAMAGED
    ) -> None:
        super().__init__(said)
        self.why = why

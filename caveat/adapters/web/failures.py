"""Why a page is not read, in the domain's words."""

from caveat.adapters.http.client import HttpAnswer
from caveat.adapters.http.failures import Fault, Provider, meaning
from caveat.adapters.http.meanings import CLOSED, WITHHELD, Meaning
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.failures import PortFailure

_LONGEST_WAIT_S = 120.0
"""Seconds that a task waits for one host at most. Whoever asks for more is left alone for as long
as it asked, but the run goes on without that page."""

_STATUSES: dict[int, Meaning] = {
    2: (*WITHHELD, "holds nothing"),
    3: (*WITHHELD, "leads nowhere"),
    401: (*CLOSED, "is open to those who log in only"),
    402: (*CLOSED, "is open to those who pay only"),
    403: (*CLOSED, "may not be read by this program"),
}
"""What is not to be had for one reader is to be had elsewhere."""


def unreadable(ended: HttpAnswer | Fault, *, url: str, host: str) -> PortFailure:
    """Name what stopped a fetch: an answer without a page, or an error.

    Args:
        ended: how it ended.
        url: the page as it was asked for.
        host: who was asked last; the provider of failures that are the host's own, so that one
            host's trouble is not taken for everybody's.
    """
    _, category, _ = meaning(ended, _STATUSES)
    # A page that says itself that it is for sale says nothing of its host's other pages.
    is_refusal = category is FailureCategory.PERMISSION and isinstance(ended, HttpAnswer)
    is_of_host = is_refusal or category is FailureCategory.TRANSIENT
    page = Provider(
        subject=f"The page at {host or url[:100]}",
        resource=url[:500],
        provider=host if is_of_host else None,
        longest_wait_s=_LONGEST_WAIT_S,
        statuses=_STATUSES,
    )
    return page.failed(ended)


def unforeseen(error: Exception, *, url: str, host: str) -> PortFailure:
    """Name an error that nobody foresaw as trouble with the host whose page it came from."""
    # The error's own text may hold text of the page, so only its class travels.
    return PortFailure(
        Failure(
            category=FailureCategory.UNKNOWN,
            failure_type=FailureType.PERMANENT,
            message=f"The page at {host or url[:100]} stopped its reader in a way that nobody "
            f"foresaw ({type(error).__name__}); the worker's log has it.",
            resource=url[:500],
            provider=host or None,
        )
    )

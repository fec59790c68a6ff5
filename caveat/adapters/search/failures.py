"""What goes wrong with a search engine, in the domain's words."""

from collections.abc import Mapping

from caveat.adapters.http.client import Answer
from caveat.adapters.http.failures import Asked, Fault
from caveat.adapters.http.failures import meaning as meaning_of
from caveat.adapters.http.meanings import CLOSED, DOWN, UNFIT, Meaning
from caveat.failures import PortFailure
from caveat.rules.sources import corrected

LONGEST_WAIT_S = 600.0
"""Seconds that a search waits for an engine at most. Without sources there is no report, so this is
longer than for a page, but a run does not wait for tomorrow's quota."""

MISUNDERSTOOD: Meaning = (*UNFIT, "does not understand the query")
TOO_LONG: Meaning = (*UNFIT, "finds the query too long")
"""What other words may help against, and nothing else."""

NO_KEY: Meaning = (*CLOSED, "has no key here")
MALFORMED: Meaning = (*DOWN, "sends answers that cannot be understood")
"""A proxy's error page rather than a change of format is what this is most often."""

_STATUSES: dict[int, Meaning] = {
    2: MALFORMED,
    400: MISUNDERSTOOD,
    401: (*CLOSED, "does not accept the key"),
    414: TOO_LONG,
    422: MISUNDERSTOOD,
}
"""What every engine means by these."""

_NO_STATUSES: Mapping[int, Meaning] = {}


def failed(
    engine: str,
    ended: Answer | Fault | Meaning,
    statuses: Mapping[int, Meaning] = _NO_STATUSES,
    *,
    query: str = "",
    retry_after: str = "",
) -> PortFailure:
    """Name what stopped a search.

    Args:
        engine: whose failure it is.
        ended: an answer that is no success, an error, or what it means itself.
        statuses: what this engine means by statuses of HTTP, where that is not the usual.
        query: what it was asked, as it was typed; empty where it was given other words than those.
        retry_after: the header of that name, where `ended` is a meaning.
    """
    meant = meaning_of(ended, {**_STATUSES, **statuses})
    asked = Asked(
        subject=f"The search engine {engine}",
        resource=engine,
        provider=engine,
        longest_wait_s=LONGEST_WAIT_S,
        statuses={**_STATUSES, **statuses},
    )
    words = corrected(query) if meant in {MISUNDERSTOOD, TOO_LONG} else ()
    return asked.failed(ended, retry_after=retry_after, alternatives=words)

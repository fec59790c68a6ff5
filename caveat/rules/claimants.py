"""Who made a claim: the unit that people's rulings teach something about."""

from caveat.contracts.contradiction import Claimant
from caveat.contracts.source import SourceRef
from caveat.rules.credibility import ANYONE_HOSTS
from caveat.rules.identity import canonical_url, web_host

SHARED_HOSTS = (*ANYONE_HOSTS, "archive.org", "arxiv.org", "doi.org", "github.com", "zenodo.org")
"""Hosts that many unrelated authors publish at: a ruling on one of them says nothing of the next.

Resolvers, archives and repositories count with the open platforms here, though not in credibility.
"""


def claimant(source: SourceRef) -> Claimant:
    """Name who answers for what a source says.

    A publisher does for all of its pages, so a source with a web address belongs to its host,
    without `www.`. A page of a shared host and a file of a corpus stand for themselves.
    """
    return Claimant(id=_publisher(source) or source.id, address=source.url or source.path)


def _publisher(source: SourceRef) -> str | None:
    host = web_host(canonical_url(source.url or ""))
    shared = any(host == each or host.endswith(f".{each}") for each in SHARED_HOSTS)
    return None if shared else host or None

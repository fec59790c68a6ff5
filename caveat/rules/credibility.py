"""Credibility of a source before it is read: visible factors that add up.

The amounts are judgements, ordered as evidence hierarchies order kinds of publication (reviewed
work above reports, reports above news, news above opinion); they are here, in one place, to be seen
and argued with. No single one of them decides: a report prints them all.
"""

import datetime as dt
from collections.abc import Iterable

from caveat.contracts.source import Credibility, CredibilityFactor, SourceKind, SourceRef
from caveat.rules.identity import web_host

KIND: dict[SourceKind, float] = {
    SourceKind.PEER_REVIEWED: 0.55,
    SourceKind.STANDARD: 0.55,
    SourceKind.DATASET: 0.50,
    SourceKind.BOOK: 0.50,
    SourceKind.DOCUMENTATION: 0.50,
    SourceKind.REPORT: 0.45,
    SourceKind.ENCYCLOPEDIA: 0.45,
    SourceKind.PREPRINT: 0.40,
    SourceKind.NEWS: 0.40,
    SourceKind.UNKNOWN: 0.35,
    SourceKind.BLOG: 0.25,
    SourceKind.FORUM: 0.15,
    SourceKind.ADVERTISING: 0.05,
}
"""Where every score starts."""

ACCOUNTABLE = 0.15
"""For publishers that answer for what they publish: governments, universities, DOI registrants."""
ACCOUNTABLE_SUFFIXES = (".gov", ".edu", ".mil", ".int", ".ac.uk", ".gov.uk", ".europa.eu")
ACCOUNTABLE_HOSTS = (
    "doi.org",
    "nature.com",
    "science.org",
    "who.int",
    "rfc-editor.org",
    "ietf.org",
)

ANYONE = -0.10
"""For platforms where anyone publishes anything unseen."""
ANYONE_HOSTS = (
    "blogspot.com", "facebook.com", "linkedin.com", "medium.com", "quora.com", "reddit.com",
    "substack.com", "tiktok.com", "tumblr.com", "twitter.com", "wordpress.com", "x.com",
    "youtube.com",
)  # fmt: skip

RECENT = ((dt.timedelta(days=5 * 365), 0.10), (dt.timedelta(days=10 * 365), 0.05))
"""Newer work knows what older work found; after ten years age says nothing more."""

CITED = ((100, 0.10), (10, 0.05))
"""Citations are known only for some sources, so they can lift a score and never lower it."""

CHOSEN = 0.10
"""For documents in a folder that the person who asks put there."""


_KIND = "kind"
_ACCOUNTABLE = "accountable publisher"
_ANYONE = "open platform"
_CHOSEN = "chosen by the person who asks"


def _published(limit: dt.timedelta) -> str:
    return f"published within {limit.days // 365} years"


def _cited(least: int) -> str:
    return f"cited at least {least} times"


def credibility(source: SourceRef, today: dt.date) -> Credibility:
    """Score a source, 0 to 1, from what is known without reading it."""
    factors = [CredibilityFactor(reason=f"{_KIND}: {source.kind}", amount=KIND[source.kind])]
    factors += _publisher(source) + _recency(source, today) + _citations(source)
    if source.corpus is not None:
        factors.append(CredibilityFactor(reason=_CHOSEN, amount=CHOSEN))
    return Credibility(score=total(factors), factors=tuple(factors))


def total(factors: Iterable[CredibilityFactor]) -> float:
    """Add the factors of a score up, kept within 0 and 1."""
    return round(min(1.0, max(0.0, sum(factor.amount for factor in factors))), 2)


def amount_of(reason: str) -> float | None:
    """Return what a factor's reason is worth, None where no rule gives anything for it."""
    name, _, of = reason.partition(": ")
    if name == _KIND:
        return KIND[SourceKind(of)] if of in set(SourceKind) else None
    named = {_ACCOUNTABLE: ACCOUNTABLE, _ANYONE: ANYONE}
    if of:
        return named.get(name)
    fixed = {_CHOSEN: CHOSEN}
    fixed |= {_published(limit): amount for limit, amount in RECENT}
    fixed |= {_cited(least): amount for least, amount in CITED}
    return fixed.get(reason)


def _publisher(source: SourceRef) -> list[CredibilityFactor]:
    host = web_host(source.url)
    if host.endswith(ACCOUNTABLE_SUFFIXES) or _within(host, ACCOUNTABLE_HOSTS):
        return [CredibilityFactor(reason=f"{_ACCOUNTABLE}: {host}", amount=ACCOUNTABLE)]
    if _within(host, ANYONE_HOSTS):
        return [CredibilityFactor(reason=f"{_ANYONE}: {host}", amount=ANYONE)]
    return []


def _within(host: str, domains: tuple[str, ...]) -> bool:
    return any(host == domain or host.endswith("." + domain) for domain in domains)


def _recency(source: SourceRef, today: dt.date) -> list[CredibilityFactor]:
    if source.published is None:
        return []
    age = today - source.published
    for limit, amount in RECENT:
        if age <= limit:
            return [CredibilityFactor(reason=_published(limit), amount=amount)]
    return []


def _citations(source: SourceRef) -> list[CredibilityFactor]:
    for least, amount in CITED:
        if source.citations is not None and source.citations >= least:
            return [CredibilityFactor(reason=_cited(least), amount=amount)]
    return []

"""Credibility of a source before it is read: visible factors that add up.

The amounts are judgements, ordered as evidence hierarchies order kinds of publication (reviewed
work above reports, reports above news, news above opinion); they are here, in one place, to be seen
and argued with. No single one of them decides: a report prints them all.
"""

import datetime as dt

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


def credibility(source: SourceRef, today: dt.date) -> Credibility:
    """Score a source, 0 to 1, from what is known without reading it."""
    factors = [CredibilityFactor(reason=f"kind: {source.kind}", amount=KIND[source.kind])]
    factors += _publisher(source) + _recency(source, today) + _citations(source)
    if source.corpus is not None:
        factors.append(CredibilityFactor(reason="chosen by the person who asks", amount=CHOSEN))
    total = sum(factor.amount for factor in factors)
    return Credibility(score=round(min(1.0, max(0.0, total)), 2), factors=tuple(factors))


def _publisher(source: SourceRef) -> list[CredibilityFactor]:
    host = web_host(source.url)
    if host.endswith(ACCOUNTABLE_SUFFIXES) or _within(host, ACCOUNTABLE_HOSTS):
        return [CredibilityFactor(reason=f"accountable publisher: {host}", amount=ACCOUNTABLE)]
    if _within(host, ANYONE_HOSTS):
        return [CredibilityFactor(reason=f"open platform: {host}", amount=ANYONE)]
    return []


def _within(host: str, domains: tuple[str, ...]) -> bool:
    return any(host == domain or host.endswith("." + domain) for domain in domains)


def _recency(source: SourceRef, today: dt.date) -> list[CredibilityFactor]:
    if source.published is None:
        return []
    age = today - source.published
    for limit, amount in RECENT:
        if age <= limit:
            years = limit.days // 365
            return [CredibilityFactor(reason=f"published within {years} years", amount=amount)]
    return []


def _citations(source: SourceRef) -> list[CredibilityFactor]:
    for least, amount in CITED:
        if source.citations is not None and source.citations >= least:
            return [CredibilityFactor(reason=f"cited at least {least} times", amount=amount)]
    return []

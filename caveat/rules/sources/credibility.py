"""Credibility of a source before it is read: visible factors that add up, and what is enough.

The amounts are judgements, ordered as evidence hierarchies order kinds of publication (reviewed
work above reports, reports above news, news above opinion); they are here, in one place, to be seen
and argued with. No single one of them decides: a report prints them all.
"""

import datetime as dt
import tomllib
from collections.abc import Iterator
from pathlib import Path

from caveat.contracts.source import Credibility, CredibilityFactor, KindBy, SourceKind, SourceRef
from caveat.rules.sources.identity import ANYONE_HOSTS, is_in_domains, parse_host

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


def _load_domains() -> tuple[str, ...]:
    listed = tomllib.loads(Path(__file__).with_name("publishers.toml").read_text("utf-8"))
    national = (domain for domains in listed["countries"].values() for domain in domains)
    return (*listed["worldwide"], *listed["journals"], *national)


ACCOUNTABLE_DOMAINS = frozenset(_load_domains())
"""Governments, universities, journals and agencies of forty countries; the file says whence."""

ANYONE = -0.10  # for platforms where anyone publishes anything unseen

RECENT = ((dt.timedelta(days=5 * 365), 0.10), (dt.timedelta(days=10 * 365), 0.05))
"""Newer work knows what older work found; after ten years age says nothing more."""

CITED = ((100, 0.10), (10, 0.05))
"""Citations are known only for some sources, so they can lift a score and never lower it."""

CHOSEN = 0.10  # for documents in a folder that the person who asks put there


_KIND = "kind"
_ACCOUNTABLE = "accountable publisher"
_ANYONE = "open platform"
_CHOSEN = "chosen by the person who asks"
_VOUCHED = "its kind is vouched for by the person who gives the folder"


def score_credibility(source: SourceRef, today: dt.date) -> Credibility:
    """Score a source, 0 to 1, from what is known without reading it."""
    # What is known of a document in a folder the document says itself, its address included, and no
    # factor is anybody else's word but that it was chosen, and its kind where somebody vouches for
    # that.
    factors = [*_list_factors(source, today)]
    if source.corpus is not None:
        factors.append(CredibilityFactor(reason=_CHOSEN, amount=CHOSEN))
        external = {_CHOSEN}  # what does not come from the document itself
        if source.kind_by is KindBy.PERSON:
            factors.append(CredibilityFactor(reason=_VOUCHED, amount=0.0))
            external |= {_VOUCHED, factors[0].reason}  # its kind
        factors = [
            each.model_copy(update={"self_stated": each.reason not in external}) for each in factors
        ]
    score = round(min(1.0, max(0.0, sum(factor.amount for factor in factors))), 2)
    return Credibility(score=score, factors=tuple(factors))


def compute_checked_score(source: SourceRef, score: float) -> float:
    """Return the part of a credibility that counts between sources, 0 to 1."""
    # What a document says for itself is shown and overrules nobody: three lines in a saved page
    # make it a reviewed paper of this year. What it says against itself counts, and so does the
    # kind that a person vouches for; what a model takes it for settles nothing.
    if source.corpus is None:
        return score
    unknown = KIND[SourceKind.UNKNOWN]
    if source.kind_by is KindBy.READER:
        score = round(score + unknown - KIND[source.kind], 2)
    own = {
        KindBy.METADATA: min(KIND[source.kind], unknown),
        KindBy.READER: unknown,
        KindBy.PERSON: KIND[source.kind],
    }[source.kind_by]
    own += sum(min(0.0, factor.amount) for factor in _rate_publisher(source))
    return min(score, round(max(0.0, own + CHOSEN), 2))


def _rate_publisher(source: SourceRef) -> list[CredibilityFactor]:
    host = parse_host(source.url)
    if is_in_domains(host, ACCOUNTABLE_DOMAINS):
        return [CredibilityFactor(reason=f"{_ACCOUNTABLE}: {host}", amount=ACCOUNTABLE)]
    if is_in_domains(host, ANYONE_HOSTS):
        return [CredibilityFactor(reason=f"{_ANYONE}: {host}", amount=ANYONE)]
    return []


def _list_factors(source: SourceRef, today: dt.date) -> Iterator[CredibilityFactor]:
    yield CredibilityFactor(reason=f"{_KIND}: {source.kind}", amount=KIND[source.kind])
    yield from _rate_publisher(source)
    for limit, amount in RECENT:
        if source.published is not None and today - source.published <= limit:
            reason = f"published within {limit.days // 365} years"
            yield CredibilityFactor(reason=reason, amount=amount)
            break
    for least, amount in CITED:
        if source.citations is not None and source.citations >= least:
            yield CredibilityFactor(reason=f"cited at least {least} times", amount=amount)
            break


BAR = 0.3  # credibility below which a source is set aside, with its score

LOWERED_BAR = 0.2
"""The bar of a run that found little: a weak source that is named as weak beats none."""

FEW_SOURCES = 10  # sources in a whole run under which the bar is lowered

FEW_FOR_ANGLE = 4
"""Sources that say something on an angle under which a follow-up search is made: one that was read
and says nothing answers nothing."""

RELEVANT = 0.3
"""Relevance from which a claim counts as an answer. What has less only touches on the question: of
five words that are asked for it has one."""

NEAREST = 0.1
"""Relevance below which a passage of a small folder does not even come near. Of 157 questions of
the tuning half of benchmarks/answers, each asked of five documents, 8 find nothing of 0.3, and 6 of
these something of 0.1, which is the answer for 4."""

SMALL = 16
"""Documents of a folder that is read whole, so that what comes nearest in it is worth showing where
nothing answers. In a larger one any passage shares a word with any question."""


def select_bar(sources_in_run: int) -> float:
    """The bar once every search of a run has returned."""
    return LOWERED_BAR if sources_in_run < FEW_SOURCES else BAR

"""Excerpts: a quote in the passage around it, as its source has it."""

from collections.abc import Mapping
from dataclasses import dataclass

from caveat.contracts.claim import Claim
from caveat.contracts.report import Report

REACH = 600
"""Characters on each side of a quote, about a hundred words: enough to see what is meant."""


@dataclass(frozen=True)
class Excerpt:
    """A quote and what stands around it.

    Attributes:
        before: directly before it; begins with an ellipsis where it does not begin the text.
        quote: the quote.
        after: directly behind it; ends with an ellipsis where it does not end the text.
        is_read: whether it was read in the snapshot, and not taken from the claim alone.
    """

    before: str
    quote: str
    after: str
    is_read: bool


def excerpt(claim: Claim, text: str | None) -> Excerpt:
    """Show a claim's quote in its source.

    Args:
        claim: whose quote.
        text: of the snapshot; None where it is not at hand.
    """
    if text is None or text[claim.start : claim.end] != claim.quote:
        return Excerpt(claim.before, claim.quote, claim.after, is_read=False)
    before, after = text[: claim.start], text[claim.end :]
    return Excerpt(_tail(before), claim.quote, _head(after), is_read=True)


def excerpts(report: Report, texts: Mapping[str, str | None]) -> dict[str, Excerpt]:
    """Show every claim of a report in its source, by claim.

    Args:
        report: whose claims.
        texts: of snapshots by address, as far as they are at hand.
    """
    addresses = {source.id: source.snapshot_sha256 for source in report.sources}
    return {
        claim.id: excerpt(claim, texts.get(addresses.get(claim.source_id) or ""))
        for claim in report.claims
    }


def _tail(text: str) -> str:
    """The last words of a text, from the beginning of one."""
    if len(text) <= REACH:
        return text
    cut = text[-REACH:]
    return "… " + cut[cut.find(" ") + 1 :]


def _head(text: str) -> str:
    if len(text) <= REACH:
        return text
    return text[:REACH].rsplit(" ", 1)[0] + " …"

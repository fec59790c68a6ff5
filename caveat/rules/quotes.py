"""Quotes: a claim stands only on words that are in the snapshot."""

from collections.abc import Iterator, Mapping, Sequence

from caveat.contracts.audit import Check, Finding
from caveat.contracts.claim import Claim
from caveat.contracts.report import Report


def verified(claims: Sequence[Claim], text: str) -> tuple[tuple[Claim, ...], int]:
    """Keep the claims whose quote is in a text, with offsets that are right.

    Offsets that are off are mended to the occurrence nearest to where the claim says it is.

    Args:
        claims: claims of one source.
        text: the text of its snapshot.

    Returns:
        The claims that stand, in their order, and how many were rejected.
    """
    standing = tuple(mended for claim in claims if (mended := _mended(claim, text)) is not None)
    return standing, len(claims) - len(standing)


def _mended(claim: Claim, text: str) -> Claim | None:
    if _stands(claim, text):
        return claim
    start = min(_occurrences(claim.quote, text), key=lambda at: abs(at - claim.start), default=None)
    if start is None:
        return None
    return claim.model_copy(update={"start": start, "end": start + len(claim.quote)})


def _stands(claim: Claim, text: str) -> bool:
    # A slice that ends behind the text is cut silently, so the length is compared as well.
    long_enough = claim.end - claim.start == len(claim.quote)
    return long_enough and text[claim.start : claim.end] == claim.quote


def _occurrences(quote: str, text: str) -> Iterator[int]:
    at = text.find(quote)
    while at != -1:
        yield at
        at = text.find(quote, at + 1)


def quote_findings(report: Report, texts: Mapping[str, str | None]) -> Iterator[Finding]:
    """Check every claim's quote against its snapshot.

    Args:
        report: the report.
        texts: the text of each snapshot by its SHA-256; None or absent when it is missing.

    Yields:
        A finding for each claim whose quote is not where it says, or cannot be checked.
    """
    addresses = {source.id: source.snapshot_sha256 for source in report.sources}
    for claim in report.claims:
        address = addresses.get(claim.source_id)
        if address is None:
            # A claim without a source that was read is a citation finding.
            continue
        problem = _problem(claim, texts.get(address), address)
        if problem is not None:
            yield Finding(check=Check.QUOTE, where=f"claim {claim.id}", message=problem)


def _problem(claim: Claim, text: str | None, address: str) -> str | None:
    if text is None:
        return f"The quote cannot be checked: snapshot {address[:12]} is missing."
    if _stands(claim, text):
        return None
    place = f"characters {claim.start} to {claim.end} of snapshot {address[:12]}"
    if claim.quote in text:
        return f"The quote is in the snapshot, but not at {place}."
    return f"The quote “{claim.quote[:80]}” is not what {place} say."

"""Claims: each stands on a quote that is in its snapshot, and has a name of its own."""

from collections.abc import Iterator, Sequence

from caveat.contracts.claim import Analysis, Claim
from caveat.contracts.investigation import Findings
from caveat.contracts.source import Snapshot
from caveat.rules.text import around


def verified(claims: Sequence[Claim], snapshot: Snapshot) -> tuple[tuple[Claim, ...], int]:
    """Keep the claims whose quote is in a snapshot, with offsets that are right and their context.

    Offsets that are off are mended to the occurrence nearest to where the claim says it is.

    Args:
        claims: claims of one source.
        snapshot: what was read of it.

    Returns:
        The claims that stand, in their order, and how many were rejected.
    """
    text = snapshot.text
    standing = [mended for claim in claims if (mended := _mended(claim, text)) is not None]
    return tuple(_in_context(claim, snapshot) for claim in standing), len(claims) - len(standing)


def _in_context(claim: Claim, snapshot: Snapshot) -> Claim:
    whole = around(snapshot, claim.start, claim.end)
    before = snapshot.text[whole.start : claim.start]
    after = snapshot.text[claim.end : whole.end]
    return claim.model_copy(update={"before": before, "after": after})


def _mended(claim: Claim, text: str) -> Claim | None:
    if stands(claim, text):
        return claim
    start = min(_occurrences(claim.quote, text), key=lambda at: abs(at - claim.start), default=None)
    if start is None:
        return None
    return claim.model_copy(update={"start": start, "end": start + len(claim.quote)})


def stands(claim: Claim, text: str) -> bool:
    """Tell whether the quote of a claim is where the claim says, in the text of its snapshot."""
    # A slice that ends behind the text is cut silently, so the length is compared as well.
    long_enough = claim.end - claim.start == len(claim.quote)
    return long_enough and text[claim.start : claim.end] == claim.quote


def stands_in_context(claim: Claim, text: str) -> bool:
    """Tell whether the words that are shown around a quote stand around it in its snapshot."""
    begin = claim.start - len(claim.before)
    shown = claim.before + claim.quote + claim.after
    return begin >= 0 and text[begin : begin + len(shown)] == shown


def _occurrences(quote: str, text: str) -> Iterator[int]:
    at = text.find(quote)
    while at != -1:
        yield at
        at = text.find(quote, at + 1)


def merged(part: Analysis, rest: Analysis, wanted: int | None = None) -> Analysis:
    """Make one analysis of an interrupted one and of the rest of its text.

    Args:
        part: of everything up to where it was interrupted.
        rest: of what comes behind.
        wanted: how many claims may be returned at most, the best; None keeps them all.
    """
    best = sorted((*part.claims, *rest.claims), key=lambda claim: -claim.relevance)
    return Analysis(
        claims=tuple(best[:wanted]),
        rejected_quotes=part.rejected_quotes + rest.rejected_quotes,
        read_to=max(part.read_to, rest.read_to),
    )


def numbered(findings: Sequence[Findings]) -> tuple[Findings, ...]:
    """Name every claim in plan order, best first.

    A quote that several angles found is one claim with one name, which belongs to the first angle
    that found it and stands in the claims of each.
    """
    names: dict[tuple[str, int, int], Claim] = {}
    return tuple(
        found.model_copy(update={"claims": tuple(_named(claim, names) for claim in found.claims)})
        for found in findings
    )


def _named(claim: Claim, names: dict[tuple[str, int, int], Claim]) -> Claim:
    place = (claim.source_id, claim.start, claim.end)
    if place not in names:
        names[place] = claim.model_copy(update={"id": f"c{len(names) + 1}"})
    named = names[place]
    if named.relevance == claim.relevance:  # most often: thousands of copies are not made
        return named
    return named.model_copy(update={"relevance": claim.relevance})


def as_counted(name: str) -> tuple[int, str]:
    """Order names as they are counted: `c2` stands before `c10`."""
    return len(name), name

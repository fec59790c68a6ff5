"""Digest: what a source may say to the synthesiser for one angle."""

from collections import defaultdict
from collections.abc import Sequence
from math import ceil

from caveat.contracts.claim import Claim, ClaimState

SUMMARY_TOKENS = 200
"""Of a source for an angle (DESIGN.md): a paragraph, so that eighty readings fit one prompt and no
long-winded source speaks louder than the others."""

CHARACTERS = 4
"""A token, as English is cut by the models' tokenizers on average."""


def digest(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Keep of each source the best claims, as far as they fit into its share.

    What is contested goes first: of a conflict no side may fall out for its length.

    Args:
        claims: of one angle, best first.

    Returns:
        Those that are handed on, in the order given.
    """
    taken: dict[str, int] = defaultdict(int)
    kept: set[str] = set()
    for claim in sorted(claims, key=lambda claim: claim.state is not ClaimState.CONTESTED):
        size = tokens(claim)
        if taken[claim.source_id] + size <= SUMMARY_TOKENS:
            taken[claim.source_id] += size
            kept.add(claim.id)
    return tuple(claim for claim in claims if claim.id in kept)


def tokens(claim: Claim) -> int:
    """Estimate what a claim takes: its text, and its quote where that is another one."""
    shown = claim.text if claim.text == claim.quote else f"{claim.text}{claim.quote}"
    return ceil(len(shown) / CHARACTERS)


def left_out(claims: Sequence[Claim]) -> str | None:
    """Say what a digest leaves out; None where it is everything that is given."""
    kept = {claim.id for claim in digest(claims)}
    beyond = [claim for claim in claims if claim.id not in kept]
    if not beyond:
        return None
    sources = len({claim.source_id for claim in beyond})
    return (
        f"{len(beyond)} {'claim' if len(beyond) == 1 else 'claims'} of "
        f"{sources} {'source' if sources == 1 else 'sources'} could not be written about: a source "
        f"may take {SUMMARY_TOKENS} tokens of an angle's synthesis."
    )

"""Digest: what a source may say to the synthesiser."""

from collections import defaultdict
from collections.abc import Sequence
from math import ceil

from caveat.contracts.claim import Claim, ClaimState

SUMMARY_TOKENS = 200
"""Of a source, all angles together: a paragraph, so that eighty readings fit one prompt
and no long-winded source speaks louder than the others."""

FEW = 8
"""Sources whose shares a run may use up in any case: where fewer speak, each may say more."""

CHARACTERS = 4
"""A token, as English is cut by the models' tokenizers on average."""


def digest(angles: Sequence[Sequence[Claim]]) -> tuple[tuple[Claim, ...], ...]:
    """Keep of each source the best claims, as far as they fit into its share.

    What is contested goes first: of a conflict no side may fall out for its length. Then the best
    of every angle goes before the second best of any. An angle that would be left with nothing
    keeps its best claim: a source that several angles share must not silence one of them.

    Args:
        angles: claims of each angle, best first.

    Returns:
        Those of each angle that are handed on, in the order given.
    """
    taken: dict[str, int] = defaultdict(int)
    room = share(angles)
    kept: list[set[int]] = [set() for _ in angles]
    ranked = sorted(
        (claim.state not in (ClaimState.SCOPED, ClaimState.CONTESTED), rank, angle)
        for angle, claims in enumerate(angles)
        for rank, claim in enumerate(claims)
    )
    for _, rank, angle in ranked:
        claim = angles[angle][rank]
        if taken[claim.source_id] + tokens(claim) <= room:
            taken[claim.source_id] += tokens(claim)
            kept[angle].add(rank)
    return tuple(
        tuple(claim for rank, claim in enumerate(claims) if rank in ranks) or _best(claims, room)
        for claims, ranks in zip(angles, kept, strict=True)
    )


def share(angles: Sequence[Sequence[Claim]]) -> int:
    """Say how many tokens one source may take."""
    speaking = {claim.source_id for claims in angles for claim in claims}
    return SUMMARY_TOKENS * max(1, FEW // max(1, len(speaking)))


def _best(claims: Sequence[Claim], room: int) -> tuple[Claim, ...]:
    """The best claim that is no longer than a whole share; none where all are."""
    return next(((claim,) for claim in claims if tokens(claim) <= room), ())


def tokens(claim: Claim) -> int:
    """Estimate what a claim takes: its text, and its quote where that is another one."""
    shown = claim.text if claim.text == claim.quote else f"{claim.text}{claim.quote}"
    return ceil(len(shown) / CHARACTERS)


def left_out(claims: Sequence[Claim], kept: Sequence[Claim]) -> str | None:
    """Say what a digest leaves out of an angle; None where it keeps everything."""
    names = {claim.id for claim in kept}
    beyond = [claim for claim in claims if claim.id not in names]
    if not beyond:
        return None
    sources = len({claim.source_id for claim in beyond})
    return (
        f"{len(beyond)} {'claim' if len(beyond) == 1 else 'claims'} of "
        f"{sources} {'source' if sources == 1 else 'sources'} could not be written about: the "
        "share of a source in the synthesis is used up."
    )

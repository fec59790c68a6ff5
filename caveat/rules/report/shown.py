"""What the synthesiser is shown: every claim, until a prompt is really long."""

from collections.abc import Iterable, Sequence
from math import ceil

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Limitation

LONGEST = 60_000
"""Tokens of claims in one prompt: beyond that models overlook what stands in the middle."""

CHARACTERS = 4  # a token, as English is cut by the models' tokenizers on average
BESIDE = 40  # tokens of a claim beside its words: its name, its source, and the signs of JSON


def select_fitting_claims(
    angles: Sequence[Sequence[Claim]], contradictions: Iterable[Contradiction]
) -> tuple[tuple[Claim, ...], ...]:
    """Keep what fits into a prompt: the claims of every dispute first, then by relevance.

    Args:
        angles: claims of each angle, best first.
        contradictions: of which no side may fall out; each is held by the claim that states it.

    Returns:
        Those of each angle that are shown, in the order given.
    """
    every = {claim.id: claim for claims in angles for claim in claims}
    sides = dict.fromkeys(name for each in contradictions for name in each.claims if name in every)
    best = sorted(every.values(), key=lambda claim: -claim.relevance)
    shown = set(sides)
    taken = sum(estimate_tokens(every[name]) for name in sides)
    for claim in best:
        if claim.id not in shown and taken + estimate_tokens(claim) <= LONGEST:
            taken += estimate_tokens(claim)
            shown.add(claim.id)
    return tuple(tuple(claim for claim in claims if claim.id in shown) for claims in angles)


def estimate_tokens(claim: Claim) -> int:
    """Estimate what a claim takes: its text, and its quote where that is another one."""
    words = claim.text if claim.text == claim.quote else f"{claim.text}{claim.quote}"
    return BESIDE + ceil(len(words) / CHARACTERS)


def describe_unshown(claims: int) -> tuple[Limitation, ...]:
    """Say how many claims the synthesiser was not shown; nothing where it saw all."""
    if not claims:
        return ()
    return (
        Limitation(
            area=f"Claims that were not written about: {claims:,}",
            why=f"The synthesis has room for some {LONGEST:,} tokens of claims.",
            consequence=(
                "The most relevant ones were shown, and every side of each dispute; the others "
                "stand in the evidence alone."
            ),
        ),
    )

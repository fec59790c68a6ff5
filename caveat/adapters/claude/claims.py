"""Claims as models are shown them."""

from collections.abc import Iterable, Sequence
from typing import Any

from caveat.adapters.claude.data import json_block, source_facts
from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.source import SourceRef


def claim_facts(claim: Claim) -> dict[str, Any]:
    """What a model is told of a claim; the quote only where the text says it in other words."""
    facts: dict[str, Any] = {"name": claim.id, "text": claim.text}
    if " ".join(claim.quote.split()) != " ".join(claim.text.split()):
        facts["quote"] = claim.quote
    facts["source_id"] = claim.source_id
    facts["credibility"] = round(claim.credibility, 2)
    if claim.state is not ClaimState.ACCEPTED:
        facts["state"] = claim.state.value
        facts["contested_by"] = claim.contested_by
    return facts


def claims_block(claims: Iterable[Claim], sources: Sequence[SourceRef], **more: Any) -> str:
    """Mark claims and their sources as data.

    Args:
        claims: the claims, which models know by their names.
        sources: those of the claims.
        more: what else belongs to them.
    """
    return json_block(
        {
            "claims": [claim_facts(claim) for claim in claims],
            "sources": [source_facts(source) for source in sources],
            **more,
        }
    )

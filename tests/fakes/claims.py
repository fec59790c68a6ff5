"""Claims for tests of rules."""

from typing import Any

from caveat.contracts.source import Claim


def a_claim(name: str = "c1", quote: str = "x", source: str = "", **changes: Any) -> Claim:
    """Make a claim that is its quote, of a source that is named for it unless one is given."""
    start = changes.get("start", 0)
    facts = {
        "id": name,
        "text": quote,
        "quote": quote,
        "source_id": source or f"s-{name}",
        "assignment_id": "a1",
        "start": start,
        "end": start + len(quote),
        "relevance": 0.8,
    }
    return Claim.model_validate(facts | changes)

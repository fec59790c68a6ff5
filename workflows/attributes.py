"""The search attributes by which runs are found."""

from typing import Any

from temporalio.common import SearchAttributeKey

TOPIC = SearchAttributeKey.for_text("CaveatTopic")
PHASE = SearchAttributeKey.for_keyword("CaveatPhase")
OPEN_CONTRADICTIONS = SearchAttributeKey.for_int("CaveatOpenContradictions")
CONFIDENCE = SearchAttributeKey.for_float("CaveatConfidence")

ALL: tuple[SearchAttributeKey[Any], ...] = (TOPIC, PHASE, OPEN_CONTRADICTIONS, CONFIDENCE)
"""Every one of them must be registered on the server before a run starts."""

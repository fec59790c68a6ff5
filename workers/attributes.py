"""The search attributes that runs carry.

A run that sets an attribute which its server does not know is stuck in its first workflow task,
so they are registered before any worker starts.
"""

from collections.abc import Mapping
from types import MappingProxyType

from temporalio.common import SearchAttributeIndexedValueType as IndexedType

SEARCH_ATTRIBUTES: Mapping[str, IndexedType] = MappingProxyType(
    {
        # Full text: a list filter such as `CaveatTopic = "hubble"` matches single words.
        "CaveatTopic": IndexedType.TEXT,
        "CaveatPhase": IndexedType.KEYWORD,
        "CaveatOpenContradictions": IndexedType.INT,
        "CaveatConfidence": IndexedType.DOUBLE,
    }
)
"""Name and index type of every custom search attribute."""


def type_name(indexed: IndexedType) -> str:
    """Write a type as the Temporal CLI does: `KEYWORD_LIST` is `KeywordList` there."""
    return indexed.name.title().replace("_", "")

"""A small corpus in memory, behind the same protocol as the index."""

import math
from collections import Counter
from collections.abc import Sequence

import pytest

from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.adapters.text.vocabulary import Passage
from caveat.contracts.source import Landmark, Snapshot, SourceRef
from caveat.rules.text.words import list_content_stems, split_words

LIGHTHOUSES = {
    "keepers": (
        "Keepers of the north coast",
        (
            "The lighthouse of Skerry Point was built in 1844 from local granite.\n\n"
            "A Fresnel lens gathers the light of the lighthouse into a narrow beam. "
            "The Fresnel lens of Skerry Point weighs 2.1 tonnes. "
            "However, this was disputed later.\n\n"
            "The beam of Skerry Point reaches 34 ± 2 km on a clear night. "
            "Ships rely on the fog signal when the beam is hidden.\n\n"
            "© 1998 North Coast Trust. All rights reserved in every country.\n\n"
            "def beam(range):\n    return lighthouse.lens * range"
        ),
    ),
    "survey": (
        "Survey of sea lights",
        (
            "Engineers measured the range of the lighthouse beam with photometers. "
            "The beam of Skerry Point reaches 29 ± 1 km on a clear night. "
            "Its lamp was replaced. What is the range of the lighthouse beam?\n\n"
            "The Fresnel lens made long ranges possible, because it wastes little light. "
            "A fog signal sounds every 30 seconds at Skerry Point."
        ),
    ),
    "history": (
        "A history of signals",
        (
            "The fog signal of the lighthouse was a bell until 1902. "
            "Steam replaced the bell of the fog signal in 1902. "
            "The keepers cleaned the Fresnel lens every morning.\n\n"
            "The beam of Skerry Point reaches at most 40 km on a clear night."
        ),
    ),
    "optics": (
        "Optics for sailors",
        (
            "A Fresnel lens is made of concentric rings of glass. "
            "The Fresnel lens of a lighthouse is thinner than a plain lens. "
            "Sailors know the lighthouse by the rhythm of its beam and by its fog signal."
        ),
    ),
    "bread": ("On bread", "Bread needs flour, water, salt and time. The oven must be hot enough."),
}


class InMemoryVocabulary:
    """Word statistics of a few texts, counted one by one."""

    def __init__(self, texts: dict[str, tuple[str, str]]) -> None:
        self.passages_of = [
            Passage(source_id=name, title=title, heading="", text=part)
            for name, (title, text) in texts.items()
            for part in text.split("\n\n")
        ]
        self.documents = [
            {word.stem for word in split_words(f"{title} {text}")} for title, text in texts.values()
        ]

    async def count_documents(self, corpus: tuple[str, ...]) -> int:
        return len(self.documents)

    async def count_frequencies(
        self, corpus: tuple[str, ...], stems: Sequence[str]
    ) -> dict[str, int]:
        return {
            stem: count
            for stem in stems
            if (count := sum(stem in document for document in self.documents))
        }

    async def find_passages(self, corpus: tuple[str, ...], query: str, limit: int) -> list[Passage]:
        asked = list_content_stems(query)

        def score(passage: Passage) -> float:
            said = Counter(word.stem for word in split_words(passage.text))
            return sum(math.log(1 + said[stem]) for stem in asked)

        found = [passage for passage in self.passages_of if score(passage) > 0]
        return sorted(found, key=score, reverse=True)[:limit]


@pytest.fixture
def reasoner() -> ExtractiveReasoner:
    return ExtractiveReasoner(InMemoryVocabulary(LIGHTHOUSES))


@pytest.fixture
def sources() -> dict[str, tuple[SourceRef, Snapshot]]:
    return {
        name: (
            SourceRef(id=f"s-{name}", title=title),
            Snapshot(text=text, landmarks=(Landmark(offset=0, label="Front"),)),
        )
        for name, (title, text) in LIGHTHOUSES.items()
    }

"""Sentences from sources, and what the extractive reasoner finds that they disagree about."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from caveat.adapters.extractive.contradictions import detect_contradictions
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Claim, SourceRef
from caveat.contracts.tasks import DetectionTask
from tests.fakes.claims import a_claim

TOPIC = "What are the value of the Hubble constant and the height of Dahlem?"


@dataclass(frozen=True)
class Quote:
    """A sentence and where it stands."""

    text: str
    source: str = ""
    title: str = "A note"
    heading: str | None = None
    published: dt.date | None = None
    credibility: float = 0.5
    relevance: float = 0.5


def found(*said: str | Quote, topic: str = TOPIC) -> tuple[Disagreement, ...]:
    return detect_contradictions(task(said, topic))


def task(said: Sequence[str | Quote], topic: str = TOPIC) -> DetectionTask:
    quotes = [Quote(each) if isinstance(each, str) else each for each in said]
    named = [(f"c{number}", quote) for number, quote in enumerate(quotes, start=1)]
    sources = {
        quote.source or name: SourceRef(
            id=quote.source or name,
            title=quote.title,
            published=quote.published,
            path=quote.title if quote.title.endswith(".txt") else None,
        )
        for name, quote in named
    }
    return DetectionTask(
        task_id="d",
        description="Compare",
        topic=topic,
        assignments=(Assignment(id="a1", title="Direct", question=topic, queries=(topic,)),),
        claims=tuple(_claim(name, quote) for name, quote in named),
        sources=tuple(sources.values()),
    )


def _claim(name: str, quote: Quote) -> Claim:
    own = {"location": quote.heading, "credibility": quote.credibility}
    return a_claim(name, quote.text, quote.source or name, relevance=quote.relevance, **own)

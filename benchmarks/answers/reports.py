"""What a run showed its reader, and where."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from benchmarks.answers.texts import normal


class Place(StrEnum):
    """Parts of a report."""

    SCREEN = "first screen"  # what a terminal shows
    CLOSEST = "closest passages"  # three at most, before anything else
    SUMMARY = "executive summary"  # with the answer that stands before it, where there is one
    FURTHER = "further passages"
    ANYWHERE = "anywhere in the report"


_TITLES = {
    Place.CLOSEST: re.compile(r"(?:\d+\.\s*)?answer", re.IGNORECASE),
    Place.SUMMARY: re.compile(r"(?:\d+\.\s*)?(?:answer|executive summary)", re.IGNORECASE),
    Place.FURTHER: re.compile(r"(?:\d+\.\s*)?further passages", re.IGNORECASE),
}

UNANSWERED = frozenset({"unanswered", "insufficient_evidence"})
"""Ends of runs that say: this was not answered."""


@dataclass(frozen=True)
class Shown:
    """How one run ended."""

    ending: str | None = None  # the name by which it failed; None where it has a report
    # whether the report says that it answers or, without a model, shows a passage
    answered: bool | None = None
    places: dict[Place, str] = field(default_factory=dict)  # what stands in each part of the report
    contradictions: tuple[tuple[str, ...], ...] = ()  # of each the quotes that state its values

    @property
    def is_named(self) -> bool:
        """Whether it says that the question is not answered, or that nothing was found."""
        return self.ending in UNANSWERED or self.answered is False

    @property
    def is_broken(self) -> bool:
        """Whether it failed for another reason, which no question should lead to."""
        return self.ending is not None and self.ending not in UNANSWERED


def shown(question: str, markdown: str, report: dict[str, Any]) -> Shown:
    """Take a report apart.

    Args:
        question: what was asked, which is not looked at where the report repeats it.
        markdown: the report as people read it.
        report: its `report.json`.
    """
    text = markdown.replace(question, "")
    parts = re.split(r"^## +(.+)$", text, flags=re.MULTILINE)
    places = {
        place: "\n".join(
            body
            for title, body in zip(parts[1::2], parts[2::2], strict=True)
            if pattern.fullmatch(title.strip())
        )
        for place, pattern in _TITLES.items()
    }
    answered = bool(report["answer"]) if report["answered"] is None else report["answered"]
    return Shown(
        answered=answered is not False,
        places={**places, Place.ANYWHERE: text},
        contradictions=_contradictions(report),
    )


def _contradictions(report: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    quotes = {claim["id"]: claim["quote"] for claim in report["claims"]}
    return tuple(
        tuple(quotes[side["claim"]] for side in each["sides"]) for each in report["contradictions"]
    )


def readable(markdown: str) -> str:
    """Make a part of a report comparable: without targets of links, quoting signs, escapes."""
    text = re.sub(r"\]\([^)\s]*\)", "]", markdown)
    text = re.sub(r"^(?:>\s?)+", "", text, flags=re.MULTILINE)
    return normal(re.sub(r"\\([^\w\s]|_)", r"\1", text))

"""Questions as data: one TOML file a corpus, with the passages that answer them."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.answers.texts import plain

ASKED = Path(__file__).with_name("asked")


class Half(StrEnum):
    """Who may look at a corpus."""

    TUNING = "tuning"
    HELD_OUT = "held-out"  # nobody, until a change is finished

    FRESH = "fresh"
    """Nobody, and it is asked once: it says whether the held-out half was looked at too often."""


@dataclass(frozen=True)
class Package:
    """Where a corpus comes from."""

    tool: str  # `apt`, `npm` or `pip`
    name: str  # as that tool knows it
    version: str  # the one that the questions were written for
    sha256: str  # of that version's archive
    documents: tuple[str, ...] = ()  # glob patterns of its documents
    # glob patterns of those that gzip packed; each becomes a `.txt`
    compressed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """One question."""

    ask: str  # in a person's words, and not in the document's
    # patterns, one of which stands in every text that answers; none where the corpus does not
    # answer
    gold: tuple[str, ...] = ()
    file: str = ""  # where in the corpus the answer stands
    overlaps: bool = False  # of a question without an answer, whether the corpus is about its words

    @property
    def has_answer(self) -> bool:
        return bool(self.gold)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{each})" for each in self.gold), re.IGNORECASE)

    def answered_by(self, text: str) -> bool:
        """Whether a text holds an accepted answer.

        Args:
            text: as `texts.plain` makes it.
        """
        return self.has_answer and self._pattern.search(text) is not None

    def is_stale(self, corpus: Path) -> bool:
        """Whether its answer no longer stands in its file."""
        file = corpus / self.file
        return self.has_answer and not (file.is_file() and self.answered_by(plain(file)))


@dataclass(frozen=True)
class Corpus:
    """A collection of documents and what is asked of it."""

    name: str
    half: Half
    package: Package
    questions: tuple[Question, ...]


def corpora(half: Half, folder: Path = ASKED) -> list[Corpus]:
    """Read one half of the questions, and nothing of the other."""
    read = (_corpus(file) for file in sorted(folder.glob("*.toml")))
    return [corpus for corpus in read if corpus.half is half]


def _corpus(file: Path) -> Corpus:
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    package = data["package"]
    return Corpus(
        name=file.stem,
        half=Half(data["half"]),
        package=Package(**{key: _frozen(value) for key, value in package.items()}),
        questions=tuple(
            Question(**{key: _frozen(value) for key, value in each.items()})
            for each in data["questions"]
        ),
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value

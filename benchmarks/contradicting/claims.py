"""From entries to what a run has before it compares: sources, and every sentence as a claim.

The documents are written to a folder and read back by the real loader, and every sentence of theirs
becomes a claim with the offsets that the snapshot has. Analysing them for some angle first would
measure what a search finds; here the question is what the detector makes of what was found.
"""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contradicting.statements import Entry, Statement
from caveat.adapters.corpus.catalogue import build_source_ref
from caveat.adapters.documents.loaders import load
from caveat.contracts.claim import Claim
from caveat.contracts.source import Snapshot, SourceRef
from caveat.rules.sources import score_credibility
from caveat.rules.text import Span, split_sentences

TODAY = dt.date(2026, 11, 1)
"""Credibility knows how old a source is; the versions of the packages are pinned, so is the day."""

ASSIGNMENT = "a1"
"""One angle has all claims: several would tell the detector which of them belong together."""

_CLAIM_LIMIT = 2_000  # characters that a claim may have by its contract


@dataclass(frozen=True)
class Read:
    """A document as it was read."""

    entity: str  # whom it is about
    name: str  # what the package calls it
    source: SourceRef  # as a search would name it
    claims: tuple[Claim, ...]  # its sentences, in order
    # of each claim that states something comparable, by id, what
    stated: dict[str, tuple[Statement, ...]]


def written_and_read(entries: Iterable[Entry], folder: Path) -> Iterator[Read]:
    """Write entries as a corpus and read them back, one after another."""
    folder.mkdir(parents=True, exist_ok=True)
    for entry in entries:
        (folder / entry.path).write_text(entry.document(), encoding="utf-8")
        yield _read(entry, folder)


def _read(entry: Entry, folder: Path) -> Read:
    loaded = load(folder / entry.path)
    source = build_source_ref(folder, entry.path, loaded)
    score = score_credibility(source, TODAY).score
    text = loaded.snapshot.text
    claims = tuple(
        _claim(loaded.snapshot, span, source, score) for span in _quotable(loaded.snapshot)
    )
    stated: dict[str, tuple[Statement, ...]] = {}
    for statement in entry.statements:
        start = text.find(statement.passage)
        if start < 0:
            raise LookupError(f"{entry.path} lost the passage “{statement.passage}”")
        for claim in claims:
            if claim.start < start + len(statement.passage) and start < claim.end:
                stated[claim.id] = (*stated.get(claim.id, ()), statement)
    return Read(entry.entity, entry.name, source, claims, stated)


def _quotable(snapshot: Snapshot) -> Iterator[Span]:
    headings = {mark.offset for mark in snapshot.landmarks}
    for span in split_sentences(snapshot.text):
        if span.start not in headings and span.end - span.start <= _CLAIM_LIMIT:
            yield span


def _claim(snapshot: Snapshot, span: Span, source: SourceRef, score: float) -> Claim:
    quote = snapshot.text[span.start : span.end]
    return Claim(
        id=f"{ASSIGNMENT}-{source.id}-{span.start}",
        text=quote,
        quote=quote,
        source_id=source.id,
        assignment_id=ASSIGNMENT,
        start=span.start,
        end=span.end,
        location=snapshot.find_location(span.start),
        relevance=0.5,
        credibility=score,
    )

"""Notes as a run would read them, and what the detector reports between them."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.prose.pairs import Pair, Paragraph
from caveat.adapters.corpus.updating import build_source_ref
from caveat.adapters.documents.loaders import load
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Claim, SourceRef
from caveat.contracts.tasks import DetectionTask
from caveat.ports import Answer
from caveat.rules.text.sentences import split_sentences

ASSIGNMENT = "a1"
"""One angle has all claims: several would tell the detector which of them belong together."""

Reported = tuple[str, ...]  # of each value of a disagreement, the sentences that state it

Detect = Callable[[DetectionTask], Awaitable[Answer[tuple[Disagreement, ...]]]]
"""What asking a reasoner for `DETECT` is."""


@dataclass(frozen=True)
class Note:
    """A note as it was read: its source, and every sentence of it as a claim."""

    source: SourceRef
    claims: tuple[Claim, ...]


def read(pair: Pair, folder: Path) -> tuple[Note, Note]:
    """Write the notes of a pair as a corpus has them, and read them back with the real loader."""
    folder.mkdir(parents=True, exist_ok=True)
    one, other = pair.notes
    return _read(one, folder, "one.md"), _read(other, folder, "other.md")


async def detected(
    detect: Detect, given: Sequence[tuple[Pair, tuple[Note, Note]]]
) -> list[Reported]:
    """Compare the notes of some pairs in one task.

    Args:
        detect: the detector.
        given: the pairs, each with its notes as they were read.
    """
    topic = " ".join(pair.topic for pair, _ in given)
    notes = [note for _, both in given for note in both]
    claims = tuple(sorted((c for note in notes for c in note.claims), key=lambda claim: claim.id))
    task = DetectionTask(
        task_id="detect",
        description="Compare the claims",
        topic=topic,
        assignments=(
            Assignment(id=ASSIGNMENT, title="Direct answers", question=topic, queries=(topic,)),
        ),
        claims=claims,
        sources=tuple(note.source for note in notes),
    )
    quotes = {claim.id: claim.quote for claim in claims}
    return [_sentences(each, quotes) for each in (await detect(task)).value]


def _sentences(found: Disagreement, quotes: dict[str, str]) -> Reported:
    return tuple(" … ".join(quotes[each] for each in side.claims) for side in found.sides)


def _read(note: Paragraph, folder: Path, name: str) -> Note:
    (folder / name).write_text(f"# {note.title}\n\n{note.text}\n", encoding="utf-8")
    loaded = load(folder / name)
    source = build_source_ref(folder, name, loaded)
    snapshot = loaded.snapshot
    headings = {mark.offset for mark in snapshot.landmarks}
    spans = (span for span in split_sentences(snapshot.text) if span.start not in headings)
    return Note(source, tuple(_claims(spans, source, snapshot.text, note.title)))


def _claims(
    spans: Iterator[tuple[int, int]], source: SourceRef, text: str, title: str
) -> Iterator[Claim]:
    for start, end in spans:
        yield Claim(
            id=f"{ASSIGNMENT}-{source.id}-{start}",
            text=text[start:end],
            quote=text[start:end],
            source_id=source.id,
            assignment_id=ASSIGNMENT,
            start=start,
            end=end,
            location=title,
            relevance=0.5,
        )

"""Citations: which claims the sentences of a piece of prose rest on."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from caveat.contracts.report import Report, Section
from caveat.contracts.source import Claim
from caveat.rules.lines import collapse_spaces, shorten
from caveat.rules.text import prose
from caveat.rules.text.sentences import Span, split_sentences

EXCERPT = 90
"""Characters of a sentence in a finding: enough to find it, short enough for a line."""

ANSWER = "answer"
SUMMARY = "executive summary"


@dataclass(frozen=True)
class CitedSentence:
    text: str  # plain text without markers
    marks: tuple[prose.Mark, ...]  # its markers, in order
    start: int = 0  # offset of the sentence in its passage, which the offsets of the marks are in

    @property
    def cited(self) -> tuple[str, ...]:
        """The cited claims, with repetitions."""
        return tuple(mark.claim_id for mark in self.marks if mark.claim_id)

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """What it says, and which claims it cites: the same wherever it stands."""
        return self.text, tuple(dict.fromkeys(self.cited))

    @property
    def gaps(self) -> tuple[str, ...]:
        return tuple(mark.gap_id for mark in self.marks if mark.gap_id)

    @property
    def contested(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """Each cited claim, with the contradictions marked directly behind it."""
        # Contradiction markers that stand behind no claim are those of a claim without a name.
        claims: list[tuple[str, int, set[str]]] = []
        for mark in self.marks:
            if mark.claim_id:
                claims.append((mark.claim_id, mark.offset, set()))
            if not mark.contradiction_id:
                continue
            if not claims or claims[-1][1] != mark.offset:
                claims.append(("", mark.offset, set()))
            claims[-1][2].add(mark.contradiction_id)
        return tuple((claim_id, frozenset(names)) for claim_id, _, names in claims)

    @property
    def markdown(self) -> str:
        """The sentence as prose, with its markers."""
        written, at = "", 0
        for mark in self.marks:
            if name := mark.claim_id or mark.gap_id:
                here = max(at, min(mark.offset - self.start, len(self.text)))
                written += prose.escape_markup(self.text[at:here])
                written += "" if written.endswith("]") and here == at else " "
                written += f"[{name}]"
                at = here
        return prose.escape_opening(written + prose.escape_markup(self.text[at:]))

    @property
    def excerpt(self) -> str:
        return shorten(self.text, EXCERPT)


@dataclass(frozen=True)
class Piece:
    """A piece of prose, and the claims that it may cite."""

    markdown: str
    claims: Mapping[str, Claim]
    where: str = ""

    @cached_property
    def blocks(self) -> tuple[tuple[prose.BlockKind, tuple[CitedSentence, ...]], ...]:
        """The factual sentences of each block with its kind, without headings."""
        # A sentence holds words. A claim quoted whole is one, however many full stops its words
        # hold, and claims are cited in a sentence or directly behind it.
        return tuple(
            (kind, _split_cited_sentences(passage, self._list_words(passage)))
            for kind, passage in self.passages
            if kind is not prose.BlockKind.HEADING
        )

    def _list_words(self, passage: prose.PlainBlock) -> tuple[tuple[str, ...], ...]:
        """For each marker of a passage the words that may be repeated before it."""
        named = (self.claims.get(mark.claim_id or "") for mark in passage.marks)
        return tuple((claim.quote, claim.text) if claim else () for claim in named)

    @property
    def sentences(self) -> tuple[CitedSentence, ...]:
        return tuple(sentence for _, sentences in self.blocks for sentence in sentences)

    @property
    def passages(self) -> Iterator[tuple[prose.BlockKind, prose.PlainBlock]]:
        """Every block as plain text with its markers, headings included."""
        for block in prose.split_blocks(self.markdown):
            yield block.kind, prose.build_plain_block(block)


def list_pieces(report: Report) -> tuple[Piece, ...]:
    claims = {claim.id: claim for claim in report.claims}
    return (
        *([Piece(report.answer, claims, ANSWER)] if report.answer != report.summary else []),
        Piece(report.summary, claims, SUMMARY),
        *(Piece(section.summary, claims, name_section(section)) for section in report.sections),
        *(
            Piece(each.text, claims, f"{each.contradiction_id}, side {each.side}")
            for each in report.weighings
        ),
        *(Piece(each.why, claims, f"missing “{each.part}”") for each in report.missing),
    )


def name_section(section: Section) -> str:
    return f"section “{section.title}”"


def list_marked_ids(text: str) -> tuple[str, ...]:
    """List the ids of the claims that prose cites, in order, with repetitions."""
    return tuple(
        marker.claim_id for marker in prose.find_markers(text) if marker.claim_id is not None
    )


def measure_coverage(pieces: Iterable[Piece]) -> float:
    """Share of the factual sentences that cite something or name a gap; 1 without any."""
    every = [sentence for piece in pieces for sentence in piece.sentences]
    return sum(bool(each.cited or each.gaps) for each in every) / len(every) if every else 1.0


_PASSAGES = 1 << 10
"""Passages whose sentences are remembered, as many as pieces of prose: a report and its audit look
at each ten times."""


@lru_cache(maxsize=_PASSAGES)
def _split_cited_sentences(
    passage: prose.PlainBlock, words: tuple[tuple[str, ...], ...]
) -> tuple[CitedSentence, ...]:
    spans = split_sentences(passage.text)
    for mark in passage.marks:
        spans = _cut_spans(passage.text, spans, mark.offset)
    for quoted in _find_quoted_spans(passage, words):
        spans = _merge_spans(spans, quoted)
    marks: list[list[prose.Mark]] = [[] for _ in spans]
    for mark in passage.marks:
        # A marker behind a full stop belongs to the sentence that it follows.
        before = [number for number, span in enumerate(spans) if span.start < mark.offset]
        if spans:
            marks[before[-1] if before else 0].append(mark)
    return tuple(
        CitedSentence(text, tuple(own), span.start)
        for span, own in zip(spans, marks, strict=True)
        if re.search(r"[^\W\d_]", text := passage.text[span.start : span.end])
    )


_MARKED_END = re.compile(r"[.!?]\s+")


def _cut_spans(text: str, spans: Sequence[Span], offset: int) -> list[Span]:
    """Cut behind a full stop before which a marker stands, though a number ends there: "4.2"."""
    stop = _MARKED_END.match(text, offset)
    return [
        part
        for span in spans
        for part in (
            (Span(span.start, offset + 1), Span(stop.end(), span.end))
            if stop and span.start < offset and stop.end() < span.end
            else (span,)
        )
    ]


def _find_quoted_spans(passage: prose.PlainBlock, words: Sequence[Sequence[str]]) -> Iterator[Span]:
    for mark, repeated in zip(passage.marks, words, strict=True):
        for each in repeated:
            span = _find_words_before(passage.text, collapse_spaces(each), mark.offset)
            if span is not None:
                yield span
                break


def _find_words_before(text: str, words: str, offset: int) -> Span | None:
    """Find words that end at an offset, before closing quotation marks and full stops."""
    at = text.rfind(words, 0, offset + 1)
    if at == -1 or re.search(r"\w", text[at + len(words) : offset]):
        return None
    return Span(at, max(offset, at + len(words)))


def _merge_spans(spans: Sequence[Span], whole: Span) -> list[Span]:
    touched = [span for span in spans if span.start < whole.end and whole.start < span.end]
    if len(touched) < 2:
        return list(spans)
    joined = Span(touched[0].start, touched[-1].end)
    return sorted([span for span in spans if span not in touched] + [joined])

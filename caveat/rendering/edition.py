"""A report looked at the way a reader does: citations as numbers, sources by how they were used."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Report, ReportedSource, Section
from caveat.contracts.source import Claim
from caveat.contracts.synthesis import Challenge, Operand, Stance
from caveat.quantities.support import find_scale
from caveat.rendering import words
from caveat.rules.audit.checks import build_report_grounds
from caveat.rules.contradictions.contest import index_contradictions
from caveat.rules.lines import collapse_spaces
from caveat.rules.report.answering import index_report_voices
from caveat.rules.report.closest import WINDOW, Window, cut_window, find_room, format_pinpoint
from caveat.rules.sentences.checks import find_unsupported_numbers
from caveat.rules.sentences.grounds import Grounds, list_notes, split_cells
from caveat.rules.text import prose
from caveat.rules.text.citations import list_marked_ids, list_pieces
from caveat.rules.text.words import detect_language, detect_sure_language


@dataclass(frozen=True)
class Citation:
    """A claim marker as readers see it."""

    number: int
    pinpoint: str | None  # where in the source, if it has headings or pages
    # `uncertain` or `overruled`; empty for a claim that is used, and where contradictions say more
    caution: str
    # ids of those that contest the claim, as the markers behind it name them
    contradictions: tuple[str, ...] = ()
    # of the claim; two claims at one place are one citation to a reader
    claim_id: str = field(default="", compare=False)

    @property
    def label(self) -> str:
        """The text between the brackets, for example `3, p. 12`."""
        return ", ".join(filter(None, (str(self.number), self.pinpoint, self.caution)))


@dataclass(frozen=True)
class Contest:
    """A mark that the text before it is contested, and by what."""

    contradictions: tuple[str, ...]
    settled: frozenset[str] = frozenset()

    @property
    def links(self) -> Iterator[tuple[str, str]]:
        """A label for each contradiction, `disputed: 3`, and its id."""
        before = ""
        for name in self.contradictions:
            word, number = (
                "settled" if name in self.settled else "disputed",
                words.extract_number(name),
            )
            yield number if word == before else f"{word}: {number}", name
            before = word


Inline = prose.TextRun | Citation | Contest


@dataclass(frozen=True)
class Examined:
    claim: Claim
    remarks: tuple[Challenge, ...]

    @property
    def is_challenged(self) -> bool:
        return any(remark.stance is Stance.CHALLENGES for remark in self.remarks)


@dataclass(frozen=True)
class Edition:
    report: Report

    @cached_property
    def claims(self) -> dict[str, Claim]:
        return {claim.id: claim for claim in self.report.claims}

    @cached_property
    def sources(self) -> dict[str, ReportedSource]:
        return {source.id: source for source in self.report.sources}

    @cached_property
    def voices(self) -> dict[str, str]:
        """A short name of each source by its id: its title where others have the same name."""
        sources = self.report.sources
        names = [words.name_voice(source) for source in sources]
        times = Counter(names)
        return {
            source.id: name if times[name] == 1 else words.name_title(source)
            for source, name in zip(sources, names, strict=True)
        }

    @property
    def cited(self) -> tuple[ReportedSource, ...]:
        numbered = (source for source in self.report.sources if source.number is not None)
        return tuple(sorted(numbered, key=lambda source: source.number or 0))

    def find_source(self, claim_id: str) -> ReportedSource | None:
        claim = self.claims.get(claim_id)
        return self.sources.get(claim.source_id) if claim else None

    def build_citation(self, claim_id: str) -> Citation | None:
        """Build the citation of a claim; None if its source is unknown."""
        source = self.find_source(claim_id)
        if source is None or source.number is None:
            return None
        claim = self.claims[claim_id]
        caution = "" if claim.is_usable else claim.state.value  # else its dispute is told
        place = "" if claim.location == source.title else claim.location
        if place and "\t" in claim.quote:  # of a row the heading above its table
            *above, _ = place.split(" › ")
            place = " › ".join(each for each in above if each not in list_notes(claim))
        return Citation(source.number, format_pinpoint(place), caution, claim_id=claim_id)

    def build_plain_citation(self, claim_id: str) -> Citation | None:
        """Build a citation without the claim's state, which stands next to it."""
        citation = self.build_citation(claim_id)
        return replace(citation, caution="") if citation else None

    def cite_claim(self, claim_id: str) -> tuple[Inline, ...]:
        citation = self.build_citation(claim_id)
        if citation is None:
            return ()
        cited = replace(citation, contradictions=self._contested.get(claim_id, ()))
        return _place_contests([cited], self._settled)

    @cached_property
    def _settled(self) -> frozenset[str]:
        return frozenset(each.id for each in self.report.contradictions if each.ruling)

    @cached_property
    def _contested(self) -> dict[str, tuple[str, ...]]:
        return index_contradictions(self.report.claims, self.report.contradictions)

    def find_scale_note(self, operand: Operand) -> str:
        """Find what says of a cell that it stands in thousands or the like."""
        claim = self.claims[operand.claim_id]
        heads = [column for column, cell in split_cells(claim) if operand.value in cell]
        parts = (part for each in (*heads, *list_notes(claim)) for part in re.split("[,;] ", each))
        return next(filter(find_scale, parts), "")

    def cite_number(self, claim_id: str) -> tuple[Citation, ...]:
        """Cite a claim by the number of its source alone."""
        citation = self.build_citation(claim_id)
        return (replace(citation, pinpoint=None, caution=""),) if citation else ()

    def split_block(self, block: prose.Block) -> tuple[Inline, ...]:
        # One place cited twice in a row is one citation; citations in a row that the same
        # contradictions contest say so once.
        inlines: list[Inline] = []
        for item in self._build_inlines(block):
            at = _find_place(item, inlines) if isinstance(item, Citation) else None
            if at is None:
                inlines.append(item)
            else:
                inlines[at] = _merge_citations(inlines[at], item)
        return _place_contests(inlines, self._settled)

    def find_quoted_claim(self, block: prose.Block) -> Claim | None:
        """Return the claim that a block quotes and nothing else, or None."""
        passage = prose.build_plain_block(block)
        cited = (self.claims[m.claim_id] for m in passage.marks if m.claim_id in self.claims)
        claim = next(cited, None)
        is_quote = claim and passage.text.strip().strip("“”") == collapse_spaces(claim.quote)
        return claim if is_quote else None

    def cut_window(self, block: prose.Block, claim: Claim) -> Window:
        """Cut the passage of a block: the first of the opening is the longest."""
        opening = [each.text for each in prose.split_blocks(self.opening)]
        is_there = block.text in opening
        return cut_window(claim, find_room(opening.index(block.text)) if is_there else WINDOW)

    def describe_support(self, block: prose.Block) -> str:
        """Describe how many independent sources a quote has."""
        voices = index_report_voices(self.report)
        named = (self.claims[name] for name in list_marked_ids(block.text) if name in self.claims)
        own = {voices.get(claim.source_id, claim.source_id) for claim in named}
        return f"({words.format_source_count(len(own))})"

    def _build_inlines(self, block: prose.Block) -> list[Inline]:
        known = {each.id for each in self.report.contradictions}
        inlines: list[Inline] = []
        for run in prose.split_runs(block.text):
            before, mark = inlines[-1] if inlines else None, run.mark
            if mark is None:
                inlines.append(run)
            elif mark.gap_id:  # it shows nothing, nor the space before it
                if isinstance(before, prose.TextRun):
                    inlines[-1] = replace(before, text=before.text.rstrip())
            elif mark.name in known and isinstance(before, Citation):
                inlines[-1] = replace(before, contradictions=(*before.contradictions, mark.name))
            else:
                cited = self.build_citation(mark.name) if mark.claim_id else None
                if cited and self.is_written:  # a heading would be longer than what it is cited for
                    pinpoint = (cited.pinpoint or "").partition("§")[0].rstrip(", ")
                    cited = replace(cited, pinpoint=pinpoint or None)
                inlines.append(cited or prose.TextRun(f"[{mark.name}]"))
        return inlines

    @property
    def disputed(self) -> tuple[Contradiction, ...]:
        return tuple(each for each in self.report.contradictions if each.id in self.report.disputed)

    @property
    def pending(self) -> tuple[Contradiction, ...]:
        """Contradictions for a person: open, or settled by nobody."""
        return tuple(
            each
            for each in self.report.contradictions
            if each.is_open or each.requires_human_review
        )

    @cached_property
    def examined(self) -> tuple[Examined, ...]:
        """Claims with remarks of the debate, challenged ones first."""
        debate = self.report.debate
        remarks: dict[str, list[Challenge]] = {}
        for remark in debate.challenges if debate else ():
            remarks.setdefault(remark.claim_id, []).append(remark)
        claims = (each for each in self.report.claims if each.id in remarks)
        examined = [Examined(claim, tuple(remarks[claim.id])) for claim in claims]
        return tuple(sorted(examined, key=lambda each: not each.is_challenged))

    def explain_absence(self, section: Section) -> str:
        withheld = (claim for claim in self.report.claims if not claim.is_usable)
        if any(claim.assignment_id == section.assignment_id for claim in withheld):
            return words.NOTHING_USABLE
        none = "No passage was found for this angle."
        return words.NONE_USED if section.effort.found else none

    @property
    def is_written(self) -> bool:
        """Whether a model wrote it; then the summary is the answer, and is shown once."""
        return self.report.verdict is not None

    def split_prose(self, markdown: str) -> list[prose.Block]:
        """Split prose; without a model, without the passages that a report opens with."""
        opened = () if self.is_written else prose.split_blocks(self.opening)
        shown = {block.text for block in opened}
        return [each for each in prose.split_blocks(markdown) if each.text not in shown]

    @property
    def opening(self) -> str:
        return self.report.summary if self.is_written else self.report.answer

    def explain_quote(self, claim: Claim) -> str:
        """The columns of a table's row, or what the model says of a foreign quote."""
        *_, heads = (claim.location or "").split(" › ")
        _, *cells = split_cells(claim)
        parts: list[str] = []
        if self.is_written and cells and heads:
            named = ", ".join(f"{column} {cell}".strip() for column, cell in cells)
            is_of_any = len(cells) > 1 and heads in dict(cells)
            parts += [*list_notes(claim), heads if is_of_any else named]
        wanted = self.report.language or detect_sure_language(self.report.topic)
        foreign = detect_sure_language(claim.quote) not in {None, wanted}
        is_borne_out = not any(find_unsupported_numbers(claim.text, [claim], self.grounds))
        if foreign and detect_language(claim.text) == wanted and is_borne_out:
            parts.append(f"in the model's words: {claim.text}")
        return f"({'; '.join(parts)})" if parts else ""

    @cached_property
    def grounds(self) -> Grounds:
        return build_report_grounds(self.report)

    @property
    def quoted(self) -> tuple[Claim, ...]:
        """Claims that the prose cites, by the number of their source."""
        pieces = (list_marked_ids(each.markdown) for each in list_pieces(self.report))
        names = dict.fromkeys(chain.from_iterable(pieces))
        numbers = {each.id: each.number or 0 for each in self.report.sources}
        known = [self.claims[name] for name in names if name in self.claims]
        return tuple(
            sorted(known, key=lambda claim: (numbers.get(claim.source_id, 0), claim.start))
        )


def _find_place(citation: Citation, inlines: Sequence[Inline]) -> int | None:
    for at in reversed(range(len(inlines))):
        match inlines[at]:
            case Citation(number=number, pinpoint=pinpoint):
                if (number, pinpoint) == (citation.number, citation.pinpoint):
                    return at
            case prose.TextRun(text=text) if not text.strip():
                continue
            case _:
                return None
    return None


def _merge_citations(one: Inline, other: Inline) -> Inline:
    if not (isinstance(one, Citation) and isinstance(other, Citation)):
        return one
    of = dict.fromkeys((*one.contradictions, *other.contradictions))
    return replace(one, caution=one.caution or other.caution, contradictions=tuple(of))


def _place_contests(inlines: Sequence[Inline], settled: frozenset[str]) -> tuple[Inline, ...]:
    """Set what contests a row of citations behind it, once."""
    placed: list[Inline] = []
    for _, row in groupby(inlines, lambda item: isinstance(item, Citation)):
        names = dict[str, None]()
        for each in row:
            if isinstance(each, Citation) and each.contradictions:
                names |= dict.fromkeys(each.contradictions)
                placed.append(replace(each, caution=""))  # its mark says more
            else:
                placed.append(each)
        placed += [Contest(tuple(names), settled)] if names else []
    return tuple(placed)

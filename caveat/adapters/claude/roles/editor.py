"""The synthesiser's guard: a draft is held against its claims before anybody else sees it.

It applies the very rules that the audit applies to the finished report; what the report writer then
makes of the draft is held against the same ones (`caveat.adapters.claude.roles.writer`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from caveat.adapters.claude.roles.data import ADDRESS, Words, returned
from caveat.contracts.base import Contract
from caveat.contracts.claim import Claim
from caveat.contracts.synthesis import AngleEvidence, SectionDraft, Synthesis, SynthesisInput
from caveat.ports import Rules
from caveat.rules.audit import prose_findings
from caveat.rules.text import Piece, markers

ORPHANS = 0.05
"""Share of a draft's sentences that may stand without a claim after it came back: one
linking sentence does not cost a report its prose, two in a page do."""

_LISTED = re.compile(r"\[\s*(c\d+(?:\s*[,;]\s*c\d+)+)\s*\]")


class Part(Contract):
    """The prose of one angle, by the angle's name; empty where it has no claims."""

    angle: str
    text: str


class Draft(Contract):
    """A report's prose."""

    summary: Words
    sections: tuple[Part, ...]


@dataclass(frozen=True)
class Editor:
    """Holds drafts against the claims that they rest on.

    Attributes:
        evidence: what the synthesiser was given.
    """

    evidence: SynthesisInput

    def objection(self, draft: Draft) -> str | None:
        """Name everything that is wrong with a draft, for its writer; None where nothing is."""
        return returned(
            "Your draft does not hold",
            self._all_flaws(draft),
            "Give the whole draft again: mend these sentences or leave them out, and change "
            "nothing else.",
        )

    def finished(self, draft: Draft, rules: Rules) -> Synthesis:
        """Keep the pieces of a draft that hold; code writes the others from the claims' quotes.

        A piece with a phantom citation, an address, or a number that its claims lack does not
        hold; neither does one with sentences that cite nothing, if those are too many in the draft.

        Args:
            draft: the last one of its writer.
            rules: what writes from quotes, and compares quantities.
        """
        quoted = rules.excerpts(self.evidence)
        texts = self._texts(draft)
        summary = tidy(draft.summary)
        strict = self._orphans([summary, *texts.values()]) > ORPHANS
        return Synthesis(
            summary=summary if self._holds(summary, strict=strict) else quoted.summary,
            sections=tuple(
                self._section(angle, texts[angle.assignment.id], strict=strict, rules=rules)
                or spare
                for angle, spare in zip(self.evidence.angles, quoted.sections, strict=True)
            ),
        )

    def _section(
        self, angle: AngleEvidence, text: str, *, strict: bool, rules: Rules
    ) -> SectionDraft | None:
        if not text or not self._holds(text, strict=strict):
            return None
        cited = tuple(dict.fromkeys(markers(text)))
        return SectionDraft(
            assignment_id=angle.assignment.id,
            title=angle.assignment.title,
            summary=text,
            claim_ids=cited,
            figures=rules.figures([self.claims[name] for name in cited], self._titles),
        )

    def _holds(self, text: str, *, strict: bool) -> bool:
        return not any(self.flaws(text)) and not (strict and any(self._uncited(text)))

    def _all_flaws(self, draft: Draft) -> Iterator[str]:
        texts = self._texts(draft)
        for name in dict.fromkeys(part.angle for part in draft.sections):
            if name not in texts:
                yield f"“{name[:40]}” names no angle that you were given."
        for angle in self.evidence.angles:
            if angle.claims and not texts[angle.assignment.id]:
                yield f"The section on {angle.assignment.id} is empty, and there are claims for it."
        for text in (tidy(draft.summary), *texts.values()):
            yield from self.flaws(text)
            for sentence in self._uncited(text):
                yield f"“{sentence}” ends with no marker."
            yield from self._one_sided(text)
        for text in texts.values():
            yield from self.conflict_later(text)

    def _texts(self, draft: Draft) -> dict[str, str]:
        """The prose of each angle that was asked for; what is written without claims is not."""
        written = {part.angle: tidy(part.text) for part in draft.sections}
        return {
            angle.assignment.id: written.get(angle.assignment.id, "") if angle.claims else ""
            for angle in self.evidence.angles
        }

    def flaws(self, text: str) -> Iterator[str]:
        """Name what no piece of prose may hold.

        That is phantom citations, wrong numbers, addresses, paragraphs that cite nothing.
        """
        if ADDRESS.search(text):
            yield "An address stands in the prose."
        piece = self.piece(text)
        for paragraph in piece.uncited_paragraphs:
            yield f"The paragraph of “{paragraph[0].excerpt}” cites nothing."
        for finding in prose_findings(piece, self._titles):
            yield finding.message

    def piece(self, text: str) -> Piece:
        """Take a text for a piece of prose that may cite the claims that were given."""
        return Piece(text, self.claims)

    def _uncited(self, text: str) -> Iterator[str]:
        return (each.excerpt for each in self.piece(text).sentences if not each.cited)

    def _one_sided(self, text: str) -> Iterator[str]:
        """Contested claims that stand without any of those that contest them.

        Worth a second look and no more: what is contested is marked by code in any case.
        """
        cited = set(markers(text))
        for name in sorted(cited & self._contested.keys()):
            if not cited & self._contested[name]:
                others = ", ".join(sorted(self._contested[name]))
                yield f"{name} is contested by {others}, and what cites it leaves that out."

    def conflict_later(self, text: str) -> Iterator[str]:
        """Say whether a piece that cites contested claims begins with something else."""
        contested = [
            bool(self._contested.keys() & set(each.cited)) for each in self.piece(text).sentences
        ]
        if any(contested) and not contested[0]:
            yield "A section that cites contested claims begins with the conflict."

    def _orphans(self, texts: list[str]) -> float:
        every = [each for text in texts for each in self.piece(text).sentences]
        return sum(not each.cited for each in every) / len(every) if every else 0.0

    @cached_property
    def claims(self) -> Mapping[str, Claim]:
        """Every claim that may be cited, by name."""
        return {claim.id: claim for angle in self.evidence.angles for claim in angle.claims}

    @cached_property
    def _contested(self) -> Mapping[str, set[str]]:
        """The contested claims, each with those that contest it, as far as they are here."""
        found = {
            name: set(each.contested_by) & set(self.claims) for name, each in self.claims.items()
        }
        return {name: others for name, others in found.items() if others}

    @cached_property
    def _titles(self) -> Mapping[str, str]:
        return {source.id: source.title for source in self.evidence.sources}


def tidy(text: str) -> str:
    """Write `[c1, c2]` as `[c1][c2]`, which says the same."""
    return _LISTED.sub(
        lambda match: "".join(f"[{name}]" for name in re.findall(r"c\d+", match[1])), text.strip()
    )

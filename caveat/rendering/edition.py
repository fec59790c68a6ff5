"""A report looked at the way a reader does: citations as numbers, sources by how they were used."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.report import Report, ReportedSource, Section
from caveat.rendering import words
from caveat.rules import prose


@dataclass(frozen=True)
class Citation:
    """A claim marker as readers see it.

    Attributes:
        number: of the source.
        pinpoint: where in the source, if it has headings or pages.
        caution: `contested` or `uncertain`; empty for an accepted claim.
    """

    number: int
    pinpoint: str | None
    caution: str

    @property
    def label(self) -> str:
        """The text between the brackets, for example `3, p. 12`."""
        return ", ".join(filter(None, (str(self.number), self.pinpoint, self.caution)))


@dataclass(frozen=True)
class Edition:
    """One report, with what its renderings look up again and again."""

    report: Report

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """Claims by id."""
        return {claim.id: claim for claim in self.report.claims}

    @cached_property
    def sources(self) -> dict[str, ReportedSource]:
        """Sources by id."""
        return {source.id: source for source in self.report.sources}

    @property
    def cited(self) -> tuple[ReportedSource, ...]:
        """Sources that the report cites, by number."""
        numbered = (source for source in self.report.sources if source.number is not None)
        return tuple(sorted(numbered, key=lambda source: source.number or 0))

    @property
    def uncited(self) -> tuple[ReportedSource, ...]:
        """Sources that were read and are not cited."""
        return tuple(
            source
            for source in self.report.sources
            if source.number is None and source.snapshot_sha256 is not None
        )

    @property
    def set_aside(self) -> tuple[ReportedSource, ...]:
        """Sources that were found and not read."""
        return tuple(
            source
            for source in self.report.sources
            if source.number is None and source.snapshot_sha256 is None
        )

    def source_of(self, claim_id: str) -> ReportedSource | None:
        """Find the source of a claim."""
        claim = self.claims.get(claim_id)
        return self.sources.get(claim.source_id) if claim else None

    def citation(self, claim_id: str) -> Citation | None:
        """Make the citation of a claim; None when the report cannot say where it comes from."""
        source = self.source_of(claim_id)
        if source is None or source.number is None:
            return None
        claim = self.claims[claim_id]
        caution = "" if claim.state is ClaimState.ACCEPTED else claim.state.value
        return Citation(source.number, words.pinpoint(claim.location), caution)

    def runs(self, block: prose.Block) -> tuple[prose.Run | Citation, ...]:
        """Split a block into text and citations; the same citation twice in a row is one."""
        found: list[prose.Run | Citation] = []
        for run in prose.runs(block.text):
            citation = self.citation(run.claim_id) if run.claim_id else None
            if run.claim_id and citation is None:
                found.append(prose.Run(f"[{run.claim_id}]"))
            elif citation is None:
                found.append(run)
            elif not _repeats(found, citation):
                found.append(citation)
        return tuple(found)

    def unquoted(self, section: Section) -> tuple[Claim, ...]:
        """Claims of a section whose words its summary does not repeat already."""
        said = " ".join(prose.passage(block).text for block in prose.blocks(section.summary))
        claims = (self.claims[name] for name in section.claims if name in self.claims)
        return tuple(claim for claim in claims if " ".join(claim.quote.split()) not in said)


def _repeats(found: Sequence[prose.Run | Citation], citation: Citation) -> bool:
    """Whether the last citation is the same one, with nothing but white space since."""
    for run in reversed(found):
        if isinstance(run, Citation):
            return run == citation
        if run.text.strip():
            return False
    return False

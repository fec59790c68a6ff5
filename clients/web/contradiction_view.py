"""A contradiction with everything that a person should know before they rule on it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from caveat.clients.problems import BadInput
from caveat.clients.web.service import Service
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import (
    Contradiction,
    Hearing,
    RulingRecord,
    Side,
    StatedValue,
    TrackRecord,
)
from caveat.contracts.debate import Challenge
from caveat.contracts.report import Report, ReportedSource
from caveat.contracts.source import CredibilityFactor, SourceRef
from caveat.failures import PortFailure
from caveat.rendering import words
from caveat.rendering.edition import Edition
from caveat.rendering.html import Excerpt, excerpt
from caveat.rules.contradictions.choices import (
    PAIR,
    concerned,
    holding,
    letters,
    listed,
    members,
    outcome,
)
from caveat.rules.contradictions.track_record import speaker
from caveat.rules.text import ANSWER, SUMMARY, pieces, place, prose


@dataclass(frozen=True)
class Party:
    """One value, and what speaks for it.

    Attributes:
        letter: by which it is ruled on.
        claim: that states it best.
        value: the value alone, where somebody said it.
        source: of the claim.
        excerpt: its quote in the passage around it.
        credibility: of its source.
        factors: what that is made of.
        corroboration: independent sources that say the same, this one included.
        backing: what other sources say that state it as well.
        record: how people ruled on its claimant before.
        remarks: what the debate said of it.
        source_id: under which the page shows the source; None where it has no text of it.
        upheld: whether it holds; None while that is open.
        standing: what became of it, in a few words.
    """

    letter: str
    claim: Claim
    value: StatedValue | None
    source: SourceRef | ReportedSource
    excerpt: Excerpt
    credibility: float
    factors: tuple[CredibilityFactor, ...]
    corroboration: int
    backing: tuple[str, ...]
    record: TrackRecord
    remarks: tuple[Challenge, ...]
    source_id: str | None
    upheld: bool | None = None
    standing: str = ""


@dataclass(frozen=True)
class ContradictionView:
    """One contradiction of one run.

    Attributes:
        run_id: whose.
        topic: what that was asked.
        found: the contradiction as it stands now.
        parties: one for each value, `a` first.
        places: where the report cites what it is about.
        confidence: of the report; None where there is none yet.
        earlier: rulings on the same question in other runs.
        report: the newest of the run; None where there is none yet.
    """

    run_id: str
    topic: str
    found: Contradiction
    parties: tuple[Party, ...]
    places: tuple[str, ...]
    confidence: float | None
    earlier: tuple[RulingRecord, ...]
    report: Report | None

    @property
    def is_pair(self) -> bool:
        """Whether there are two values."""
        return len(self.parties) == PAIR

    @property
    def consequence(self) -> str:
        """Say before a ruling what it changes."""
        where = f" in {listed(self.places)}" if self.places else ""
        sure = "" if self.confidence is None else f", now {words.confidence(self.confidence)}"
        return (
            f"What you uphold is used{where} as it stands, and what you do not is set aside and "
            f"said to be overruled. The confidence of the report{sure}, is computed anew."
        )

    @property
    def between(self) -> str:
        """Say who stands between the values, where the report is known."""
        return Edition(self.report).between(self.found) if self.report else ""

    @property
    def outcome(self) -> str:
        """Say which values hold, where that is settled."""
        return outcome(self.found) if self.found.ruling else ""


async def contradiction_view(
    service: Service, run_id: str, contradiction_id: str
) -> ContradictionView:
    """Gather what is known of a contradiction: from its arbitration, and from the report.

    Raises:
        BadInput: the run has no such contradiction, or nobody can say anything of it now.
    """
    hearing, report = await asyncio.gather(
        service.arbitrations.hearing(f"{run_id}/{contradiction_id}"), service.reports.known(run_id)
    )
    known = {each.id: each for each in report.contradictions} if report else {}
    reported = known.get(contradiction_id)
    found = _newest(hearing, reported)
    if found is None:
        raise BadInput(
            f"{run_id} has no {contradiction_id} that anybody can show now: its worker must run, "
            "or its report be on this machine."
        )
    parties = await _Gathering(service, report, found).parties(hearing)
    return ContradictionView(
        run_id=run_id,
        topic=hearing.case.topic if hearing else report.topic if report else "",
        found=found,
        parties=parties,
        places=_places(report, found) if report else (),
        confidence=report.confidence.value if report else None,
        earlier=await _earlier(service, parties, run_id),
        report=report,
    )


def _newest(hearing: Hearing | None, reported: Contradiction | None) -> Contradiction | None:
    """A ruling stands in its arbitration first, and one that came late in a report alone."""
    if hearing is None or (reported is not None and not reported.is_open):
        return reported
    return hearing.contradiction


@dataclass(frozen=True)
class _Gathering:
    service: Service
    report: Report | None
    found: Contradiction

    async def parties(self, hearing: Hearing | None) -> tuple[Party, ...]:
        count = len(self.found.claims)
        sides: Sequence[Side | None] = hearing.case.sides if hearing else (None,) * count
        upheld = holding(self.found.ruling, count) if self.found.ruling else (None,) * count
        standings = words.standings(self.found)
        found = await asyncio.gather(
            *(
                self._party(number, letter, sides[number])
                for number, letter in enumerate(letters(count))
            )
        )
        return tuple(
            replace(party, upheld=holds, standing=standing)
            for party, holds, standing in zip(found, upheld, standings, strict=True)
        )

    async def _party(self, number: int, letter: str, side: Side | None) -> Party:
        claim = side.claim if side else self._claims[self.found.claims[number]]
        reported = self._sources.get(claim.source_id)
        source = reported or (side.source if side else None)
        if source is None:
            raise BadInput(f"The source of {claim.id} is not in the report of this run.")
        values = self.found.values
        return Party(
            letter=letter,
            claim=claim,
            value=values[number] if values else None,
            source=source,
            excerpt=excerpt(claim, await self.service.text(reported)),
            credibility=claim.credibility,
            factors=reported.factors if reported else (),
            corroboration=side.corroboration if side else 1 + len(self.found.backing[number]),
            backing=words.backed(side) if side else (),
            record=side.track_record if side else TrackRecord(),
            remarks=self._remarks(members(self.found)[number]),
            source_id=reported.id if reported and reported.snapshot_sha256 else None,
        )

    @property
    def _claims(self) -> Mapping[str, Claim]:
        return {claim.id: claim for claim in self.report.claims} if self.report else {}

    @property
    def _sources(self) -> Mapping[str, ReportedSource]:
        return {source.id: source for source in self.report.sources} if self.report else {}

    def _remarks(self, claims: Sequence[str]) -> tuple[Challenge, ...]:
        debate = self.report.debate if self.report else None
        return tuple(each for each in debate.said if each.claim_id in claims) if debate else ()


def _places(report: Report, found: Contradiction) -> tuple[str, ...]:
    """Where the report cites a claim of the contradiction, in the words of readers."""
    claims = concerned(found)
    names = {ANSWER: "the answer", SUMMARY: "the executive summary"}
    names |= {
        place(section): f"section {number} ({section.title})"
        for number, section in enumerate(report.sections, start=1)
    }
    return tuple(
        names[piece.where]
        for piece in pieces(report)
        if any(
            marker.claim_id in claims or marker.contradiction_id == found.id
            for marker in prose.markers(piece.markdown)
        )
    )


async def _earlier(
    service: Service, parties: Sequence[Party], run_id: str
) -> tuple[RulingRecord, ...]:
    """Rulings of other runs in which two of these very statements stood against each other."""
    speakers = [speaker(_as_ref(party.source), party.claim) for party in parties]
    said = {(each.id, each.said) for each in speakers}
    try:
        found = await service.memory.rulings_about([each.id for each in speakers])
    except PortFailure:
        return ()
    return tuple(
        each
        for each in found
        if each.run_id != run_id
        and len(said & {(who.id, who.said) for who in each.claimants}) >= PAIR
    )


def _as_ref(source: SourceRef | ReportedSource) -> SourceRef:
    if isinstance(source, SourceRef):
        return source
    return SourceRef(id=source.id, title=source.title, url=source.url, path=source.path)

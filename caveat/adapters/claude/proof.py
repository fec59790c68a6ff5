"""A proof sheet: one piece of prose as a report that the rules of the audit can look at."""

import datetime as dt
from collections.abc import Iterable

from caveat.contracts.claim import Claim
from caveat.contracts.confidence import Confidence
from caveat.contracts.plan import Depth, ReasonerCard
from caveat.contracts.report import Metrics, Report, ReportedSource, ReportStatus
from caveat.contracts.source import SourceRef

_NOBODY = ReasonerCard(name="", disclosure="", uses_language_model=True)
_NOTHING = Metrics(
    citation_coverage=0,
    sources_per_angle=0,
    sources_found=0,
    sources_read=0,
    pipeline_seconds=0,
)


def proof(text: str, claims: Iterable[Claim], sources: Iterable[SourceRef]) -> Report:
    """Make a report whose summary is the piece, and which has nothing else but claims and sources.

    Findings that are not about its summary mean nothing.
    """
    return Report(
        run_id="proof",
        topic="proof",
        created=dt.datetime.min.replace(tzinfo=dt.UTC),
        depth=Depth.OVERVIEW,
        status=ReportStatus.PROVISIONAL,
        reasoner=_NOBODY,
        formats=(),
        summary=text,
        confidence=Confidence(value=0, ledger=()),
        sections=(),
        claims=tuple(claims),
        sources=tuple(
            ReportedSource(
                id=source.id, title=source.title, credibility=0, admitted=True, reason=""
            )
            for source in sources
        ),
        metrics=_NOTHING,
    )

"""The answer: whether the question that was asked is answered, by what, and why that is said.

Code decides it for every reasoner, from the claims and the contradictions that the report shows, so
that an audit comes to the same.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.report import Report, Section
from caveat.contracts.source import SourceRef
from caveat.rules.report.closest import AS_GOOD, is_asked, select_closest
from caveat.rules.sources import index_voices
from caveat.rules.text import list_marked_ids, prose

DIRECT = "Direct answers"
"""Title of the section on the question itself, where the reasoner makes one."""

SHOWN = 7  # passages on the question itself that a section shows at most, three of them above it


def name_angle(title: str) -> str:
    return "the question itself" if title == DIRECT else f"“{title}”"


class Opening(NamedTuple):
    """What a report opens with; see `contracts.report.Report`."""

    answered: bool | Literal["partly"] | None
    answer: str
    answered_because: str
    disputed: tuple[str, ...]


def build_opening(report: Report) -> Opening:
    """Open a report with its closest passages: nobody has said whether they answer its question."""
    section = find_direct_section(report)
    closest = select_closest(report, list_passages(report, section))
    claims = list_direct_claims(report, section)
    best = max((claim.relevance for claim in claims), default=0.0)
    return Opening(None, closest.text, closest.because, tuple(_list_disputes(report, claims, best)))


def list_passages(report: Report, section: Section | None) -> list[str]:
    """The quotes of the section on the question itself, best first, with their markers."""
    written = report.summary if section is None else section.summary
    return [block.text for block in prose.split_blocks(written) if list_marked_ids(block.text)]


def index_report_voices(report: Report) -> dict[str, str]:
    return index_voices(
        SourceRef(
            id=each.id,
            title=each.title.removesuffix(f" ({each.path or each.url})"),  # as it was before others
            url=each.url,
            path=each.path,
            authors=each.authors,
        )
        for each in report.sources
    )


def find_direct_section(report: Report) -> Section | None:
    """Find the section on the question itself; a model answers in its summary."""
    return next((section for section in report.sections if section.title == DIRECT), None)


def list_direct_claims(report: Report, section: Section | None) -> list[Claim]:
    """The claims on the question itself that were not overruled."""
    standing = [claim for claim in report.claims if claim.state is not ClaimState.OVERRULED]
    if section is None:
        return standing
    shown = set(list_marked_ids(section.summary))
    disputed = frozenset[str]().union(*(each.concerned for each in report.contradictions))
    return [
        claim
        for claim in standing
        if claim.id in shown
        or (claim.id in disputed and claim.assignment_id == section.assignment_id)
    ]


def _list_disputes(report: Report, claims: Sequence[Claim], best: float) -> Iterator[str]:
    near = {claim.id for claim in claims if claim.relevance >= AS_GOOD * best}
    for each in report.contradictions:
        is_near = is_asked(each, report) or not near.isdisjoint(each.concerned)
        if each.is_unsettled and is_near:
            yield each.id

"""The answer: whether the question that was asked is answered, by what, and why that is said.

Without a model nobody says so; with one it is the synthesiser's word, granted by code.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from caveat.contracts.report import Report
from caveat.contracts.source import ClaimState, SourceRef
from caveat.contracts.synthesis import Verdict, Verification
from caveat.rules.report.closest import AS_GOOD, is_asked, select_closest
from caveat.rules.sources.identity import index_voices
from caveat.rules.text import prose
from caveat.rules.text.citations import list_marked_ids

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
    section = next((section for section in report.sections if section.title == DIRECT), None)
    written = report.summary if section is None else section.summary
    blocks = [block.text for block in prose.split_blocks(written) if list_marked_ids(block.text)]
    answer, because = select_closest(report, blocks)
    claims = [claim for claim in report.claims if claim.state is not ClaimState.OVERRULED]
    if section is not None:
        shown = {*list_marked_ids(section.summary)}
        disputed = frozenset[str]().union(*(each.concerned for each in report.contradictions))
        own = {claim.id for claim in claims if claim.assignment_id == section.assignment_id}
        claims = [claim for claim in claims if claim.id in shown | (disputed & own)]
    best = max((claim.relevance for claim in claims), default=0.0)
    near = {claim.id for claim in claims if claim.relevance >= AS_GOOD * best}
    disputes = tuple(
        each.id
        for each in report.contradictions
        if each.is_unsettled and (is_asked(each, report) or not near.isdisjoint(each.concerned))
    )
    return Opening(None, answer, because, disputes)


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


_FLAWED = "what was written of it did not pass the checks of its form, and quotes stand instead"


def explain_unanswered(report: Report) -> str:
    """Say in a clause why a report does not answer; empty where it does, at least in part."""
    claims = {claim.id: claim for claim in report.claims}
    cited = [claims[name] for name in list_marked_ids(report.summary) if name in claims]
    if any(claim.is_usable for claim in cited):
        if report.verdict is not Verdict.NOT_ANSWERED:
            return ""
        is_flawed = report.verification is not None and report.verification.is_answer_flawed
        return _FLAWED if is_flawed else "nothing that was found says what was asked"
    if any(each.is_unsettled for each in report.contradictions):
        return "the sources disagree on what was asked, and which of them holds is not settled"
    if not any(each.effort.found for each in report.sections):
        return "nothing was found on what was asked"
    if report.verdict is Verdict.NOT_ANSWERED:
        return "nothing that was found says what was asked"
    return "no quote carries what was written as the answer"


_VERIFIED = (
    "Every part of the question has an answer, and a second reader found each sentence of it "
    "carried by the quotes that it cites."
)
_PARTLY = "The writer found a part of the question unanswered, and does not say which."


def grant_verdict(report: Report) -> Opening:
    """Grant a verdict as far as the report bears it out."""
    # "Answered" needs claims that may be used behind the answer, that each of its sentences was
    # verified, and that nothing of it is missing, left out or a side of an undecided dispute.
    why = explain_unanswered(report)
    disputed = tuple(_list_disputes(report, is_answered=not why))
    if why:
        because = " ".join([f"{why[0].upper()}{why[1:]}.", *_describe_missing(report)])
        # What the writer says instead stands, with the nearest passages.
        is_said = any(list_marked_ids(report.summary))
        text = report.summary if is_said else ""
        return Opening(answered=False, answer=text, answered_because=because, disputed=disputed)
    short = [*_describe_missing(report), *_describe_shortfalls(report, disputed)]
    if report.verdict is Verdict.ANSWERED and not short:
        text, because = report.summary, _VERIFIED
        return Opening(answered=True, answer=text, answered_because=because, disputed=())
    return Opening("partly", report.summary, " ".join(short or [_PARTLY]), disputed)


def _list_disputes(report: Report, *, is_answered: bool) -> Iterator[str]:
    # What an answer tells is marked in it while people think; what nobody settled is cited nowhere.
    told = {each.contradiction_id for each in prose.find_markers(report.summary)}
    for each in report.contradictions:
        if each.is_unsettled and (each.requires_human_review or not is_answered or each.id in told):
            yield each.id


def _describe_missing(report: Report) -> Iterator[str]:
    parts = [each.part.rstrip(".?") for each in report.missing]
    if parts:
        yield f"Missing: {'; '.join(parts)}."


def _describe_shortfalls(report: Report, disputed: Sequence[str]) -> Iterator[str]:
    if disputed:
        points = "a point" if len(disputed) == 1 else f"{len(disputed)} points"
        yield f"The sources disagree on {points} of the question."
    if lost := (report.verification or Verification()).lost:
        yield f"Sentences of it that did not pass their checks, and were left out: {lost}."

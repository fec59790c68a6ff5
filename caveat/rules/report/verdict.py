"""The verdict: the synthesiser's word on whether the question is answered, granted by code."""

from collections.abc import Iterator, Sequence

from caveat.contracts.claim import Claim
from caveat.contracts.report import Report
from caveat.contracts.synthesis import Support, Verdict
from caveat.rules.contradictions.contest import usable
from caveat.rules.report.answering import Opening
from caveat.rules.text import SUMMARY, Piece, markers

_WORDS = {
    Verdict.ANSWERED: "Every part of the question has an answer, and a second reader found each "
    "sentence of it carried by the quotes that it cites.",
    Verdict.PARTLY: "The claims answer a part of the question.",
    Verdict.NOT_ANSWERED: "No source says what was asked; what comes nearest stands here.",
}


def granted(report: Report) -> Opening:
    """Grant a verdict as far as the report bears it out.

    "Answered" needs claims that may be used behind the answer, that each of its sentences was
    verified, and that nothing of it is missing, left out, or a side of an undecided dispute.
    """
    cited = _cited(report)
    disputed = tuple(_disputed(report, {claim.id for claim in cited}))
    if report.verdict is None or report.verdict is Verdict.NOT_ANSWERED or not cited:
        because = [_WORDS[Verdict.NOT_ANSWERED], *_missing(report)]
        return Opening(answered=False, text="", because=" ".join(because), disputed=disputed)
    short = [*_missing(report), *_shortfalls(report, disputed)]
    if report.verdict is Verdict.ANSWERED and not short:
        because = [_WORDS[Verdict.ANSWERED]]
        return Opening(answered=True, text=report.summary, because=because[0], disputed=())
    because = short or [_WORDS[Verdict.PARTLY]]
    return Opening("partly", report.summary, " ".join(because), disputed)


def _cited(report: Report) -> list[Claim]:
    """The claims behind the answer that may be used."""
    claims = {claim.id: claim for claim in report.claims}
    names = dict.fromkeys(markers(report.summary))
    return [claims[name] for name in names if name in claims and usable(claims[name])]


def _disputed(report: Report, cited: set[str]) -> Iterator[str]:
    for each in report.contradictions:
        undecided = each.is_open or each.requires_human_review
        if undecided and each.affects_answer and not cited.isdisjoint(each.concerned):
            yield each.id


def _missing(report: Report) -> Iterator[str]:
    parts = [each.part.rstrip(".?") for each in report.missing]
    if parts:
        yield f"Missing: {'; '.join(parts)}."


def _shortfalls(report: Report, disputed: Sequence[str]) -> Iterator[str]:
    if disputed:
        yield "The sources disagree on what is said here, and nothing has settled which holds."
    supported = {
        (each.text, each.claims)
        for each in (report.verification.read if report.verification else ())
        if each.support is Support.SUPPORTED
    }
    claims = {claim.id: claim for claim in report.claims}
    sentences = Piece(report.summary, claims, SUMMARY).sentences
    read = sum((each.text, tuple(dict.fromkeys(each.cited))) in supported for each in sentences)
    if read < len(sentences):
        yield f"{len(sentences) - read} of {len(sentences)} sentences of it were not verified."

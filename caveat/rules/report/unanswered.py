"""Why a report that a model wrote does not answer its question."""

from collections.abc import Iterator

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Report
from caveat.contracts.synthesis import Verdict
from caveat.rules.contradictions.contest import is_usable
from caveat.rules.text import list_marked_ids

_FLAWED = "what was written of it did not pass the checks of its form, and quotes stand instead"


def explain_unanswered(report: Report) -> str:
    """Say in a clause why a report does not answer; empty where it does, at least in part."""
    claims = {claim.id: claim for claim in report.claims}
    cited = [claims[name] for name in list_marked_ids(report.summary) if name in claims]
    if report.verdict is not Verdict.NOT_ANSWERED and any(map(is_usable, cited)):
        return ""
    if report.verdict is Verdict.NOT_ANSWERED and any(map(is_usable, cited)):
        is_flawed = report.verification is not None and report.verification.is_answer_flawed
        return _FLAWED if is_flawed else "nothing that was found says what was asked"
    if any(list_undecided_disputes(report)):
        return "the sources disagree on what was asked, and which of them holds is not settled"
    if not any(each.effort.found for each in report.sections):
        return "nothing was found on what was asked"
    if report.verdict is Verdict.NOT_ANSWERED:
        return "nothing that was found says what was asked"
    return "no quote carries what was written as the answer"


def list_undecided_disputes(report: Report) -> Iterator[Contradiction]:
    """The disputes that the answer depends on and that nothing has settled."""
    for each in report.contradictions:
        if each.affects_answer and (each.is_open or each.requires_human_review):
            yield each

"""A report on one page: the answer, how sure it is, what else was found, and what is missing."""

from collections.abc import Iterator, Sequence

from caveat.contracts.report import Report
from caveat.rendering import words
from caveat.rendering.edition import Edition
from caveat.rendering.markdown import escaped
from caveat.rules.report import DIRECT, conflict
from caveat.rules.sources import own_reports
from caveat.rules.text import markers

_FURTHER = 2  # quotes beside the answer
_MISSING = 3  # gaps and limitations that are named; the report has the others
_SOURCES = 6  # sources that are listed
_DISPUTED = 1  # contradictions that are shown; of the others it is said how many there are
_LONGEST = 280  # characters of a quote: a paragraph of a page of 60 lines


def brief(report: Report) -> str:
    """Write the essence of a report as Markdown of about one page; the report holds the rest."""
    edition = Edition(report)
    parts = [
        own_reports.front_matter(report.run_id, report.schema_version),
        f"# {escaped(report.topic)}",
        f"**{words.answered(report)}** {escaped(report.answered_because)}",
        *_answer(edition),
        f"**Confidence: {words.confidence(report.confidence.value)}:** {_why(report)}",
        *_listed("Also found", _further(edition)),
        *_listed("Missing", _missing(report)),
        *_listed("Sources", _sources(edition)),
        f"*{escaped(own_reports.mark(report.run_id))}*",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _answer(edition: Edition) -> Iterator[str]:
    for name in markers(edition.report.answer)[:1]:
        yield f"> {_quoted(edition, name)}"
    for each in edition.disputed[:_DISPUTED]:
        yield f"**{escaped(each.about)}**"
        yield "\n".join(
            f"- {side.letter}: {_quoted(edition, side.claim.id)} ({side.standing})"
            for side in edition.sides(each)
            if side.claim is not None
        )
        if found := conflict(edition.report.stated, each):
            yield escaped(words.farthest(found))
    if (rest := len(edition.disputed) - _DISPUTED) > 0:
        yield f"{rest} more {'contradiction' if rest == 1 else 'contradictions'} in the report."


def _why(report: Report) -> str:
    return escaped("; ".join(step.reason for step in report.confidence.ledger[:2]) + ".")


def _further(edition: Edition) -> Sequence[str]:
    answered = markers(edition.report.answer)[:1]
    direct = [each.summary for each in edition.report.sections if each.title == DIRECT]
    named = dict.fromkeys(markers("\n".join(direct) or edition.report.summary))
    return [_quoted(edition, name) for name in named if name not in answered][:_FURTHER]


def _quoted(edition: Edition, name: str) -> str:
    claim, citation = edition.claims.get(name), edition.citation(name)
    if claim is None:
        return ""
    quote = claim.quote if len(claim.quote) <= _LONGEST else f"{claim.quote[: _LONGEST - 1]}…"
    return f"“{escaped(quote)}”" + (f" [{citation.number}]" if citation else "")


def _missing(report: Report) -> Sequence[str]:
    told = [f"{each.area}: {each.reason}" for each in report.gaps]
    told += [f"{each.area}. {each.why}" for each in report.limitations]
    rest = len(told) - _MISSING
    more = [f"{rest} more in the report."] if rest > 0 else []
    return [escaped(each) for each in told[:_MISSING]] + more


def _sources(edition: Edition) -> Sequence[str]:
    def line(number: int | None, title: str, credibility: float) -> str:
        return f"[{number}] {escaped(title)}, credibility {credibility:.2f}"

    cited = edition.cited
    rest = len(cited) - _SOURCES
    more = [f"{rest} more in the report."] if rest > 0 else []
    return [line(each.number, each.title, each.credibility) for each in cited[:_SOURCES]] + more


def _listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"**{title}**"
        yield "\n".join(f"- {line}" for line in lines)

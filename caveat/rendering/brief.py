"""A report on one page: the answer, what contradicts itself, how sure it is, what is missing."""

from collections.abc import Iterator, Sequence

from caveat.contracts.report import Report
from caveat.rendering import words
from caveat.rendering.gist import ITEM, gist
from caveat.rendering.markdown import escaped
from caveat.rules.sources import own_reports
from caveat.rules.text import prose

_MISSING = 3
"""Gaps and limitations that are named; the report has the others."""

_LONGEST = 280
"""Characters of a passage that is no answer: a paragraph of a page of 60 lines."""


def brief(report: Report) -> str:
    """Write the essence of a report as Markdown of about one page; the report holds the rest."""
    found = gist(report)
    longest = None if found.is_answer else _LONGEST
    said = (each if longest is None else words.shortened(each, longest) for each in found.answer)
    parts = [
        own_reports.front_matter(report.run_id, report.schema_version),
        f"# {escaped(report.topic)}",
        f"**{escaped(found.verdict)}**",
        *(f"- {escaped(each[2:])}" if each.startswith(ITEM) else escaped(each) for each in said),
        *_listed("Contradictions", found.contradictions),
        f"{escaped(found.lacks)} **{escaped(found.confidence)}.**".strip(),
        *_listed("Missing", _missing(report)),
        *_listed("Sources", found.sources),
        f"*{escaped(own_reports.mark(report.run_id))}*",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _missing(report: Report) -> Sequence[str]:
    told = [f"{words.sentence(each.part)} {_plain(each.why)}" for each in report.missing]
    told += [f"{each.area}: {each.reason}" for each in report.gaps]
    told += [f"{each.area}. {each.why}" for each in report.limitations]
    rest = len(told) - _MISSING
    return told[:_MISSING] + ([f"{rest} more in the report."] if rest > 0 else [])


def _plain(markdown: str) -> str:
    return " ".join(prose.passage(block).text for block in prose.blocks(markdown))


def _listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"**{title}**"
        yield "\n".join(f"- {escaped(line)}" for line in lines)

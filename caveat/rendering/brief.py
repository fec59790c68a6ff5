"""A report on one page: the answer, what contradicts itself, how sure it is, what is missing."""

from collections.abc import Iterator, Sequence

from caveat.contracts.report import Report
from caveat.rendering import words
from caveat.rendering.gist import ITEM, build_gist
from caveat.rendering.markdown import escape_markdown
from caveat.rules.lines import shorten
from caveat.rules.sources import own_reports
from caveat.rules.text import prose

_MISSING = 3  # Gaps and limitations that are named; the report has the others

_LONGEST = 280  # Characters of a passage without an answer: a paragraph of a page of 60 lines

_LINE = 86  # characters of a source: a line of print


def render_brief(report: Report) -> str:
    gist = build_gist(report)
    answer = gist.answer if gist.is_answer else [shorten(each, _LONGEST) for each in gist.answer]
    disputes = [line for each in gist.disputes for line in (each.title, *each.sides)]
    parts = [
        own_reports.write_front_matter(report.run_id, report.schema_version),
        f"# {escape_markdown(report.topic)}",
        _format_items(disputes),
        f"**{escape_markdown(gist.verdict)}**",
        _format_items([each.removeprefix(ITEM) for each in answer])
        if all(each.startswith(ITEM) for each in gist.answer)
        else "\n\n".join(map(escape_markdown, answer)),
        _format_items(gist.settled),
        escape_markdown(" ".join(filter(None, (gist.standing, gist.compared)))),
        *_format_list("Missing", _describe_missing(report)),
        *_format_list("Sources", [shorten(each, _LINE) for each in gist.sources]),
        f"*{escape_markdown(own_reports.write_mark(report.run_id))}*",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _describe_missing(report: Report) -> Sequence[str]:
    lacks = []
    for each in report.missing:
        blocks = prose.split_blocks(each.why)
        why = " ".join(prose.build_plain_block(block).text for block in blocks)
        lacks.append(f"{words.end_sentence(each.part)} {why}")
    lacks += [f"{each.area}: {each.reason}" for each in report.gaps]
    lacks += [f"{each.area}. {each.why}" for each in report.limitations]
    rest = len(lacks) - _MISSING
    return lacks[:_MISSING] + ([f"{rest} more in the report."] if rest > 0 else [])


def _format_list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"**{title}**"
        yield _format_items(lines)


def _format_items(lines: Sequence[str]) -> str:
    return "\n".join(f"- {escape_markdown(line)}" for line in lines)

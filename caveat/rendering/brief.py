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
    found = build_gist(report)
    longest = None if found.is_answer else _LONGEST
    said = (each if longest is None else shorten(each, longest) for each in found.answer)
    disputes = [line for each in found.disputes for line in (each.title, *each.sides)]
    sources = [shorten(each, _LINE) for each in found.sources]
    parts = [
        own_reports.write_front_matter(report.run_id, report.schema_version),
        f"# {escape_markdown(report.topic)}",
        "\n".join(f"- {escape_markdown(line)}" for line in (*disputes, *found.settled)),
        f"**{escape_markdown(found.verdict)}**",
        "\n".join(
            f"- {escape_markdown(each[2:])}" if each.startswith(ITEM) else escape_markdown(each)
            for each in said
        )
        if all(each.startswith(ITEM) for each in found.answer)
        else "\n\n".join(map(escape_markdown, said)),
        escape_markdown(" ".join(filter(None, (found.standing, found.compared)))),
        *_format_list("Missing", _describe_missing(report)),
        *_format_list("Sources", sources),
        f"*{escape_markdown(own_reports.write_mark(report.run_id))}*",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _describe_missing(report: Report) -> Sequence[str]:
    told = [f"{words.end_sentence(each.part)} {_strip_markup(each.why)}" for each in report.missing]
    told += [f"{each.area}: {each.reason}" for each in report.gaps]
    told += [f"{each.area}. {each.why}" for each in report.limitations]
    rest = len(told) - _MISSING
    return told[:_MISSING] + ([f"{rest} more in the report."] if rest > 0 else [])


def _strip_markup(markdown: str) -> str:
    return " ".join(prose.build_plain_block(block).text for block in prose.split_blocks(markdown))


def _format_list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"**{title}**"
        yield "\n".join(f"- {escape_markdown(line)}" for line in lines)

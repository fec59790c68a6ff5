"""AsciiDoc and Org, line by line as Markdown, which is read as any other."""

import itertools
import re
from collections.abc import Iterator

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import Loaded
from caveat.adapters.documents.markdown import add_markdown
from caveat.adapters.documents.metadata import parse_metadata
from caveat.rules.sources import is_own_report

_ATTRIBUTE = re.compile(r":([\w-]+):\s*(.*)")
_ITEM = re.compile(r"([*.]+|-)\s+(?=\S)")
_DELIMITED = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|\|={3,}|/{4,})\s*")
_LINK = re.compile(
    r"(?:link:|https?://)[^\s\[]{0,500}\[([^\[\]]{1,500})\]|<<(?:[^<,>]{0,200}, ?)?([^<>]{1,200})>>"
)
_RAISED = re.compile(r"(?<=\S)\^([^\s^]+)\^")
_LOWERED = re.compile(r"(?<=\S)~([^\s~]+)~")
_ADORNED = re.compile(r"(?<![\w*`])([*_#`+])\1?(\S(?:[^\n]*?\S)?)\1{1,2}(?![\w*`])")


def load_asciidoc(text: str) -> Loaded:
    """Read AsciiDoc; nothing that it includes is opened."""
    lines = text.split("\n")
    fields = {m[1].lower(): m[2] for m in map(_ATTRIBUTE.fullmatch, lines[:40]) if m}
    title = next((line[2:] for line in lines if line.startswith("= ")), "")
    dated = {"published": fields.get("revdate", "") or fields.get("date", "")}
    return _load_markdown(text, _convert_asciidoc(lines), {"title": title, **fields, **dated})


def _load_markdown(text: str, lines: Iterator[str], fields: dict[str, str]) -> Loaded:
    composer = Composer()
    add_markdown(composer, "\n".join(lines))
    return Loaded(composer.finish(), parse_metadata(fields), is_own_report(text))


def _convert_asciidoc(lines: list[str]) -> Iterator[str]:
    fence = ""
    cells: list[list[str]] = []
    for line in lines:
        mark = _DELIMITED.fullmatch(line)
        if fence:
            if mark and mark[1] == fence:
                yield from _end_block(fence, cells)
                fence, cells = "", []
            elif fence.startswith("|"):
                cells += [row] if (row := [cell.strip() for cell in line.split("|")][1:]) else []
            elif not fence.startswith("/"):
                yield line
        elif mark and mark[1][0] in "-.+|/":
            fence = mark[1]
            yield "" if fence[0] in "|/" else "```"
        elif not mark and not line.startswith(("//", "[", "include::", "ifdef::", "endif::")):
            yield _convert_asciidoc_line(line)


def _end_block(fence: str, cells: list[list[str]]) -> Iterator[str]:
    if not fence.startswith("|"):
        yield "" if fence.startswith("/") else "```"
        return
    width = len(cells[0]) if cells else 0
    flat = [cell for row in cells for cell in row]
    for place in range(0, len(flat), width or 1):
        yield f"| {' | '.join(map(_convert_asciidoc_inline, flat[place : place + width]))} |"
        if not place:
            yield "|---" * width + "|"
    yield ""


def _convert_asciidoc_line(line: str) -> str:
    if _ATTRIBUTE.fullmatch(line):
        return ""
    heading = re.match(r"(={1,6})\s+(.*)", line)
    if heading:
        return f"\n{'#' * len(heading[1])} {_convert_asciidoc_inline(heading[2])}\n"
    item = _ITEM.match(line)
    if item:
        sign = "1." if item[1].startswith(".") else "-"
        return f"{'   ' * (len(item[1]) - 1)}{sign} {_convert_asciidoc_inline(line[item.end() :])}"
    term, ends, said = line.partition("::")
    if ends and term.strip() and said[:1] in {"", " "}:
        return f"\n- **{_convert_asciidoc_inline(term)}**: {_convert_asciidoc_inline(said.strip())}"
    caption = re.match(r"\.(?=\w)", line)
    return "" if line == "+" else _convert_asciidoc_inline(line[1:] if caption else line)


def _convert_asciidoc_inline(text: str) -> str:
    text = _LINK.sub(lambda match: next(filter(None, match.groups())), text)
    text = _RAISED.sub(r"<sup>\1</sup>", _LOWERED.sub(r"<sub>\1</sub>", text))
    return _ADORNED.sub(lambda match: f"**{match[2]}**" if match[1] == "*" else match[2], text)


_KEYWORD = re.compile(r"\s*#\+(\w+):\s*(.*)")
_BEGIN = re.compile(r"\s*#\+begin_(\w+)", re.IGNORECASE)
_VERBATIM = frozenset({"src", "example", "comment"})
_DRAWER = re.compile(r"\s*:[\w-]+:\s*")
_ORG_LINK = re.compile(r"\[\[[^\[\]]{0,500}\](?:\[([^\[\]]{1,500})\])?\]")
_ORG_SCRIPT = re.compile(r"(?<=[\w)])([_^])(?:\{([^{}]+)\}|([-+]?\d+)(?!\w))")
_TODO = re.compile(r"(\*+)\s+(?:(?:TODO|DONE)\s+)?(?:\[#\w\]\s+)?(.*?)(?:\s+:[\w:@]+:)?\s*")


def load_org(text: str) -> Loaded:
    """Read Org; nothing that it includes is opened."""
    lines = text.split("\n")
    fields = {m[1].lower(): m[2] for m in map(_KEYWORD.fullmatch, lines) if m}
    return _load_markdown(text, _convert_org(lines), fields)


def _convert_org(lines: list[str]) -> Iterator[str]:
    block, in_drawer = "", False
    for before, line in itertools.pairwise(["", *lines]):
        begins = _BEGIN.match(line)
        if block and line.strip().lower() == f"#+end_{block}":
            yield "```" if block in _VERBATIM else ""
            block = ""
        elif block:
            yield line if block in _VERBATIM else _convert_org_line(line)
        elif begins:
            block = begins[1].lower()
            yield "```" if block in _VERBATIM else ""
        elif in_drawer or _DRAWER.fullmatch(line):
            in_drawer = line.strip().upper() != ":END:"
        elif not line.lstrip().startswith(("#+", "# ")):
            begins_table = line.lstrip()[:1] == "|" != before.lstrip()[:1]
            yield "\n" * begins_table + _convert_org_line(line)


def _convert_org_line(line: str) -> str:
    heading = _TODO.fullmatch(line)
    if heading:
        return f"\n{'#' * min(6, len(heading[1]))} {_convert_org_inline(heading[2])}\n"
    if line.lstrip().startswith("|-"):
        return line.strip().replace("+", "|")
    return re.sub(r"^(\s*[-+] )(.*?) :: ", r"\1**\2**: ", _convert_org_inline(line))


def _convert_org_inline(text: str) -> str:
    text = _ORG_LINK.sub(lambda match: match[1] or "", text)
    text = re.sub(r"(?<![\w/])([/=~+_])(\S(?:.*?\S)?)\1(?![\w/])", r"\2", text)
    return _ORG_SCRIPT.sub(_convert_org_script, text)


def _convert_org_script(match: re.Match[str]) -> str:
    tag = "sup" if match[1] == "^" else "sub"
    return f"<{tag}>{match[2] or match[3]}</{tag}>"

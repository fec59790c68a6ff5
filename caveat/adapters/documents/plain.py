"""Text as it is, tables of values with separators, and JSON."""

import csv
import itertools
import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from caveat.adapters.documents.composer import ROWS_LOOKED_AT, Composer, has_names
from caveat.adapters.documents.html import format_numeral
from caveat.adapters.documents.loaded import Metadata, Unreadable
from caveat.adapters.documents.metadata import parse_title, split_front_matter
from caveat.contracts.source import SourceKind

_BULLET = re.compile(r"\s*(?:[-*•‣]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
_SIGN = re.compile(r"\s*[-*•‣]\s+")
_UNDERLINE = re.compile(r"([=\-~^*#\"'`+])\1{2,}\s*$")
_DIVIDED = re.compile(r"(?<=[^\W\d_])[\u2010\u00ad][ \t]*\n\s*(?=[^\W\d_])")
_COLUMNS = re.compile(r"\S(?: {3,}|\t+)\S")
_GAP = re.compile(r" {2,}|\t+")  # between two columns


def load_text(composer: Composer, text: str) -> Metadata:
    """Read plain text; line wraps inside paragraphs are joined."""
    metadata, fields, composer.front = split_front_matter(text)
    composer.add_fields(fields)
    add_text(composer, composer.front)
    return metadata


def add_text(composer: Composer, text: str) -> None:
    """Add plain text, which may stand inside another format."""
    for block in re.split(r"\n[ \t\f]*\n", text):
        add_block(composer, [line for line in block.split("\n") if line.strip()])


def is_underlined(lines: list[str]) -> bool:
    """Whether the first line is a heading: the second is a rule about as long as it."""
    return (
        len(lines) > 1
        and _UNDERLINE.match(lines[1]) is not None
        and _UNDERLINE.match(lines[0]) is None
        and abs(len(lines[1].strip()) - len(lines[0].strip())) <= 2
    )


def add_block(composer: Composer, lines: list[str]) -> None:
    """Add lines without blank ones among them: a heading, a table, or paragraphs."""
    if is_underlined(lines):
        composer.add_heading(1 if lines[1].startswith(("=", "#", "*")) else 2, lines[0])
        lines = lines[2:]
    elif _is_headed(lines):
        composer.add_heading(2, lines[0])
        lines = lines[1:]
    # What few lines have is looked for in a tenth of the time of a pattern.
    spaced = (line for line in lines if "   " in line or "\t" in line)
    if 2 * len([*filter(_COLUMNS.search, spaced)]) > len(lines):
        rows = [_GAP.split(line.strip()) for line in lines]
        if len(rows) > 1 and len(set(map(len, rows))) == 1:
            composer.add_table(rows)
        else:
            composer.add_verbatim("\n".join(lines))
        return
    for paragraph in _split_bullets(lines):
        prose = "\n".join(paragraph)
        composer.add_paragraph(prose if prose.isascii() else _DIVIDED.sub("", prose))


_ENDS = re.compile(r"[.!?…]['”“\")]?(?:\s|\Z)")
_OPEN = re.compile(r"[.,;:!?–-]\s*\Z")


def _is_headed(lines: list[str]) -> bool:
    """Whether the first line is a heading, with no blank one behind it: its line had more room."""
    if len(lines) < 2 or _OPEN.search(lines[0]) or _BULLET.match(lines[1]):
        return False
    opens = lines[1].lstrip()[:1]
    if opens.islower() or len(lines[0]) * 2 > max(map(len, lines[1:])):
        return False
    from caveat.rules.text.words import detect_language, is_content  # noqa: PLC0415  # few ask

    goes_on = not is_content(lines[0].split()[-1].lower(), detect_language(" ".join(lines)))
    return not goes_on and _ENDS.search(" ".join(lines[1:])) is not None


def _split_bullets(lines: list[str]) -> list[list[str]]:
    """Split a block at its bullets; a list item is a paragraph without its sign."""
    paragraphs: list[list[str]] = []
    bulleted = bool(lines) and _BULLET.match(lines[0]) is not None
    for line in lines:
        bullet = _BULLET.match(line) if bulleted else None
        if bullet is not None:
            sign = _SIGN.match(line)  # a number is a part of what is said
            paragraphs.append([line[sign.end() :] if sign else line])
        elif paragraphs:
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return paragraphs


_LOOKED_AT = 10_000  # characters by which the separator is told


def load_table(composer: Composer, text: str) -> Metadata:
    """Read values with separators; the first row names columns where figures are below.

    Lines above it that begin with `#`, or are short of its cells, say what it is.
    """
    lines = text.splitlines(keepends=True)
    remarks = [*itertools.takewhile(lambda line: line.startswith("#"), lines)]
    rows = lines[len(remarks) :]
    try:
        separator, cells = _find_separator("".join(rows)[:_LOOKED_AT])
        last = next(csv.reader(remarks[-1:], delimiter=separator), [])
        if len(last) == cells > 1:  # a head of as many cells as a row
            rows.insert(0, remarks.pop())
        for remark in remarks:
            composer.add_paragraph(remark.strip("# \n"))
        inset = (_INSET.sub(lambda spaces: "\xa0" * len(spaces[0]), row) for row in rows)
        table = csv.reader(inset, delimiter=separator, skipinitialspace=True)
        first = [*itertools.islice(table, ROWS_LOOKED_AT)]
        start = len(remarks) + 1
        while first and _is_remark(first, cells):
            composer.add_paragraph(f"{separator} ".join(filter(str.strip, first.pop(0))))
            start += 1
        widest = max(map(len, first), default=0)
        letters = [format_numeral(place, "A") for place in range(1, widest + 1)]
        numbers = range(start, start + len(text))
        composer.add_table(itertools.chain(first, table), letters=letters, numbers=numbers)
    except csv.Error as error:
        raise Unreadable from error
    return Metadata(kind=SourceKind.DATASET)


_INSET = re.compile(r"\A +(?=[^\s\"])")


def _is_remark(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the first row is none of a table, as "Title;;;" and "In GBP;As of May;;" are."""
    filled, *behind = (sum(bool(cell.strip()) for cell in row) for row in rows)
    if len(rows[0]) < width and filled <= width / 2:
        return True
    is_flush = all(cell.strip() for cell in rows[0][:filled])
    is_above_names = filled < max(behind[:1], default=0) and has_names(rows[1:])
    return width > filled > 1 and is_flush and is_above_names


def _find_separator(start: str) -> tuple[str, int]:
    """Find what parts the cells: it gives most lines the same number of them, and many."""
    lines, best = start.splitlines(keepends=True), (False, 0, 1)
    separator = ","
    for each in ",;\t|":
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=each) if row)
        most = max(((width > 1, count, width) for width, count in widths.items()), default=best)
        if most > best:
            separator, best = each, most
    return separator, best[2]


def load_data(composer: Composer, text: str) -> Metadata:
    """Read JSON, or JSON by lines: lists of objects are tables, other values have their path."""
    try:
        value = parse_json(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable from error
    _add_value(composer, "", value)
    named = value.get("title") if isinstance(value, dict) else None
    title = parse_title(named) if isinstance(named, str) else None
    return Metadata(title=title, kind=SourceKind.DATASET)


def parse_json(text: str) -> Any:
    """Parse JSON, or JSON by lines; numbers, and a few damaged lines, stay as they are written."""
    try:
        return json.loads(text, parse_float=str, parse_int=str)
    except ValueError:
        records, damaged = list[Any](), 0
        for line in filter(str.strip, text.split("\n")):
            try:
                records.append(json.loads(line, parse_float=str, parse_int=str))
            except ValueError:
                records.append(line.strip())
                damaged += 1
        if damaged * 2 >= len(records):
            raise
        return records


def _add_value(composer: Composer, path: str, value: object) -> None:
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        names = list(dict.fromkeys(name for each in value for name in each))
        if all(not isinstance(each[name], dict | list) for each in value for name in each):
            composer.add_term(path)
            rows = ([_format_value(each.get(name)) for name in names] for each in value)
            composer.add_table(itertools.chain([names], rows), heads=1)
            composer.end_terms()
            return
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value, start=1)
        for name, each in pairs:
            _add_value(composer, f"{path}.{name}" if path else str(name), each)
    elif value is not None:
        shown = _format_value(value)
        composer.add_paragraph(f"{path}: {shown}" if path else shown, name=path)


def _format_value(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

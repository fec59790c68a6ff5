"""Caveat's own reports: the mark that each carries, and how one is told from a document.

A report is made of sources. Taken for one itself, it would repeat them as an independent voice, and
could settle with it what they disagree about.
"""

import json
import re
from typing import Any

GENERATOR = "Caveat"  # who a report says has made it, in the front matter of Markdown and in JSON
KEYWORD = "Caveat research report"  # among the keywords of a PDF
TABLE_MARK = "Caveat run"  # the last head of a table as CSV

_PARTS = frozenset(
    {
        *("Answer", "Executive summary", "Contradictions", "Evidence gaps", "Data limitations"),
        *("Sources", "Appendix"),
    }
)
_WITH_MARK = 3
"""Headings that must stand with the visible mark: a text that only quotes it lacks them."""

_SENTENCE = "Caveat wrote this report (run {run}). Cite its sources, not this report."
_START = r"(?:^|\n)[^\S\n]{0,80}[*_#\\-]{0,3}[^\S\n]{0,3}"
"""The start of a line, perhaps indented and emphasised. A line behind `>` is a quotation."""
_MARK = re.compile(
    _START + r"Caveat\s+wrote\s+this\s+report\s+\(run\s.{1,600}?\)\.\s+Cite\s+its\s+sources,\s+"
    r"not\s+this\s+report\.",
    re.DOTALL,
)
_MARK_WORDS = ("Caveat", "wrote", "Cite")
"""Without one of these a text need not be searched, which took a tenth of reading it."""

_FRONT_MATTER = re.compile(
    r"[\s\ufeff]*(?:@comment\{\s*)?---[^\S\n]*\n(.{0,4000}?)\n(?:---|\.\.\.)", re.DOTALL
)
_FIELD = re.compile(r"^([a-z]+)[^\S\n]*:[^\S\n]*[\"']?([^\"'\n]*)", re.MULTILINE)
_CODED = re.compile(r"[^A-Za-z0-9 ./-]")
_FENCED = re.compile(r"^[^\S\n]*(```|~~~).*?^[^\S\n]*\1", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[([^\[\]\n]*+)\]\([^()\n]*+\)")
_LINE = 200
"""Characters; no heading with its decoration is longer, and patterns on long lines take long."""
_DECORATION = re.compile(r"^[\s#*_•-]+|(?<![\s#*_.\d])[\s#*_.\d]++\Z")

_REPORT_KEYS = frozenset({"schema_version", "run_id", "topic", "sections", "claims", "sources"})
_EVIDENCE_KEYS = frozenset({"run_id", "topic", "request", "findings", "shelf", "failures"})


def write_mark(run_id: str) -> str:
    """Write the visible mark, which survives conversion to plain text."""
    return _SENTENCE.format(run=run_id)


def write_front_matter(run_id: str, schema_version: str) -> str:
    """Write the mark of Markdown and, in a comment, of BibTeX, as YAML."""
    run, schema = map(_quote_scalar, (run_id, schema_version))
    return f"---\ngenerator: {GENERATOR}\nrun: {run}\nschema: {schema}\n---"


def _quote_scalar(value: str) -> str:
    """Quote a YAML scalar, with what could become a link escaped."""
    coded = _CODED.sub(lambda sign: f"\\U{ord(sign.group()):08x}", value)
    return f'"{coded}"'


def list_keywords(run_id: str, schema_version: str) -> list[str]:
    return [KEYWORD, f"run {run_id}", f"schema {schema_version}"]


def is_own_report(text: str) -> bool:
    """Whether a text is a report in any format, whole or from its first page on."""
    # A document may mention Caveat: the mark counts as a line of its own, with a report's headings.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if (
        text.partition("\n")[0].endswith(f",{TABLE_MARK}")
        or _has_front_matter(text)
        or _is_json(text)
    ):
        return True
    if not all(word in text for word in _MARK_WORDS):
        return False
    spoken = _FENCED.sub("", text)
    if _MARK.search(spoken) is None:
        return False
    lines = {
        _DECORATION.sub("", _LINK.sub(r"\1", line))
        for line in spoken.split("\n")
        if len(line) <= _LINE
    }
    return len(lines & _PARTS) >= _WITH_MARK


def is_own_keyword(keywords_of_pdf: str) -> bool:
    return KEYWORD in map(str.strip, re.split("[,;]", keywords_of_pdf))


def _has_front_matter(text: str) -> bool:
    block = _FRONT_MATTER.match(text)
    if block is None:
        return False
    fields = dict(_FIELD.findall(block.group(1)))
    return fields.get("generator", "").strip() == GENERATOR and {"run", "schema"} <= fields.keys()


def _is_json(text: str) -> bool:
    start = text.lstrip("\ufeff \t\n")
    if not start.startswith("{"):
        return False
    try:
        value: Any = json.loads(start)
    except (ValueError, RecursionError):
        return False
    # The result of a run, as Temporal's own tools print it, holds the report.
    keys = [each.keys() for each in (value, value.get("report")) if isinstance(each, dict)]
    return any(each >= _REPORT_KEYS or each >= _EVIDENCE_KEYS for each in keys)

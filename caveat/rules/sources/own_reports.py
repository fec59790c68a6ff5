"""Caveat's own reports: the mark that each carries, and how one is told from a document.

A report is made of sources. Taken for one itself, it would repeat them as an independent voice, and
could settle with it what they disagree about.
"""

import json
import re
from typing import Any

TABLE_MARK = "Caveat run"  # the last head of a table as CSV

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
_FENCED = re.compile(r"^[^\S\n]*(```|~~~).*?^[^\S\n]*\1", re.DOTALL | re.MULTILINE)

_REPORT_KEYS = frozenset({"schema_version", "run_id", "topic", "sections", "claims", "sources"})
_EVIDENCE_KEYS = frozenset({"run_id", "topic", "request", "findings", "shelf", "failures"})


def write_mark(run_id: str) -> str:
    """Write the visible mark, which survives conversion to plain text."""
    return _SENTENCE.format(run=run_id)


def is_own_report(text: str) -> bool:
    """Whether a text is a report in any format, whole or from its first page on."""
    # A document may mention Caveat: the mark counts as a line of its own, and not as code.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.partition("\n")[0].endswith(f",{TABLE_MARK}") or _is_json(text):
        return True
    is_likely = all(word in text for word in _MARK_WORDS)
    return is_likely and _MARK.search(_FENCED.sub("", text)) is not None


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

"""The simplest reader of kinds: a pattern each, a word before a number."""

import re

_MONEY = r"[$€£¥]\s?\d[\d.,]*(?:\s?(?:million|billion|m|bn))?"
_PERCENT = r"\d[\d.]*\s?(?:%|per ?cent)"
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
PATTERNS = {
    "revenue": rf"(?i:revenues?|sales|turnover)[^.;]{{0,40}}?({_MONEY})",
    "margin": rf"(?i:margin)[^.;]{{0,40}}?({_PERCENT})",
    "growth": rf"(?i:grew|growth|rose|up|increased|fell|down)[^.;]{{0,40}}?({_PERCENT})",
    "multiple": r"(\d[\d.]*\s?(?:x|times))\s(?:\w+\s)?(?i:earnings|sales|ebitda|book)",
    "date": rf"(\d{{1,2}}\s{_MONTH}\s\d{{4}})",
}


def figures(text: str) -> list[tuple[str, str]]:
    """Find kinds and the words of their figures."""
    return [
        (kind, match[1])
        for kind, pattern in PATTERNS.items()
        for match in re.finditer(pattern, text)
    ]

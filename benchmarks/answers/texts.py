"""Texts as the judge and the plain baseline see them: read without any of Caveat's code."""

import re
from html.parser import HTMLParser
from pathlib import Path

_BLOCKS = frozenset(
    """address article blockquote br caption center dd div dl dt figure form h1 h2 h3 h4 h5 h6 hr li
    ol p pre section table tbody td th thead title tr ul""".split()  # noqa: SIM905  # a word list reads better without quotes
)
"""Elements that begin a paragraph."""

_UNSEEN = frozenset({"script", "style"})

_QUOTES = str.maketrans("‘’‚“”„´\N{NO-BREAK SPACE}", "'''\"\"\"' ", "`*\N{SOFT HYPHEN}")
"""Signs that stand for each other, and those that only mark words up."""


class _Text(HTMLParser):
    """What a browser would show, a paragraph a block."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Begin a paragraph with a block."""
        self._unseen += tag in _UNSEEN
        if tag in _BLOCKS:
            self.parts.append("\n\n")

    def handle_endtag(self, tag: str) -> None:
        """End a block's paragraph."""
        self._unseen -= tag in _UNSEEN and self._unseen > 0
        if tag in _BLOCKS:
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        """Take what is shown; lines of the source mean nothing."""
        if not self._unseen:
            self.parts.append(data.replace("\n", " "))


def lines(file: Path) -> str:
    """Read a document: HTML with a blank line between blocks, all other formats as they are."""
    text = file.read_text(encoding="utf-8", errors="replace")
    if file.suffix.lower() not in {".html", ".htm"}:
        return text
    parser = _Text()
    parser.feed(text)
    parser.close()
    return "".join(parser.parts)


def plain(file: Path) -> str:
    """Read a document for a search."""
    return normal(lines(file))


def normal(text: str) -> str:
    """Make texts comparable: straight quotes, no mark-up of words, single spaces."""
    return re.sub(r"\s+", " ", text.translate(_QUOTES)).strip()


_STOP = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])")


def sentences(text: str) -> list[str]:
    """Cut a text at blank lines, and behind full stops before capitals."""
    return [
        sentence
        for paragraph in re.split(r"\n\s*\n", text)
        for sentence in _STOP.split(normal(paragraph))
        if sentence
    ]

"""Plain text: paragraphs, underlined headings, figures in columns."""

import re

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import Loaded
from caveat.adapters.documents.metadata import split_front_matter
from caveat.rules.sources import is_own_report

_BULLET = re.compile(r"\s*(?:[-*•‣]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
_UNDERLINE = re.compile(r"([=\-~^*#\"'`+])\1{2,}\s*$")
_COLUMNS = re.compile(r"\S(?: {3,}|\t+)\S")


def load_text(text: str) -> Loaded:
    """Read plain text; line wraps inside paragraphs are joined."""
    metadata, body = split_front_matter(text)
    composer = Composer()
    for block in re.split(r"\n[ \t\f]*\n", body):
        add_block(composer, [line for line in block.split("\n") if line.strip()])
    return Loaded(composer.finish(), metadata, is_own_report(text))


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
        composer.heading(1 if lines[1].startswith(("=", "#", "*")) else 2, lines[0])
        lines = lines[2:]
    if sum(_COLUMNS.search(line) is not None for line in lines) > len(lines) / 2:
        composer.verbatim("\n".join(lines))
        return
    for paragraph in _paragraphs(lines):
        composer.paragraph(" ".join(paragraph))


def _paragraphs(lines: list[str]) -> list[list[str]]:
    """Split a block at its bullets; a list item is a paragraph without its bullet."""
    paragraphs: list[list[str]] = []
    bulleted = bool(lines) and _BULLET.match(lines[0]) is not None
    for line in lines:
        bullet = _BULLET.match(line) if bulleted else None
        if bullet is not None:
            paragraphs.append([line[bullet.end() :]])
        elif paragraphs:
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return paragraphs

r"""The small part of Markdown that reports are written in, and the markers inside it.

Summaries are paragraphs, list items, quotations and headings with `*emphasis*`, `**strong**`,
`` `code` ``, backslash escapes, claim markers such as `[c12]` and, behind those of contested
claims, contradiction markers such as `[contradiction-3]`. A sentence that says what is missing has
a gap marker such as `[gap-2]`, which readers are not shown. Everything else (links, images, HTML,
tables) is text: a summary repeats words of sources that nobody here vouches for.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class BlockKind(StrEnum):
    PARAGRAPH = "paragraph"
    ITEM = "item"
    QUOTATION = "quotation"
    HEADING = "heading"


@dataclass(frozen=True)
class Block:
    kind: BlockKind
    text: str


class Style(StrEnum):
    """How a run of text is set."""

    PLAIN = "plain"
    STRONG = "strong"
    EMPHASIS = "emphasis"
    CODE = "code"


@dataclass(frozen=True)
class Mark:
    """A marker: where it stands in a text, and the id of what it names."""

    offset: int
    name: str

    @property
    def end(self) -> int:
        """Offset just behind it as it is written."""
        return self.offset + len(f"[{self.name}]")

    @property
    def claim_id(self) -> str | None:
        return self.name if self.name[1:].isdigit() else None

    @property
    def contradiction_id(self) -> str | None:
        return self.name if self.name.startswith("contradiction") else None

    @property
    def gap_id(self) -> str | None:
        return self.name if self.name.startswith("gap") else None


@dataclass(frozen=True)
class TextRun:
    """A stretch of text in one style, or a marker and no text."""

    text: str
    style: Style = Style.PLAIN
    mark: Mark | None = None


@dataclass(frozen=True)
class PlainBlock:
    """A block as plain text, with its markers kept apart."""

    text: str
    marks: tuple[Mark, ...]


_OPENINGS: tuple[tuple[BlockKind, re.Pattern[str]], ...] = (
    (BlockKind.HEADING, re.compile(r"#{1,6}\s+(.*?)\s*#*$")),
    (BlockKind.QUOTATION, re.compile(r">\s?(.*)$")),
    (BlockKind.ITEM, re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+(.*)$")),
)

_INLINE = re.compile(
    r"""
      \\(?P<escaped>[!-/:-@\[-`{-~])
    | `(?P<code>[^`]+)`
    | \*\*(?=[^\s*])(?P<strong>.+?)(?<=[^\s])\*\*
    | \*(?=[^\s*])(?P<emphasis>[^*]+?)(?<=[^\s])\*
    | \[(?P<mark>c\d+|contradiction-\d+|gap-\d+)\]
    """,
    re.VERBOSE,
)
_MARKER = re.compile(r"\\.|`[^`\n]+`|\[(?P<mark>c\d+|contradiction-\d+|gap-\d+)\]")
"""The same without emphasis, inside which markers stand as well."""


_PIECES = 1 << 10
"""Pieces of prose whose form is remembered: an audit looks at each dozens of times."""

_ACTIVE = re.compile(r"[\\`*\[]")
_OPENER = re.compile(r"^(?:(\d{1,3})(?=[.)]\s)|(?=[#>+-]))")


def escape_text(text: str) -> str:
    """Escape a source's words so that prose shows exactly these, on one line."""
    # A quote in a summary passes through here, so that a `[c12]` or a `*` of the
    # source stays a character.
    return escape_opening(escape_markup(" ".join(text.split())))


def escape_markup(text: str) -> str:
    """Escape markup in words; not for the beginning of a line."""
    return _ACTIVE.sub(r"\\\g<0>", text)


def escape_opening(line: str) -> str:
    """Escape a line so that it opens no heading, quotation or item."""
    return _OPENER.sub(lambda match: f"{match[1] or ''}\\", line)


@lru_cache(maxsize=_PIECES)
def split_blocks(markdown: str) -> tuple[Block, ...]:
    """Split prose into blocks; the lines of one are joined by a space."""
    blocks: list[Block] = []
    joins = False
    for stripped in map(str.strip, markdown.splitlines()):
        if not stripped:
            joins = False
            continue
        opened = _match_opening(stripped)
        if opened is not None and not (
            joins and blocks[-1].kind is opened.kind is BlockKind.QUOTATION
        ):
            blocks.append(opened)
        elif joins:
            more = opened.text if opened else stripped
            blocks[-1] = Block(blocks[-1].kind, f"{blocks[-1].text} {more}")
        else:
            blocks.append(Block(BlockKind.PARAGRAPH, stripped))
        joins = blocks[-1].kind is not BlockKind.HEADING
    return tuple(blocks)


def _match_opening(line: str) -> Block | None:
    for kind, pattern in _OPENINGS:
        if match := pattern.match(line):
            return Block(kind, match[1])
    return None


def split_runs(text: str, style: Style = Style.PLAIN) -> Iterator[TextRun]:
    literal: list[str] = []
    position = 0
    while match := _INLINE.search(text, position):
        literal.append(text[position : match.start()])
        position = match.end()
        if match["escaped"] is not None:
            literal.append(match["escaped"])
            continue
        if "".join(literal):
            yield TextRun("".join(literal), style)
        literal.clear()
        yield from _build_special_runs(match, style)
    literal.append(text[position:])
    if "".join(literal):
        yield TextRun("".join(literal), style)


def _build_special_runs(match: re.Match[str], style: Style) -> Iterator[TextRun]:
    if match["mark"] is not None:
        yield TextRun("", style, Mark(match.start(), match["mark"]))
    elif match["code"] is not None:
        yield TextRun(match["code"], Style.CODE)
    elif match["strong"] is not None:
        yield from split_runs(match["strong"], Style.STRONG)
    else:
        yield from split_runs(match["emphasis"], Style.EMPHASIS)


@lru_cache(maxsize=_PIECES)
def find_markers(markdown: str) -> tuple[Mark, ...]:
    """Find the markers of prose, in order, except in code or escaped."""
    matches = _MARKER.finditer(markdown)
    return tuple(Mark(match.start(), match["mark"]) for match in matches if match["mark"])


@lru_cache(maxsize=_PIECES)
def build_plain_block(block: Block) -> PlainBlock:
    """Remove a block's markers and collapse its white space."""
    text = ""
    marks: list[Mark] = []
    for run in split_runs(block.text):
        if run.mark:
            # The space before a marker goes with it: "67.4 [c1]." reads "67.4.".
            text = text.rstrip()
            marks.append(Mark(len(text), run.mark.name))
            continue
        words = re.sub(r"\s+", " ", run.text)
        text += words.lstrip() if not text or text.endswith(" ") else words
    return PlainBlock(text.rstrip(), tuple(marks))

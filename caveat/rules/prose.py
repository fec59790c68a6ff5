r"""The small part of Markdown that reports are written in, and the claim markers inside it.

Summaries are paragraphs, list items, quotations and headings with `*emphasis*`, `**strong**`,
`` `code` ``, backslash escapes and claim markers such as `[c12]`. Everything else (links, images,
HTML, tables) is text: a summary repeats words of sources that nobody here vouches for.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """What a block of prose is."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    QUOTATION = "quotation"
    HEADING = "heading"


@dataclass(frozen=True)
class Block:
    """One block; `text` is its inline Markdown on one line."""

    kind: BlockKind
    text: str


class Style(StrEnum):
    """How a run of text is set."""

    PLAIN = "plain"
    STRONG = "strong"
    EMPHASIS = "emphasis"
    CODE = "code"


@dataclass(frozen=True)
class Run:
    """A stretch of text in one style; or, with `claim_id`, a marker and no text."""

    text: str
    style: Style = Style.PLAIN
    claim_id: str | None = None


@dataclass(frozen=True)
class Mark:
    """A claim marker, and the offset in the passage's text where it stood."""

    offset: int
    claim_id: str


@dataclass(frozen=True)
class Passage:
    """A block as plain text, with its markers taken out and remembered."""

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
    | \[(?P<marker>c\d+)\]
    """,
    re.VERBOSE,
)


_ACTIVE = re.compile(r"[\\`*\[]")
_OPENER = re.compile(r"^(?:(\d{1,3})(?=[.)]\s)|(?=[#>+-]))")


def literal(text: str) -> str:
    """Write words of a source as prose that reads as exactly these words, on one line.

    Whoever puts a quote into a summary passes it through here, so that a `[c12]` or a `*` of the
    source stays a character.
    """
    line = _ACTIVE.sub(r"\\\g<0>", " ".join(text.split()))
    return _OPENER.sub(lambda match: f"{match[1] or ''}\\", line)


def blocks(markdown: str) -> tuple[Block, ...]:
    """Split prose into its blocks; lines that belong together are joined by a space."""
    found: list[Block] = []
    joins = False
    for line in markdown.splitlines():
        stripped = line.strip()
        if not stripped:
            joins = False
            continue
        opened = _opened(stripped)
        if opened is not None and not (joins and _continues(found[-1], opened)):
            found.append(opened)
        elif joins:
            text = stripped if opened is None else opened.text
            found[-1] = Block(found[-1].kind, f"{found[-1].text} {text}")
        else:
            found.append(Block(BlockKind.PARAGRAPH, stripped))
        joins = found[-1].kind is not BlockKind.HEADING
    return tuple(found)


def _opened(line: str) -> Block | None:
    for kind, pattern in _OPENINGS:
        if match := pattern.match(line):
            return Block(kind, match[1])
    return None


def _continues(last: Block, opened: Block) -> bool:
    return last.kind is opened.kind is BlockKind.QUOTATION


def runs(text: str, style: Style = Style.PLAIN) -> Iterator[Run]:
    """Split a block's inline Markdown into styled text and markers."""
    literal: list[str] = []
    position = 0
    while match := _INLINE.search(text, position):
        literal.append(text[position : match.start()])
        position = match.end()
        if match["escaped"] is not None:
            literal.append(match["escaped"])
            continue
        if "".join(literal):
            yield Run("".join(literal), style)
        literal.clear()
        yield from _special(match, style)
    literal.append(text[position:])
    if "".join(literal):
        yield Run("".join(literal), style)


def _special(match: re.Match[str], style: Style) -> Iterator[Run]:
    if match["marker"] is not None:
        yield Run("", style, claim_id=match["marker"])
    elif match["code"] is not None:
        yield Run(match["code"], Style.CODE)
    elif match["strong"] is not None:
        yield from runs(match["strong"], Style.STRONG)
    else:
        yield from runs(match["emphasis"], Style.EMPHASIS)


def passage(block: Block) -> Passage:
    """Take a block's markers out of its text and collapse its white space."""
    text = ""
    marks: list[Mark] = []
    for run in runs(block.text):
        if run.claim_id is not None:
            # The space before a marker goes with it: "67.4 [c1]." reads "67.4.".
            text = text.rstrip()
            marks.append(Mark(len(text), run.claim_id))
            continue
        words = re.sub(r"\s+", " ", run.text)
        text += words.lstrip() if not text or text.endswith(" ") else words
    return Passage(text.rstrip(), tuple(marks))

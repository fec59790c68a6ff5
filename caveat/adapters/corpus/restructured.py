"""reStructuredText without docutils: its markup is light enough to be taken off line by line."""

import re
from collections.abc import Iterator

from caveat.adapters.corpus.composer import Composer
from caveat.adapters.corpus.front_matter import split_front_matter
from caveat.adapters.corpus.loaded import Loaded, Metadata
from caveat.adapters.corpus.metadata import metadata_from
from caveat.adapters.corpus.plain import add_block, is_underlined
from caveat.rules.own_reports import is_own_report

_PROSE = """
    admonition attention caution danger error hint important note tip warning seealso topic sidebar
    epigraph highlights pull-quote container versionadded versionchanged deprecated list-table table
    rst-class
"""
_CODE = "code code-block sourcecode literalinclude parsed-literal doctest prompt console math"
_PROSE_DIRECTIVES = frozenset(_PROSE.split())
_CODE_DIRECTIVES = frozenset(_CODE.split())
_DIRECTIVE = re.compile(r"\.\. +(?:\|[^|]+\| +)?([\w:+.-]+?):: *(.*)$")
_EXPLICIT = re.compile(r"(?:\.\.|__)(?: |$)")
_OPTION = re.compile(r"\s*:[\w -]+:(?:\s|$)")
_DOCINFO = re.compile(r":([A-Za-z][\w -]*):\s+(.+)$")
_RULE = re.compile(r"\s*(?:[=~^\-+| ]{3,}|[=\-~^*#+]{4,})\s*$")
_ROLE = re.compile(r":[\w:+.-]+:`([^`]+)`")
_LINK = re.compile(r"`([^`<]+?)\s*<[^`>]*>`_{0,2}")
_TARGET = re.compile(r"^(.*?)\s*<[^>]*>$", re.DOTALL)
_INLINE = (
    (re.compile(r"``(.+?)``"), r"\1"),
    (re.compile(r"\*\*(?=\S)(.+?)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])(.+?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"`([^`]+)`_{0,2}"), r"\1"),
    (re.compile(r"\s*\[(?:\d+|#[\w-]*|\*)\]_"), ""),
    (re.compile(r"(?<=\w)_{1,2}(?=[\s.,;:!?)]|$)"), ""),
    (re.compile(r"\\(.)"), r"\1"),
)


def load_restructured(text: str) -> Loaded:
    """Read reStructuredText; directives that do not hold prose or code are left out."""
    metadata, body = split_front_matter(text)
    lines = body.expandtabs(8).split("\n")
    composer = Composer()
    _Blocks(composer).read(lines)
    stated = metadata if metadata != Metadata() else _docinfo(lines)
    return Loaded(composer.finish(), stated, is_own_report(text))


class _Blocks:
    """Reads blocks of lines; levels of headings follow the order in which rules are first used."""

    def __init__(self, composer: Composer) -> None:
        self._composer = composer
        self._levels: list[str] = []

    def read(self, lines: list[str]) -> None:
        """Add every block of the lines."""
        blocks = _blocks(lines)
        for block in blocks:
            directive = _DIRECTIVE.match(block[0])
            if directive is not None:
                self._directive(directive.group(1), directive.group(2), block[1:])
            elif _EXPLICIT.match(block[0]) is None:
                self._block(block)

    def _directive(self, name: str, argument: str, content: list[str]) -> None:
        inner = _dedented([line for line in content if _OPTION.match(line) is None])
        if name in _CODE_DIRECTIVES:
            self._composer.verbatim("\n".join(inner))
        elif name in _PROSE_DIRECTIVES:
            self.read([argument, *inner])

    def _block(self, block: list[str]) -> None:
        if _RULE.match(block[0]) and is_underlined(block[1:3]):
            self._heading("over" + block[0].strip()[0], block[1])
            block = block[3:]
        elif is_underlined(block):
            self._heading(block[1].strip()[0], block[0])
            block = block[2:]
        head, code = _split_literal(block)
        self._prose(head)
        self._composer.verbatim("\n".join(_dedented(code)))

    def _heading(self, style: str, text: str) -> None:
        if style not in self._levels:
            self._levels.append(style)
        self._composer.heading(self._levels.index(style) + 1, _plain(text))

    def _prose(self, lines: list[str]) -> None:
        for stretch in _stretches(lines):
            add_block(self._composer, _plain("\n".join(stretch)).split("\n"))


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Yield blocks; indented text belongs to a directive or a literal mark in front of it."""
    block: list[str] = []
    for line in lines:
        owns = bool(block) and (
            _EXPLICIT.match(block[0]) is not None or _last_text(block).endswith("::")
        )
        ends = block and not block[-1].strip() and line.strip()
        if ends and not (line.startswith(" ") and (owns or _literal_started(block))):
            yield block
            block = []
        if block or line.strip():
            block.append(line)
    if block:
        yield block


def _last_text(block: list[str]) -> str:
    return next((line.rstrip() for line in reversed(block) if line.strip()), "")


def _literal_started(block: list[str]) -> bool:
    return any(line.rstrip().endswith("::") for line in block if not line.startswith(" "))


def _split_literal(block: list[str]) -> tuple[list[str], list[str]]:
    """Split a block behind a line that ends in `::`, the mark of a literal block."""
    for place, line in enumerate(block):
        if line.rstrip().endswith("::") and place + 1 < len(block) and not block[place + 1].strip():
            text = line.rstrip()
            kept = text[:-2] if text[:-2].rstrip() != text[:-2] or len(text) == 2 else text[:-1]
            return [*block[:place], kept], block[place + 1 :]
    return block, []


def _stretches(lines: list[str]) -> Iterator[list[str]]:
    """Yield lines between blank lines and rules; rows of simple tables keep their columns."""
    stretch: list[str] = []
    for line in [*lines, ""]:
        if line.strip() and not _RULE.match(line):
            stretch.append(line)
        elif stretch:
            yield stretch
            stretch = []


def _plain(text: str) -> str:
    """Take inline markup off."""
    text = _ROLE.sub(lambda match: _TARGET.sub(r"\1", match.group(1)).lstrip("~!"), text)
    text = _LINK.sub(r"\1", text)
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    return text


def _dedented(lines: list[str]) -> list[str]:
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    return [line[min(indents) :] for line in lines] if indents else []


def _docinfo(lines: list[str]) -> Metadata:
    """Read `:Date: ...` fields among the first lines, reStructuredText's own front matter."""
    fields = (_DOCINFO.match(line.strip()) for line in lines[:40])
    return metadata_from(
        {m.group(1).lower().replace(" ", "_"): m.group(2) for m in fields if m is not None}
    )

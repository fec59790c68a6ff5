"""Trafilatura's tree of a page to the same text that documents of a corpus become."""

from dataclasses import dataclass, field

from lxml.etree import _Element  # type: ignore[import-untyped]  # it ships no types

from caveat.adapters.documents.composer import Composer
from caveat.contracts.source import Snapshot

_INLINE = frozenset({"hi", "ref", "del", "lb", "graphic", "code"})
"""Elements of running text. A `code` that stands alone is a block of lines."""


def compose(body: _Element) -> Snapshot:
    """Write the text of a tree as trafilatura builds it: TEI's names, headings by `rend`."""
    writer = _Writer(Composer())
    writer.add(body)
    return writer.composer.finish()


@dataclass
class _Writer:
    composer: Composer
    _words: list[str] = field(default_factory=list)

    def add(self, element: _Element) -> None:
        """Add an element's text and its children's, a paragraph for each stretch between blocks."""
        self._words.append(element.text or "")
        for child in element:
            self._add_child(child, alone=element.tag == "body")
            self._words.append(child.tail or "")
        self._end()

    def _add_child(self, child: _Element, *, alone: bool) -> None:
        if child.tag == "lb":
            self._words.append(" ")
        elif child.tag in _INLINE and not (alone and child.tag == "code"):
            self._words.extend(map(str, child.itertext()))
        else:
            self._end()
            self._add_block(child)

    def _add_block(self, block: _Element) -> None:
        text = "".join(map(str, block.itertext()))
        match block.tag:
            case "head":
                self.composer.heading(_level(block), text)
            case "code":
                self.composer.verbatim(text)
            case "row":
                self.composer.row("".join(map(str, cell.itertext())) for cell in block)
            case "item" if (block.get("rend") or "").startswith("dt"):
                self.composer.term(text)
            case "list":
                self.add(block)
                self.composer.end_terms()
            case _:
                self.add(block)

    def _end(self) -> None:
        self.composer.paragraph("".join(self._words))
        self._words.clear()


def _level(head: _Element) -> int:
    digit = (head.get("rend") or "")[-1:]
    return int(digit) if digit in set("123456") else 2

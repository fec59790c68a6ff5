"""Inline parts of a report: text in its style, citations, and what contests them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from caveat.rendering.edition import Citation, Contest, Edition, Inline
from caveat.rendering.links import Links
from caveat.rendering.visible import visible
from caveat.rules.text import prose

_TAGS = {prose.Style.STRONG: "strong", prose.Style.EMPHASIS: "em", prose.Style.CODE: "code"}


@dataclass(frozen=True)
class Setter:
    """Sets the inline parts of one report.

    Attributes:
        edition: of the report.
        links: where its links lead.
    """

    edition: Edition
    links: Links

    def line(self, runs: Sequence[Inline]) -> Markup:
        """Set a line: citations in a row stand together."""
        return Markup("").join(self._each(runs))

    def cite(self, citation: Citation) -> Markup:
        """Set a citation that opens its source at the quote."""
        claim = self.edition.claims[citation.claim_id]
        return Markup('<a class="cite{}" href="{}" title="{}">{}</a>').format(
            f" {citation.caution}" if citation.caution else "",
            self.links.claim(claim.id, claim.source_id),
            visible(f"“{claim.quote}”"[:300]),
            visible(citation.label),
        )

    def cites(self, citations: Iterable[Citation]) -> Markup:
        """Set citations beside each other."""
        return Markup(" ").join(map(self.cite, citations))

    def blocks(self, markdown: str, *, in_context: bool = False) -> Markup:
        """Set prose: paragraphs, lists, quotations and headings."""
        out: list[Markup] = []
        items: list[Markup] = []
        for block in prose.blocks(markdown):
            line = self._block_line(block, in_context=in_context)
            if block.kind is prose.BlockKind.ITEM:
                items.append(Markup("<li>{}</li>").format(line))
                continue
            out += _listed(items)
            items = []
            out.append(_set(block.kind, line))
        return Markup("\n").join([*out, *_listed(items)])

    def _block_line(self, block: prose.Block, *, in_context: bool) -> Markup:
        passage = self.edition.passage(block) if in_context else None
        if passage is None:
            return self.line(self.edition.runs(block))
        place = Markup('<span class="place">{}</span> ').format(visible(passage.heading))
        return (
            (place if passage.heading else Markup(""))
            + self.line(passage.runs)
            + Markup(" ")
            + self.line(passage.citations)
        )

    def _each(self, runs: Sequence[Inline]) -> Iterable[Markup]:
        for run in runs:
            if isinstance(run, Citation):
                yield self.cite(run)
            elif isinstance(run, Contest):
                links = (
                    Markup('<a href="#{}">{}</a>').format(name, label) for label, name in run.links
                )
                yield Markup(' <span class="contest">({})</span>').format(Markup(", ").join(links))
            else:
                yield _text(run)


def _text(run: prose.TextRun) -> Markup:
    tag = _TAGS.get(run.style)
    text = escape(visible(run.text))
    return Markup("<{0}>{1}</{0}>").format(tag, text) if tag else text


def _listed(items: Sequence[Markup]) -> list[Markup]:
    return [Markup("<ul>{}</ul>").format(Markup("").join(items))] if items else []


def _set(kind: prose.BlockKind, line: Markup) -> Markup:
    if kind is prose.BlockKind.HEADING:
        return Markup("<h4>{}</h4>").format(line)
    if kind is prose.BlockKind.QUOTATION:
        return Markup("<blockquote><p>{}</p></blockquote>").format(line)
    return Markup("<p>{}</p>").format(line)

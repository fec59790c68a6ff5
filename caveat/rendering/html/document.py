"""The whole of a report as HTML, and each quote of it in the passage around it."""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from caveat.contracts.claim import Claim
from caveat.contracts.report import Report
from caveat.rendering import words
from caveat.rendering.charts import chart
from caveat.rendering.edition import Citation, Contest, Edition, Inline
from caveat.rendering.links import Links
from caveat.rendering.visible import visible
from caveat.rules.report import conflict, states_answer
from caveat.rules.sources import own_reports
from caveat.rules.text import prose

_FOLDER = Path(__file__).parent

_REACH = 600
"""Characters on each side of a quote, about a hundred words: enough to see what is meant."""


def document(report: Report, texts: Mapping[str, str | None] | None = None) -> str:
    """Write a report as one file that shows everything by itself, and runs and fetches nothing."""
    style = stylesheet()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    given = {
        "report": report,
        "style": Markup(style),  # noqa: S704  # our own file, and the policy names its digest
        "policy": f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'",
        "body": body(report, texts or {}, Links()),
    }
    return _environment().get_template("document.html").render(given) + "\n"


def body(report: Report, texts: Mapping[str, str | None], links: Links) -> Markup:
    """Write what a report says, to be put into a page that has the style.

    Args:
        texts: of snapshots by address; quotes are shown in them where links stay in the file.
        links: where its links lead.
    """
    edition = Edition(report)
    given: dict[str, Any] = {
        "report": report,
        "edition": edition,
        "links": links,
        "setter": Setter(edition, links),
        "excerpts": {} if links.run else excerpts(report, texts),
        "states_answer": states_answer(report),
        "mark": own_reports.mark(report.run_id),
        "may_change": edition.may_change if report.status == "provisional" else "",
    }
    rendered = _environment().get_template("report.html").render(given)
    return Markup(rendered)  # noqa: S704  # every text in it was escaped


@lru_cache(maxsize=1)
def stylesheet() -> str:
    """Return how a report looks."""
    return (_FOLDER / "report.css").read_text(encoding="utf-8")


def _finalize(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@lru_cache(maxsize=1)
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"words": words, "chart": chart, "conflict": conflict}
    return made


@dataclass(frozen=True)
class Excerpt:
    """A quote and what stands around it."""

    before: str  # directly before it; begins with an ellipsis where it does not begin the text
    quote: str
    after: str  # directly behind it; ends with an ellipsis where it does not end the text
    is_read: bool  # whether it was read in the snapshot, and not taken from the claim alone


def excerpt(claim: Claim, text: str | None) -> Excerpt:
    """Show a claim's quote in its source.

    Args:
        text: of the snapshot; None where it is not at hand.
    """
    if text is None or text[claim.start : claim.end] != claim.quote:
        return Excerpt(claim.before, claim.quote, claim.after, is_read=False)
    before, after = text[: claim.start], text[claim.end :]
    return Excerpt(_tail(before), claim.quote, _head(after), is_read=True)


def excerpts(report: Report, texts: Mapping[str, str | None]) -> dict[str, Excerpt]:
    """Show every claim of a report in its source, by claim."""
    addresses = {source.id: source.snapshot_sha256 for source in report.sources}
    return {
        claim.id: excerpt(claim, texts.get(addresses.get(claim.source_id) or ""))
        for claim in report.claims
    }


def _tail(text: str) -> str:
    """The last words of a text, from the beginning of one."""
    if len(text) <= _REACH:
        return text
    cut = text[-_REACH:]
    return "… " + cut[cut.find(" ") + 1 :]


def _head(text: str) -> str:
    if len(text) <= _REACH:
        return text
    return text[:_REACH].rsplit(" ", 1)[0] + " …"


_TAGS = {prose.Style.STRONG: "strong", prose.Style.EMPHASIS: "em", prose.Style.CODE: "code"}


@dataclass(frozen=True)
class Setter:
    """Sets the inline parts of one report."""

    edition: Edition
    links: Links  # where its links lead

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

"""The whole of a report as HTML, and each quote of it in the passage around it."""

import base64
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from caveat.contracts.report import Report
from caveat.rendering import layout, words
from caveat.rendering.edition import Citation, Contest, Edition
from caveat.rendering.links import Links
from caveat.rendering.visible import sanitize_text
from caveat.rules.sources import own_reports
from caveat.rules.text import prose

_FOLDER = Path(__file__).parent


def render_document(report: Report) -> str:
    """Render a report as one self-contained file that runs and fetches nothing."""
    style = read_stylesheet()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    context = {
        "report": report,
        "style": Markup(style),  # noqa: S704  # our own file, and the policy names its digest
        "policy": f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'",
        "body": render_body(report, Links()),
    }
    return _build_environment().get_template("document.html").render(context) + "\n"


def render_body(report: Report, links: Links) -> Markup:
    """Render the body of a report, for a page that has the stylesheet."""
    edition = Edition(report)
    context: dict[str, Any] = {
        "report": report,
        "edition": edition,
        "links": links,
        "setter": Setter(edition, links),
        "opening": tuple(layout.build_opening(edition)),
        "mark": own_reports.write_mark(report.run_id),
        "parts": tuple(layout.build_parts(edition)),
    }
    rendered = _build_environment().get_template("report.html").render(context)
    return Markup(rendered)  # noqa: S704  # every text in it was escaped


@lru_cache(maxsize=1)
def read_stylesheet() -> str:
    return (_FOLDER / "report.css").read_text(encoding="utf-8")


def _finalize(value: object) -> object:
    return (
        sanitize_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value
    )


def load_templates(folder: Path) -> Environment:
    """Load templates that escape and sanitise every text."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@lru_cache(maxsize=1)
def _build_environment() -> Environment:
    made = load_templates(_FOLDER)
    made.globals |= {"words": words}
    return made


_TAGS = {prose.Style.STRONG: "strong", prose.Style.EMPHASIS: "em", prose.Style.CODE: "code"}


@dataclass(frozen=True)
class Setter:
    """Renders the inline parts of one report."""

    edition: Edition
    links: Links  # where its links lead

    def render_line(self, runs: Iterable[layout.Run]) -> Markup:
        """Render a line; adjacent citations stand together."""
        return Markup("").join(map(self._render_run, runs))

    def render_lines(self, lines: Iterable[layout.Line]) -> Markup:
        """Render lines; adjacent items are one list, subitems a list inside."""
        out: list[Markup] = []
        listed: list[Markup] = []
        for each in (*lines, None):
            line = self.render_line(each.runs) if each else Markup("")
            if each and each.kind == "item":
                listed.append(line)
            elif each and each.kind == "subitem":
                listed[-1] += Markup("<ul><li>{}</li></ul>").format(line)
            else:
                items = Markup("").join(map(Markup("<li>{}</li>").format, listed))
                out += [Markup("<ul>{}</ul>").format(items)] if listed else []
                listed = []
                out += [_FORMS[each.kind].format(line)] if each else []
        return Markup("\n").join(out)

    def group_blocks(self, blocks: Iterable[layout.Block]) -> Iterator[tuple[str, list[Any]]]:
        """Group adjacent blocks by kind."""
        kinds = groupby(blocks, key=lambda block: type(block).__name__)
        return ((kind, list(group)) for kind, group in kinds)

    def render_citation(self, citation: Citation) -> Markup:
        claim = self.edition.claims[citation.claim_id]
        translation = self.edition.explain_quote(claim)
        beside = Markup(' data-translation="{}"').format(sanitize_text(translation))
        return Markup('<a class="cite{}" href="{}" title="{}"{}>{}</a>').format(
            f" {citation.caution}" if citation.caution else "",
            self.links.link_claim(claim.id, claim.source_id),
            sanitize_text(f"“{claim.quote}”"[:300]),
            beside if translation else "",
            sanitize_text(citation.label),
        )

    def _render_run(self, run: layout.Run) -> Markup:
        match run:
            case Citation():
                return self.render_citation(run)
            case Contest():
                links = (
                    Markup('<a href="#{}">{}</a>').format(name, label) for label, name in run.links
                )
                return Markup(' <span class="contest">({})</span>').format(Markup(", ").join(links))
            case layout.RulingLink() if at := self.links.link_contradiction(run.anchor):
                return Markup('<a class="button main" href="{}">Rule</a>').format(at)
            case layout.Link():
                return Markup('<a href="#{}">{}</a>').format(run.anchor, sanitize_text(run.text))
        tag = _TAGS.get(run.style)
        text = escape(sanitize_text(run.text))
        return Markup("<{0}>{1}</{0}>").format(tag, text) if tag else text


_FORMS = {
    "paragraph": Markup("<p>{}</p>"),
    "heading": Markup("<h3>{}</h3>"),
    "quotation": Markup("<blockquote><p>{}</p></blockquote>"),
    "aside": Markup('<p class="aside">{}</p>'),
}

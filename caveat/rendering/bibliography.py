"""The cited sources of a report as BibTeX."""

import re

from caveat.contracts.report import Report, ReportedSource
from caveat.contracts.source import SourceKind
from caveat.rendering.edition import Edition
from caveat.rendering.visible import sanitize_text
from caveat.rules.sources.elsewhere import find_doi
from caveat.rules.sources.own_reports import write_mark

_SPECIAL = re.compile(r"[\\{}$&%#_^~]")
_ESCAPED = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}

_BIBTEX = {SourceKind.PEER_REVIEWED: "article", SourceKind.BOOK: "book"}


def render_bibtex(report: Report) -> str:
    """Render the cited sources as BibTeX, numbered as in the report."""
    entries = [_render_entry(source) for source in Edition(report).cited]
    # By this comment a report is told from a source.
    marked = f"@comment{{\n{_escape_tex(write_mark(report.run_id))}\n}}"
    return "\n".join([marked, "", *entries])


def _render_entry(source: ReportedSource) -> str:
    fields = {
        "author": " and ".join(map(_format_name, source.authors)),
        "title": f"{{{_escape_tex(source.title)}}}",
        "year": str(source.published.year) if source.published else "",
        "doi": re.sub(r"[{}\\]", "", find_doi(source.url or "") or ""),
        # An address is typed as it is: BibTeX's url fields are read verbatim.
        "url": re.sub(r"[{}\\\s]", "", source.url or ""),
        "howpublished": _escape_tex(source.path or ""),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    kind = _BIBTEX.get(source.kind, "misc")
    return "\n".join([f"@{kind}{{source-{source.number},", *lines, "}", ""])


def _format_name(author: str) -> str:
    """Format a name for BibTeX, which splits names at “and”."""
    name = _escape_tex(author)
    return f"{{{name}}}" if " and " in f" {name} " else name


def _escape_tex(text: str) -> str:
    line = " ".join(sanitize_text(text).split())
    return _SPECIAL.sub(lambda match: _ESCAPED.get(match[0], f"\\{match[0]}"), line)

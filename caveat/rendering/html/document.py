"""The whole of a report as HTML."""

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from caveat.contracts.report import Report
from caveat.rendering import words
from caveat.rendering.charts import chart, tables
from caveat.rendering.edition import Edition
from caveat.rendering.html.excerpts import excerpts
from caveat.rendering.html.inline import Setter
from caveat.rendering.links import Links
from caveat.rendering.visible import visible
from caveat.rules.report import conflict, states_answer
from caveat.rules.sources import own_reports

_FOLDER = Path(__file__).parent


def document(report: Report, texts: Mapping[str, str | None] | None = None) -> str:
    """Write a report as one file that shows everything by itself, and runs and fetches nothing.

    Args:
        report: the report.
        texts: of snapshots by address, as far as they are at hand: quotes are shown in them.
    """
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
        report: the report.
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
    made.globals |= {"words": words, "tables": tables, "chart": chart, "conflict": conflict}
    return made

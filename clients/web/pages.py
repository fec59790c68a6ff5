"""Pages: templates filled in, with nothing in them that a source could have a browser obey."""

import datetime as dt
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse

from caveat.clients.progress import assignment_words, headline, phase_words
from caveat.clients.web.access import Gate, Visitor
from caveat.rendering import amounts, words
from caveat.rendering.visible import visible

FOLDER = Path(__file__).parent


def _finalize(value: object) -> object:
    """Take out of every text what turns the direction of writing or hides words."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _moment(when: dt.datetime) -> Markup:
    """Write a moment; a script puts it into the reader's own time."""
    stamp = when.astimezone(dt.UTC)
    machine, people = stamp.isoformat(timespec="seconds"), words.moment(stamp)
    return Markup('<time datetime="{}">{}</time>').format(machine, people)


def left(until: dt.datetime) -> str:
    """Say how much time is left, to the minute."""
    span = until - dt.datetime.now(dt.UTC)
    if span <= dt.timedelta(0):
        return "time is over"
    if span < dt.timedelta(minutes=1):
        return "less than a minute left"
    return f"{amounts.span_words(dt.timedelta(minutes=span // dt.timedelta(minutes=1)))} left"


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Load the templates; everything that is put into them is escaped."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "moment": _moment,
        "left": left,
        "day": words.date,
        "commands": _commands,
        "phase": phase_words,
        "headline": headline,
        "assignment": assignment_words,
        "confidence": words.confidence,
        "confidence_word": words.confidence_word,
        "money": amounts.money,
        "web_address": words.web_address,
    }
    made.globals |= {"counted": amounts.counted}
    return made


def _commands(sentence: str) -> Markup:
    """Set what stands between backticks as something to type."""
    parts = sentence.split("`")
    if len(parts) % 2 == 0:  # one of them is none of ours
        return escape(sentence)
    return Markup().join(
        Markup("<code>{}</code>").format(part) if place % 2 else part
        for place, part in enumerate(parts)
    )


def fragment(template: str, given: Mapping[str, Any]) -> str:
    """Fill in a part of a page."""
    return environment().get_template(template).render(given)


def page(
    request: HTTPConnection,
    template: str,
    given: Mapping[str, Any] | None = None,
    status: int = 200,
) -> HTMLResponse:
    """Fill in a whole page.

    Args:
        request: whom it is for.
        template: its file.
        given: what is put into it.
        status: of the answer.
    """
    gate: Gate = request.app.state.gate
    visitor: Visitor | None = request.scope.get("state", {}).get("visitor")
    frame = {
        "path": request.url.path,
        "visitor": visitor,
        "form_token": gate.form_token(visitor) if visitor else "",
        "signs_out": visitor is not None and gate.user_header is None,
    }
    return HTMLResponse(fragment(template, {**frame, **(given or {})}), status_code=status)

"""Jupyter notebooks (nbformat 4): what people wrote, the code, and what it printed."""

import json
from typing import Any

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import Loaded, Metadata, Unreadable
from caveat.adapters.documents.markdown import add_markdown
from caveat.adapters.documents.metadata import title_of
from caveat.rules.sources import is_own_report


def load_notebook(text: str) -> Loaded:
    """Read a notebook.

    Raises:
        Unreadable: it is none.
    """
    try:
        book = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable from error
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise Unreadable
    composer = Composer()
    for cell in cells:
        if isinstance(cell, dict):
            _add(composer, cell)
    snapshot = composer.finish()
    stated = book.get("metadata")
    title = stated.get("title") if isinstance(stated, dict) else None
    metadata = Metadata(title=title_of(title) if isinstance(title, str) else None)
    return Loaded(snapshot, metadata, is_own_report(snapshot.text))


def _add(composer: Composer, cell: dict[str, Any]) -> None:
    source = _lines(cell.get("source"))
    if cell.get("cell_type") == "markdown":
        add_markdown(composer, source)
        return
    composer.verbatim(source)
    for output in cell.get("outputs") or ():
        if isinstance(output, dict):
            data = output.get("data")
            shown = data.get("text/plain") if isinstance(data, dict) else output.get("text")
            composer.verbatim(_lines(shown))


def _lines(value: Any) -> str:
    """Return multi-line text, which the format keeps as one string or as a list of lines."""
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))

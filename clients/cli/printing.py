"""A report on standard output: set for a terminal, as it is for a pipe."""

import re
import sys

from caveat.clients.cli.console import get_stdout, is_seen
from caveat.clients.problems import BadInput
from caveat.contracts.plan import Format
from caveat.rendering.visible import sanitize_text

PRINTED = "-"  # the folder that means standard output

_MARKDOWN = frozenset({Format.MARKDOWN, Format.BRIEF})

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_INNER_LINK = re.compile(r"\[((?:\\.|[^\[\]\\])*)\]\(#[^)\s]*\)")
"""A link inside the report, which leads nowhere on a terminal."""


def require_printable(formats: tuple[Format, ...]) -> None:
    """Make sure that standard output can take what is asked for."""
    if len(formats) > 1:
        raise BadInput("Standard output takes one format: name one, or a folder with --out.")
    if formats[0] is Format.PDF and sys.stdout.isatty():
        raise BadInput("A terminal shows no PDF: name a folder with --out, or redirect the output.")


def print_file(content: bytes, chosen: Format) -> None:
    """Print one file of a report."""
    if chosen in _MARKDOWN and is_seen(get_stdout()):
        _print_set(content.decode())
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _print_set(markdown: str) -> None:
    from rich.markdown import Markdown  # noqa: PLC0415  # it is slow to load, and rarely wanted

    text = _FRONT_MATTER.sub("", sanitize_text(markdown))
    text = _INNER_LINK.sub(lambda found: f"\\[{found[1]}\\]", text)
    get_stdout().print(Markdown(text, hyperlinks=False))

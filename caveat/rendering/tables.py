"""Markdown tables for the Web UI, made of text that nobody here wrote."""

from caveat.rendering.visible import unlinked, visible

GAP = "\u2003"
"""An em space behind every cell: the Web UI draws tables without any space between columns."""

MARKUP = "\\|`*_[]<>"


def table(head: tuple[str, ...], *rows: tuple[str, ...]) -> list[str]:
    """Draw a table, a line each; its cells are Markdown already."""
    return [_row(head), "|---" * len(head) + "|", *map(_row, rows)]


def cell(text: str) -> str:
    """Make any text one line without bars, breaks, markup or links, and with nothing unseen."""
    text = visible(text)
    for sign in MARKUP:
        text = text.replace(sign, f"\\{sign}")
    return unlinked(" ".join(text.split()))


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(each + GAP for each in cells) + " |"

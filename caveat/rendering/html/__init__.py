"""A report as HTML: a file that needs nothing else, and the same inside the page."""

from caveat.rendering.html.document import (
    Excerpt,
    build_excerpt,
    build_excerpts,
    load_templates,
    read_stylesheet,
    render_body,
    render_document,
)
from caveat.rendering.links import Links

__all__ = [
    "Excerpt",
    "Links",
    "build_excerpt",
    "build_excerpts",
    "load_templates",
    "read_stylesheet",
    "render_body",
    "render_document",
]

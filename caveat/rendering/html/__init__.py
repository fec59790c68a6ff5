"""A report as HTML: a file that needs nothing else, and the same inside the page."""

from caveat.rendering.html.document import (
    Excerpt,
    body,
    document,
    excerpt,
    excerpts,
    stylesheet,
    templates,
)
from caveat.rendering.links import Links

__all__ = ["Excerpt", "Links", "body", "document", "excerpt", "excerpts", "stylesheet", "templates"]

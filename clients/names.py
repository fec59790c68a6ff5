"""Names of runs."""

import re
import secrets
import unicodedata

_SLUG = 40
"""Characters of a topic in a run id: enough to recognise it in a list 100 characters wide."""

_NO_SLUG = "topic"
"""Stands for a topic that has no Latin letters or digits; its text is a search attribute."""


def new_run_id(topic: str) -> str:
    """Name a run after its topic, for example `research-how-fast-is-the-universe-3fa9c1`."""
    return f"research-{slug(topic)}-{secrets.token_hex(3)}"


def slug(topic: str) -> str:
    """Reduce a topic to lower-case ASCII words joined by hyphens, cut between words."""
    plain = unicodedata.normalize("NFKD", topic).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    kept = ""
    for word in words:
        longer = f"{kept}-{word}" if kept else word[:_SLUG]
        if len(longer) > _SLUG:
            break
        kept = longer
    return kept or _NO_SLUG

"""Marking: contested claims are recognisable wherever prose cites them.

Code alone writes contradiction markers: what is contested follows from the contradictions, so no
synthesiser has a say in it.
"""

from collections.abc import Mapping, Sequence

from caveat.rules import prose


def marked(markdown: str, contested: Mapping[str, Sequence[str]]) -> str:
    """Put contradiction markers directly behind the markers of contested claims.

    Marking twice changes nothing; markers that somebody else wrote are taken out first.

    Args:
        markdown: prose with claim markers.
        contested: for each contested claim, the ids of its contradictions.

    Returns:
        The prose, in which `[c12]` reads `[c12][contradiction-3]` where `c12` is contested.
    """
    text = unmarked(markdown)
    for marker in reversed(prose.markers(text)):
        behind = "".join(f"[{name}]" for name in contested.get(marker.claim_id or "", ()))
        text = text[: marker.end] + behind + text[marker.end :]
    return text


def unmarked(markdown: str) -> str:
    """Take the contradiction markers out of a piece of prose, with the spaces before them."""
    text = markdown
    # Taking one out can bring together the halves of another.
    while found := [each for each in prose.markers(text) if each.contradiction_id is not None]:
        for marker in reversed(found):
            text = text[: marker.start].rstrip(" \t") + text[marker.end :]
    return text

"""Events: the verb beside a date says what happened, and to what."""

import re
from typing import NamedTuple


class Event(NamedTuple):
    """What happened at a date."""

    name: str  # of the event, one for verbs that mean the same
    subject: str  # what it happened to; empty when the sentence does not say
    agent: str = ""  # who did it, where it depends on that which thing is meant; else empty


_EVENTS: dict[str, str] = {
    verb: name
    for name, verbs in {
        "was founded": "founded established",
        "was built": "built constructed erected",
        "was discovered": "discovered",
        "was isolated": "isolated",
        "was invented": "invented",
        "was born": "born",
        "died": "died",
        "was published": "published",
        "was released": "released",
        "was launched": "launched",
        "was opened": "opened inaugurated",
        "was completed": "completed finished",
        "was introduced": "introduced",
        "was signed": "signed",
        "was ratified": "ratified",
        "was adopted": "adopted",
        "was abolished": "abolished",
        "was dissolved": "dissolved",
        "was destroyed": "destroyed",
        "became independent": "independent",
    }.items()
    for verb in verbs.split()
}
_VERB = rf"(?P<verb>(?i:{'|'.join(_EVENTS)}))"
_UNIQUE = frozenset({"was discovered", "was isolated", "was invented"})
"""What happens to a thing once in the world, whoever did it."""

# Another number or another verb in between has events of its own.
_BY = r"(?:\s(?:in\s[A-Z][\w\s]{2,30}|by\s(?:(?!\d{3}|\band\s[a-z]+ed\b)[^;]){2,80}))?"
_WHEN = r",?(?:\s(?:in|on|by))?\s?(?:the\s(?:year|spring|summer|autumn|winter)\s(?:of\s|in\s)?)?\Z"
_PASSIVE = re.compile(
    r"(?:(?P<subject>.*?)\s(?:was|were|is|are|has been|became)\s)?"
    rf"(?:(?:[Ff]irst|officially|formally|finally|independently)\s)?{_VERB}{_BY}{_WHEN}"
)
_AT = r"(?:in|at|by|on|to|as|with|from|for|under|through)\b"
_ACTIVE = re.compile(
    rf"(?P<subject>[A-Z].{{0,80}}?)(?<!\swas)(?<!\swere)\s(?:first\s)?{_VERB}(?:\s(?!{_AT})(?P<object>(?:(?!\d{{3}})[^,;]){{2,60}}?))?"
    r"\s(?:in|on)\s(?:the\syear\s)?\Z"
)


def parse_event(before: str) -> Event | None:
    """Read the event that the words before a date tell of.

    Args:
        before: the sentence up to the date, from the number before it on.
    """
    match = _PASSIVE.fullmatch(before)
    if match is not None:
        return Event(_EVENTS[match["verb"].lower()], match["subject"] or "")
    match = _ACTIVE.fullmatch(before)
    if match is None:
        return None
    name = _EVENTS[match["verb"].lower()]
    if match["object"] is None:
        return Event(name, match["subject"])
    return Event(name, match["object"], "" if name in _UNIQUE else match["subject"])

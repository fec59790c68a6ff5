"""The words of a question that carry meaning, and whether it is one."""

import re

from caveat.rules.text.words import Word, content, listing


def core(text: str) -> str:
    """The words of a question that carry meaning, in order, as a query."""
    return " ".join(word.text for word in core_words(text)) or text


def core_words(text: str) -> tuple[Word, ...]:
    """The words of a question that carry meaning; words that only ask are left out."""
    found = content(text)
    asked = tuple(word for word in found if word.text.lower() not in _ASKING)
    return asked or found


_OPENINGS = re.compile(
    r"(?:how|what|which|when|where|who|whom|whose|why|is|are|was|were|do|does|did|can|could|may|"
    r"must|should|will|would|has|have)\b",
    re.IGNORECASE,
)


def is_question(topic: str) -> bool:
    """Whether a topic asks something that has an answer, rather than naming a field."""
    return topic.rstrip().endswith("?") or _OPENINGS.match(topic.lstrip()) is not None


_ASKING = frozenset(
    listing(
        "tell explain describe compare discuss know want find show please overview summary",
        "summarise summarize question answer answers mean means difference best good fast long",
        "big large much happen happens work works current currently today value values",
        "measurement measurements latest",
    )
)

"""What a question asks for: its words, and the kind of answer that fits it."""

import re

from caveat.quantities.units import Kind
from caveat.rules.text.words import Word, content, listing

TERSE = 2
"""Words of a question that is often answered in others; a longer one names what it asks for."""


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


_AMOUNTS = frozenset(
    {Kind.MEASURE, Kind.MONEY, Kind.PERCENT, Kind.SIZE, Kind.NUMBER, Kind.COUNT, Kind.DURATION}
)
_SIZES = frozenset({Kind.MEASURE, Kind.SIZE})
_FITS: tuple[tuple[str, frozenset[Kind]], ...] = (
    (
        r"\bhow (?:long|soon|old|quickly)\b|\bduration\b|\blifetimes?\b|\bage of\b",
        frozenset({Kind.DURATION}),
    ),
    (r"\bhow (?:often|frequently)\b", frozenset({Kind.DURATION, Kind.MEASURE, Kind.COUNT})),
    (
        # Not "what does it get when ...": that asks for no day.
        (
            r"\A\W*(?:(?:since|until|by|from) )?when\b|\b(?:since|until) when\b"
            r"|\b(?:what|which) (?:year|date)\b"
        ),
        frozenset({Kind.DATE}),
    ),
    (r"\bprices?\b|\bcosts?\b|\brevenue\b|\bexpensive\b", frozenset({Kind.MONEY})),
    (r"\bpercent\w*\b|\bshare of\b|\bproportion\b", frozenset({Kind.PERCENT})),
    (r"\bhow many\b|\bnumber of\b", frozenset({Kind.COUNT, Kind.NUMBER})),
    (r"\bhow much\b|\bquantit\w+\b|\bfigures\b", _AMOUNTS),
    (r"\bhow (?:fast|large|big|high|far|hot|heavy|deep|strong)\b", _SIZES),
    (r"\b(?:values?|constants?|speed|sizes?|rates?)\b", _SIZES),
)


def fitting_kinds(question: str) -> frozenset[Kind]:
    """Tell from its wording which kinds of quantities answer a question; none for most."""
    asked = question.lower()
    kinds: set[Kind] = set()
    for pattern, answers in _FITS:
        if re.search(pattern, asked):
            kinds |= answers
    return frozenset(kinds)


_NAMED = re.compile(
    r"\bhow (?:much|many|heavy|hot|cold|expensive)\b|\bcosts?\b|\bprices?\b", re.IGNORECASE
)
"""Who asks how much gas there is, or what it costs, names what is measured."""


def is_terse(question: str) -> bool:
    """Whether a question is so short that it may be answered in other words than its own."""
    return len(core_words(question)) <= TERSE and not _NAMED.search(question)

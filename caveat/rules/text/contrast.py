"""Contrast: sentences that differ in nothing but a negation or an opposite.

Such sentences are never one statement (`caveat.rules.text.wording`), and they may contradict each
other. A sentence is looked at through frames: its words, with one place left open. Two sentences
that share a frame and fill its place differently say opposite things of the same.

Opposites lie on axes: words on one side of one ("reduces", "lowers") mean the same turn of things;
one of each side cannot both be true of one thing.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from caveat.quantities.reading import is_changed_from
from caveat.rules.text.wording import NOT, Token, build_word_set, tokenise
from caveat.rules.text.words import stem

AXES: dict[str, tuple[str, str]] = {
    "amount": (
        "increase raise rise rose grow grew elevate boost enhance higher greater larger bigger",
        "decrease reduce lower fall fell decline diminish shrink drop lessen smaller",
    ),
    "level": ("more high large risen grown amplify", "less fewer low small fallen shrank"),
    "pace": ("faster accelerate quicker fast", "slower decelerate slow"),
    "length": ("longer taller", "shorter"),
    "age": ("older elder", "younger newer"),
    "heat": ("hotter warmer hot warm", "colder cooler cold cool"),
    "strength": ("strengthen stronger strong", "weaken weaker weak"),
    "quality": ("improve better good", "worsen worse bad"),
    "effect": ("cause promote trigger induce", "prevent inhibit block suppress hinder"),
    "sign": ("positive positively", "negative negatively"),
    "leave": ("allow permit", "forbid forbidden prohibit disallow"),
    "use": ("enable", "disable"),
    "part": ("include contain", "exclude"),
    "consent": ("support accept confirm endorse", "oppose reject refute contradict"),
    "size": ("expand", "contract"),
    "place": ("above", "below beneath"),
    "order": ("before", "after"),
    "side": ("inside", "outside"),
    "turn": ("up upward", "down downward"),
    "pole": ("north northern", "south southern"),
    "rim": ("east eastern", "west western"),
    "truth": ("true correct accurate", "false incorrect wrong inaccurate"),
    "life": ("alive", "dead extinct"),
    "presence": ("present", "absent"),
    "gate": ("open", "close shut"),
    "law": ("legal lawful", "illegal unlawful"),
    "water": ("wet", "dry"),
    "end": ("win won", "lose lost"),
    "load": ("import", "export"),
    "duty": ("mandatory compulsory obligatory", "optional voluntary"),
    "reach": ("public", "private"),
    "harm": ("beneficial harmless", "harmful"),
} | {
    word: (word, f"{prefix}{word}")
    for prefix, words in {
        "un": "safe stable known likely necessary common clear changed affected related"
        " reliable aware supported available usual",
        "in": "efficient complete consistent dependent sufficient significant active"
        " sensitive visible appropriate adequate compatible",
        "im": "possible proper pure mature mobile probable",
        "ir": "relevant reversible regular",
        "non": "toxic existent",
        "dis": "similar",
    }.items()
    for word in words.split()
}

POLES: dict[str, tuple[str, int]] = {
    stem(word): (axis, pole)
    for axis, sides in AXES.items()
    for pole, side in zip((1, -1), sides, strict=True)
    for word in side.split()
}
"""Of each word, without its ending, its axis and 1 or -1 for the side of it that it is on."""


class Frame(NamedTuple):
    """A sentence with one place left open."""

    words: tuple[str, ...]  # all the others, levelled, with the axis of an opposite in its place
    filled: str
    is_denied: bool  # whether it denies what it has there
    # character offset of the word or number that fills it, the negation before it with it; where
    # only a negation may differ, both offsets are those of the whole sentence
    start: int
    end: int

    def excludes(self, other: "Frame") -> bool:
        """Whether both fill the same frame with what cannot both be true."""
        if self.words != other.words:
            return False
        if self.is_denied or other.is_denied:  # "not open" denies "open", and goes with "closed"
            return self.filled == other.filled and self.is_denied != other.is_denied
        return self.filled != other.filled


OPEN = "…"

ENOUGH = 3
"""Words that two sentences must share apart from what differs: fewer do not say what is meant."""


def are_opposed(one: str, other: str) -> bool:
    """Whether two sentences differ only in a negation or an opposite."""
    mine = find_frames(one)
    return any(a.excludes(b) for b in find_frames(other) for a in mine) if mine else False


_NOT_SO = re.compile(r"(?i:\b(?:not|rather than|instead of|no longer)\s)\Z")
_TAKEN_BACK = re.compile(
    r"(?i:\b(?:withdr[ae]wn?|retracts?|retracted|disproved|refuted|erroneous|incorrect|wrong|mistaken"
    r"|(?:cannot|can\snot|could\snot|did\snot)\s(?:be\s)?(?:reproduced?|replicated?|confirm(?:ed)?))\b)"
)
_PARTS = re.compile(r"[;:.]\s|\s(?:but|whereas|while)\s")


def is_disowned(text: str, start: int, end: int) -> bool:
    """Whether a text says that a value does not hold."""
    # That is "not 5", "5 is withdrawn", and the 5 of "rose from 5 to 7".
    if _NOT_SO.search(text[max(0, start - 16) : start]) or is_changed_from(text, start):
        return True
    begin = max((part.end() for part in _PARTS.finditer(text, 0, start)), default=0)
    following = _PARTS.search(text, end)
    clause = text[begin : following.start() if following else len(text)]
    return _TAKEN_BACK.search(clause) is not None


@lru_cache(maxsize=1 << 12)
def find_frames(text: str) -> tuple[Frame, ...]:
    """Find the frames of a sentence, unless it supposes, asks, or is somebody's own."""
    return tuple(_find_frames(text))


def _find_frames(text: str) -> Iterator[Frame]:
    tokens = tuple(tokenise(text))
    if _is_unsure(tokens):
        return
    conditions = (at for at, token in enumerate(tokens) if token.text.casefold() in _CONDITIONS)
    at = next(conditions, None)
    if at is None:
        yield from _find_stances(tokens)
    elif not any(_negates(token.text.casefold()) for token in tokens[at:]):
        # Under one and the same condition; what differs in the condition may both be true.
        for frame in _find_stances(tokens):
            if not frame.filled or frame.end <= tokens[at].start:
                yield frame


_NEGATIONS = build_word_set(
    "not no never without neither nor none nobody nothing nowhere hardly scarcely barely"
)
_FAILING = frozenset(
    {"fail", "failed", "failing", "unable", "lack", "lacked", "lacking", "refused"}
)
_EMPTY = build_word_set(
    "the a an do does did is are was were be been being am has have had to of any at ever",
    "also still always all every",
)
"""Words that come and go with a negation: "has an effect", "does not have any effect"."""

_CONDITIONS = build_word_set("if unless when whenever while until")
"""Words that begin what a sentence is confined to."""

_UNSURE = build_word_set(
    "whether may might could would should perhaps",
    "possibly some sometimes often usually rarely seldom many several few most certain",
    "another we our us my i you your depending ?",
)
"""Sentences with these suppose, ask, speak of some of many or of their writers: both may be
true."""
_NO_DENIAL = frozenset({("no", "longer"), (NOT, "only")})

_POINTERS = build_word_set("it this that these those they he she its their his her such here one")
"""Words that mean something else in each text, where a sentence begins with them."""


def _is_unsure(tokens: Sequence[Token]) -> bool:
    if not tokens or tokens[0].text.casefold() in _POINTERS:
        return True
    words = [token.text.casefold() for token in tokens]
    return not _UNSURE.isdisjoint(words) or not _NO_DENIAL.isdisjoint(pairwise(words))


def _negates(word: str) -> bool:
    return word in _NEGATIONS or word in _FAILING


def _find_stances(tokens: Sequence[Token]) -> Iterator[Frame]:
    """One frame for each word with an opposite; without one, a frame for the negation."""
    denials = [token for token in tokens if _negates(token.text.casefold())]
    kinds = {token.text.casefold() for token in denials} - {"neither", "nor"}
    if len(denials) > 1 and kinds:
        return  # a double denial may affirm
    rest = tokens
    if denials or any(token.text == "able" for token in tokens):
        rest = [token for at, token in enumerate(tokens) if not _comes_with_denial(tokens, at)]
    poles = [
        at for at, token in enumerate(rest) if stem(token.text) in POLES and _is_said_of(rest, at)
    ]
    for at in poles:
        axis, pole = POLES[stem(rest[at].text)]
        words = _build_frame_words(
            [*rest[:at], *rest[at + 1 :]], before=rest[:at], name=f"{OPEN}{axis}"
        )
        if words:
            start = _find_denial_start(tokens, rest[at])
            yield Frame(words, f"{pole:+d}", bool(denials), start, rest[at].end)
    words = () if poles else _build_frame_words(rest)
    if words:
        yield Frame(words, "", bool(denials), tokens[0].start, tokens[-1].end)


_AUXILIARIES = build_word_set("to do does did is are was were can will has have had be been able")


def _find_denial_start(tokens: Sequence[Token], word: Token) -> int:
    """Where the "does not", "is not" or "is" before a word begins."""
    at = tokens.index(word)
    while at and (_belongs_to_denial(tokens, at - 1) or tokens[at - 1].text in _AUXILIARIES):
        at -= 1
    return tokens[at].start


def _belongs_to_denial(tokens: Sequence[Token], at: int) -> bool:
    word = tokens[at].text.casefold()
    return _negates(word) or (word == "to" and at > 0 and tokens[at - 1].text in _FAILING)


def _comes_with_denial(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word denies, or belongs to "able to", as in "unable to"."""
    word = tokens[at].text.casefold()
    is_able = word == "able" or (word == "to" and at > 0 and tokens[at - 1].text == "able")
    return is_able or _belongs_to_denial(tokens, at)


_BEFORE_NOUNS = build_word_set(
    "the a an this that these those its their his her of in on at by with from for to per and",
    "or between among against than during under through",
)


def _is_said_of(rest: Sequence[Token], at: int) -> bool:
    """Whether a word describes the subject and does not name it."""
    # "Higher doses help" and "lower doses help" are of two things and agree well.
    before = rest[at - 1].text.casefold()
    return at > 0 and before not in _BEFORE_NOUNS and not rest[at - 1].is_number


def _build_frame_words(
    rest: Sequence[Token], before: Sequence[Token] = (), name: str = ""
) -> tuple[str, ...]:
    """Normalise the words around a place; nothing if they are too few."""
    words = [
        token.text if token.is_number else stem(token.text)
        for token in rest
        if token.text.casefold() not in _EMPTY
    ]
    if sum(any(map(str.isalpha, word)) for word in words) < ENOUGH:
        return ()
    at = sum(token.text.casefold() not in _EMPTY for token in before)
    return (*words[:at], name, *words[at:]) if name else tuple(words)

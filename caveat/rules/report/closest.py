"""The closest passages: what a report without a language model opens with, and how they fit.

What is said of a question's words is said of the text that is shown: the place and the window.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Report
from caveat.contracts.source import Claim, ClaimState
from caveat.quantities.numerals import find_numerals
from caveat.rules.contradictions.choices import extract_subject
from caveat.rules.lines import collapse_spaces, join_names, shorten
from caveat.rules.sentences.grounds import split_cells
from caveat.rules.text.citations import list_marked_ids
from caveat.rules.text.questions import split_question
from caveat.rules.text.sentences import split_sentences
from caveat.rules.text.words import (
    LANGUAGES,
    Word,
    detect_language,
    detect_sure_language,
    list_content_stems,
    list_content_words,
    split_words,
)

SHOWN = 3  # passages before the summary, and more where they are short together
WINDOW = 60  # words of a quote and what stands around it: what one looks over at once

ROOMS = (90, 50, 40)
"""Words of the first window, the second and all others. Of 527 questions 290 have their answer
among three such windows, and 275 among three of 60 words."""


class Window(NamedTuple):
    """A quote in its passage; of a table's cell the heads of its row and its column before it."""

    before: str
    quote: str
    after: str

    @property
    def text(self) -> str:
        return f"{self.before}{self.quote}{self.after}"


def cut_window(claim: Claim, words: int = WINDOW) -> Window:
    """Cut a quote to so many words, with its neighbours as far as there is room.

    Beside a table's cell stand the longer ones of its row.
    """
    quote = collapse_spaces(claim.quote)
    heads, ahead, behind = "", _split_sentences(claim.before), _split_sentences(claim.after)
    if _is_row(claim):
        quote, ahead, behind = _name_cells(claim), [], []
    elif is_cell(claim):
        heads = f"{(claim.location or '').rsplit(_CRUMB, 1)[-1]}: "
        cells = [each.split() for each in (claim.before + claim.after).split("\t")]
        longer = [each for each in cells if len(each) > _FEW and " ".join(each) not in heads]
        ahead, behind = [], [["|", *each] for each in longer]
    tokens = quote.split()
    room = words - len(heads.split()) - len(tokens)
    if room < 0:
        return Window(heads, f"{' '.join(tokens[:room])} …", "")
    before: list[str] = []
    after: list[str] = []
    while room > _FEW and (ahead or behind):  # a sentence before, then one behind
        if ahead:
            near = ahead.pop()
            before = [*["…"][: len(near) > room], *near[-room:], *before]
            room -= len(near)
        if behind and room > _FEW:
            near = behind.pop(0)
            after += [*near[:room], *["…"][: len(near) > room]]
            room -= len(near)
    if after and _OPEN_LINE.match(claim.quote[-1:] + claim.after):
        after = ["·", *after]
    return Window(heads + " ".join([*before, ""]), quote, " ".join(["", *after]))


def _is_row(claim: Claim) -> bool:
    return "\t" in claim.quote.strip()


def _name_cells(claim: Claim) -> str:
    """Write the row of a table with the head of each cell, where these can be told."""
    columns, cells = zip(*split_cells(claim), strict=True)
    are_told = len({*columns}) == len(columns)
    named = (f"{head}: {cell}" if head else cell for head, cell in zip(columns, cells, strict=True))
    return collapse_spaces(" · ".join(named if are_told else cells))


_OPEN_LINE = re.compile(r"[^\s.!?…:;,|]\s*\n")
"""The end of a line that is no sentence, such as an item of a list."""


def _split_sentences(text: str) -> list[list[str]]:
    return [
        [*text[start:end].split(), *(["·"] if _OPEN_LINE.match(text, end - 1) else [])]
        for start, end in split_sentences(text)
    ]


_FEW, _CRUMB = 3, " › "  # words that say too little alone, in a cell or of a sentence


def is_cell(claim: Claim) -> bool:
    """Whether a quote is a cell of a table, whose place names its row and its column."""
    heads = (claim.location or "").rsplit(_CRUMB, 1)[-1]
    beside = claim.before + claim.after
    is_short = not beside.strip() and len(claim.quote.split()) <= _FEW
    return ", " in heads and ("\t" in beside or is_short) and not _is_row(claim)


def find_place(claim: Claim) -> str:
    """The heading or page that a window is shown under; of a cell the one above its heads."""
    names = (claim.location or "").split(_CRUMB)
    if is_cell(claim) or _is_row(claim):
        return format_pinpoint(_CRUMB.join(names[:-1]), _CAPTION_LIMIT) or ""
    return format_pinpoint(_CRUMB.join(names)) or ""


_PLACE_LIMIT = 44
"""Characters of a heading inside a place: longer ones break the sentence that they stand in."""

_CAPTION_LIMIT = 100  # of what stands above a table, and may say the unit of its cells


def format_pinpoint(location: str | None, limit: int = _PLACE_LIMIT) -> str | None:
    """Shorten a location for a citation: its page or cell, and `§ Method` for its heading."""
    if not location:
        return None
    names = [" ".join(name.split()).removeprefix("§ ") for name in location.split(_CRUMB)]
    place = re.sub(r"^page\s*(?=\d)", "p. ", names[0], flags=re.IGNORECASE)
    if not re.match(r"p\. ?\S|slide \d|(?:.+!)?[A-Z]{1,3}\d+\Z", place):
        return f"§ {shorten(names[-1], limit)}"
    below = f", § {shorten(names[-1], limit)}" if len(names) > 1 else ""
    return f"{place}{below}"


class Fit(NamedTuple):
    share: float  # of the words that carry meaning, 0 to 1
    asked: int  # how many these are
    lacks: tuple[str, ...]


def fit(question: str, text: str) -> Fit:
    """Compare a question with a text, word by word, by their stems."""
    language = detect_language(question)
    content = list_content_words(question, language)
    words = split_words(text, language)
    there = {each for word in words for each in _list_stems(word)}
    lacks = [word for word in content if there.isdisjoint(_list_stems(word))]
    share = 1 - len(lacks) / len(content) if content else 0.0
    return Fit(share, len(content), tuple(_join_words(lacks)))


def _list_stems(word: Word) -> set[str]:
    # A stemmer leaves "disagre" and "disagr" of "disagree" and "disagreement".
    return {word.stem, word.stem.removesuffix("e") if len(word.stem) > 5 else word.stem}


def _join_words(lacking: Sequence[Word]) -> Iterator[str]:
    """Write words as they were asked; pairs of characters that overlap are one."""
    text, end = "", -1
    for word in lacking:
        if word.start < end:
            text += word.text[end - word.start :]
        else:
            yield from filter(None, [text])
            text = word.text
        end = word.end
    yield from filter(None, [text])


AS_GOOD = 0.75  # share of the best passage's relevance from which another is as close


def select_closest(report: Report, blocks: Sequence[str]) -> tuple[str, str]:
    """Choose the passages that stand first for each part of a question, and say how they fit.

    Args:
        blocks: quotes with claim markers, best first.

    Returns:
        A list of them in Markdown, empty where there is none; what they have of the question.
    """
    claims = {claim.id: claim for claim in report.claims}
    by_text = dict[tuple[str, str], tuple[str, Claim]]()
    for block in blocks:
        those = [claims[name] for name in list_marked_ids(block) if name in claims]
        if those and all(each.state is not ClaimState.OVERRULED for each in those):
            # a model makes a claim of one quote for each angle
            text = cut_window(those[0]).text
            by_text.setdefault((those[0].source_id, text), (block, those[0]))
    passages = [*by_text.values()]
    # What names no term is shown where nothing does; a model finds it by what it means.
    named = [each for each in passages if _fit_passage(report.topic, each[1]).share]
    passages = passages if report.methods.ranking else named or passages
    parts = split_question(report.topic)
    if not passages:
        is_any = blocks or any(each.state is not ClaimState.ACCEPTED for each in report.claims)
        content = (list_content_words(part, detect_language(part)) for part in parts)
        asked = _quote_words(word for words in content for word in _join_words(words))
        because = f"Nothing was found on {asked or 'this'}."
        because = "Every passage on the question is overruled or disputed." if is_any else because
        counting = describe_counting(report.topic, report.basis.documents)
        return "", f"{because} {counting}".rstrip()
    best = {
        part: _choose_passage(report, part, passages, number)
        for number, part in enumerate(parts)
        if any(_fit_passage(part, claim).share for _, claim in passages)
    }
    first = list(dict.fromkeys(best.values()))
    others = [each for each in passages if each not in first]
    ordered = [*first, *others]
    windows = (cut_window(claim, find_room(at)).text for at, (_, claim) in enumerate(ordered))
    fitting = sum(length <= sum(ROOMS) for length in accumulate(len(w.split()) for w in windows))
    chosen = ordered[: max(SHOWN, len(first), fitting)]

    def describe(part: str, place: int) -> str:
        claim = chosen[place][1]
        return _describe_fit(part, _fit_passage(part, claim, find_room(place)), claim)

    told = [describe(report.topic, place) for place in range(len(chosen))]
    sentences = [f"Passage {at} {each}." for at, each in enumerate(told[:SHOWN], start=1)]
    if len(parts) > 1:
        none = "no passage names any of its terms"
        at = {part: chosen.index(each) for part, each in best.items()}
        fits = {part: f"passage {place + 1} {describe(part, place)}" for part, place in at.items()}
        sentences = [f"“{part}”: {fits.get(part, none)}." for part in parts]
    elif not best:
        lacks = _quote_words(_fit_passage(report.topic, chosen[0][1]).lacks)
        sentences = [f"No passage names {lacks}: these are the nearest."]
    elif len(told) > 1 and len({*told}) == 1:
        sentences = [f"Each passage {told[0]}."]
    shown = "\n".join(
        cut_window(claim, find_room(place)).text for place, (_, claim) in enumerate(chosen)
    )
    counting = describe_counting(report.topic, report.basis.documents, shown)
    notes = (*sentences, _describe_coverage(passages, chosen), counting)
    return "\n".join(f"- {block}" for block, _ in chosen), " ".join(filter(None, notes))


def find_room(place: int) -> int:
    """Say how many words the window of a passage has, by its place from 0."""
    return ROOMS[min(place, len(ROOMS) - 1)]


def is_asked(contradiction: Contradiction, report: Report, part: str = "") -> bool:
    """Whether a question, or a part of it, is on a dispute: "it" is what the other parts name."""
    subject = list_content_stems(extract_subject(contradiction.about))
    named = subject & list_content_stems(report.topic)
    is_of_part = not named.isdisjoint(list_content_stems(part or report.topic))
    return is_of_part and len(named) >= _MOST_OF * len(subject)


_MOST_OF = 0.75  # of the words of a dispute's subject


def _choose_passage(
    report: Report, part: str, passages: Sequence[tuple[str, Claim]], number: int
) -> tuple[str, Claim]:
    """Choose the passage of a part of a question: one that states a disputed value it names."""

    def measure(passage: tuple[str, Claim]) -> float:
        return _fit_passage(part, passage[1]).share

    best = passages[min(number, len(passages) - 1)]
    best = best if measure(best) else max(passages, key=measure)
    share = measure(best)
    named = [each.concerned for each in report.contradictions if is_asked(each, report, part)]
    values = {
        (each.source_id, collapse_spaces(each.quote))
        for each in report.claims
        if each.state is not ClaimState.OVERRULED and any(each.id in those for those in named)
    }
    for each in passages:
        _, claim = each
        window = cut_window(claim).text
        states = any(name == claim.source_id and quote in window for name, quote in values)
        if states and measure(each) >= share:
            return each
    return best


def _fit_passage(question: str, claim: Claim, words: int = WINDOW) -> Fit:
    return fit(question, f"{find_place(claim)}\n{cut_window(claim, words).text}")


def _describe_coverage(
    passages: Sequence[tuple[str, Claim]], chosen: Sequence[tuple[str, Claim]]
) -> str:
    """Say how many documents have a passage as close as those that are shown; else nothing."""
    least = AS_GOOD * max(claim.relevance for _, claim in passages)
    near = {claim.source_id for _, claim in passages if claim.relevance >= least}
    shown = {claim.source_id for _, claim in chosen}
    if len(near | shown) <= max(len(shown), SHOWN):
        return ""
    are = "is" if len(shown) == 1 else "are"
    return (
        f"{len(near | shown)} documents have a passage as close; {len(shown)} {are} shown, and "
        "“Further passages” lists the others."
    )


_NEAR = 4  # words between a number and what it counts: "12 small projects", "Projects listed: 12"
_COUNTED = re.compile(r"\A\W*how many\b|\bnumber of\b", re.IGNORECASE)


def describe_languages(question: str, spoken: Collection[str]) -> str:
    """Say of a question that no document is in its language; empty where one is."""
    language = detect_language(question)
    if not spoken or language in spoken:
        return ""
    names = join_names([LANGUAGES[each] for each in spoken])
    return f"The question is in {LANGUAGES[language]}, the documents are in {names}."


def is_count(topic: str) -> bool:
    """Whether a question asks how many there are of one thing, and nothing more."""
    return _COUNTED.search(topic) is not None and len(list_content_words(topic)) == 1


def describe_counting(topic: str, searched: int, shown: str = "") -> str:
    """Say of a question for a number that nobody counted, where none is shown."""
    counted = _COUNTED.search(topic)
    if counted is None:
        return ""
    noun = {word.stem for word in list_content_words(topic[counted.end() :])[:1]}
    sentences = [shown[slice(*span)] for span in split_sentences(shown)]
    near = (
        [*sentence[: each.start].split()[-_NEAR:], *sentence[each.end :].split()[:_NEAR]]
        for sentence in sentences
        for each in find_numerals(sentence)
    )
    numbered = {word.stem for words in near for word in split_words(" ".join(words))}
    if not numbered.isdisjoint(noun):
        return ""
    documents = "document was" if searched == 1 else "documents were"
    return f"Caveat does not count; {searched} {documents} searched."


_LACKS = 3  # terms that are named as lacking where a passage has fewer than that


def _describe_fit(question: str, fitted: Fit, claim: Claim) -> str:
    if not fitted.lacks:
        facts = ["names every term asked"]
    else:
        has = max(fitted.asked - len(fitted.lacks), 0)
        facts = [f"names {has} of {fitted.asked} terms"]
        if len(fitted.lacks) <= max(has, _LACKS):
            facts.append(f"lacks {_quote_words(fitted.lacks)}")
    language, asked = detect_sure_language(claim.quote), detect_sure_language(question)
    if language and asked and language != asked:
        facts.append(f"is in {LANGUAGES[language]}")
    return " and ".join(facts)


def _quote_words(named: Iterable[str]) -> str:
    return ", ".join(f"“{each}”" for each in named)

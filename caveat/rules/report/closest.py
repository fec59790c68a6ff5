"""The closest passages: what a report without a language model opens with, and how they fit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.report import Report
from caveat.rules.contradictions.contest import is_usable
from caveat.rules.text import list_marked_ids
from caveat.rules.text.questions import split_question
from caveat.rules.text.words import (
    LANGUAGES,
    Word,
    detect_language,
    find_intended_stem,
    list_content_words,
    split_words,
)

SHOWN = 3  # passages before the summary: what is read before anybody reads on


class Fit(NamedTuple):
    """Which words of a question a passage has, with its heading and the title of its source."""

    share: float  # of the words that carry meaning, 0 to 1
    lacks: tuple[str, ...]
    # words that were asked, and the words of the passage that they were taken for
    taken: tuple[tuple[str, str], ...] = ()


def fit(question: str, text: str) -> Fit:
    """Compare a question with a text, word by word, by their stems."""
    language = detect_language(question)
    asked = list_content_words(question, language)
    there = {word.stem: word.text for word in split_words(text, language)}
    missing = [word for word in asked if word.stem not in there]
    taken = {
        word: there[near] for word in missing if (near := find_intended_stem(word.stem, there))
    }
    lacks = [word for word in missing if word not in taken]
    share = 1 - len(lacks) / len(asked) if asked else 0.0
    return Fit(share, tuple(_join_words(lacks)), tuple((w.text, near) for w, near in taken.items()))


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


class Closest(NamedTuple):
    """The passages that come closest to a question."""

    text: str  # Markdown, a list with claim markers; empty where there is none
    because: str  # what they have of the question, and what they lack
    share: float  # of the question's words that the best passage of each part has, 0 to 1


def select_closest(report: Report, blocks: Sequence[str]) -> Closest:
    """Choose the passages that stand first for each part of a question, and say how they fit.

    Args:
        blocks: quotes with claim markers, best first.
    """
    claims = {claim.id: claim for claim in report.claims}
    titles = {source.id: source.title for source in report.sources}
    shown = [
        (block, [claims[name] for name in list_marked_ids(block) if name in claims])
        for block in blocks
    ]
    shown = [(block, those) for block, those in shown if those and all(map(is_usable, those))]
    asked = split_question(report.topic)
    if not shown:
        return Closest("", _describe_no_result(asked), 0.0)
    seen = [(block, _render_passage(those[0], titles), those[0]) for block, those in shown]
    if len(asked) == 1:
        chosen = seen[:SHOWN]
        fits = [fit(report.topic, text) for _, text, _ in chosen]
        said = [
            _describe_fit(report.topic, each, claim)
            for each, (_, _, claim) in zip(fits, chosen, strict=True)
        ]
        because = _describe_passages(said)
        share = max(each.share for each in fits)
    else:
        chosen, sentences, shares = [], [], []
        for part in asked:
            best = max(seen, key=lambda each: fit(part, each[1]).share)
            found = fit(part, best[1])
            shares.append(found.share)
            if not found.share:
                sentences.append(f"“{part}”: nothing was found.")
                continue
            if best not in chosen:
                chosen.append(best)
            number = chosen.index(best) + 1
            sentences.append(f"“{part}”: passage {number} {_describe_fit(part, found, best[2])}.")
        chosen += [each for each in seen if each not in chosen][: max(0, SHOWN - len(chosen))]
        because, share = " ".join(sentences), sum(shares) / len(shares)
    return Closest("\n".join(f"- {block}" for block, _, _ in chosen), because, share)


def _describe_passages(said: Sequence[str]) -> str:
    if len(said) > 1 and len(set(said)) == 1:
        return f"Each passage {said[0]}."
    return " ".join(f"Passage {number} {each}." for number, each in enumerate(said, start=1))


def _render_passage(claim: Claim, titles: Mapping[str, str]) -> str:
    """What a reader sees of a passage: its window, the headings above it, the title."""
    window = f"{claim.before}{claim.quote}{claim.after}"
    return f"{titles.get(claim.source_id, '')}\n{claim.location or ''}\n{window}"


def _describe_fit(question: str, found: Fit, claim: Claim) -> str:
    said = ["names every term asked"] if not found.lacks else [f"lacks {_quote_words(found.lacks)}"]
    said += [f"has “{there}” where “{asked}” was asked" for asked, there in found.taken]
    language = detect_language(claim.quote)
    if len(claim.quote) >= _TELLING and language not in {detect_language(question), "en"}:
        said.append(f"is in {LANGUAGES.get(language, 'another language')}")
    return " and ".join(said)


_TELLING = 60  # characters of a quote that tell its language


def _describe_no_result(asked: Sequence[str]) -> str:
    named = [word for part in asked for word in _list_terms(part)]
    return f"Nothing was found on {_quote_words(named)}." if named else "Nothing was found."


def _list_terms(question: str) -> list[str]:
    return list(_join_words(list_content_words(question, detect_language(question))))


def _quote_words(named: Iterable[str]) -> str:
    return ", ".join(f"“{each}”" for each in named)

"""The closest passages: what a report without a language model opens with, and how they fit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from caveat.contracts.claim import Claim
from caveat.contracts.report import Report
from caveat.rules.contradictions.contest import usable
from caveat.rules.text import markers
from caveat.rules.text.questions import parts
from caveat.rules.text.words import LANGUAGES, Word, content, language_of, meant, words

SHOWN = 3  # passages before the summary: what is read before anybody reads on


class Fit(NamedTuple):
    """Which words of a question a passage has, with its heading and the title of its source."""

    share: float  # of the words that carry meaning, 0 to 1
    lacks: tuple[str, ...]
    # words that were asked, and the words of the passage that they were taken for
    taken: tuple[tuple[str, str], ...] = ()


def fit(question: str, text: str) -> Fit:
    """Compare a question with a text, word by word, by their stems."""
    language = language_of(question)
    asked = content(question, language)
    there = {word.stem: word.text for word in words(text, language)}
    missing = [word for word in asked if word.stem not in there]
    taken = {word: there[near] for word in missing if (near := meant(word.stem, there))}
    lacks = [word for word in missing if word not in taken]
    share = 1 - len(lacks) / len(asked) if asked else 0.0
    return Fit(share, tuple(_joined(lacks)), tuple((w.text, near) for w, near in taken.items()))


def _joined(lacking: Sequence[Word]) -> Iterator[str]:
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


def closest(report: Report, blocks: Sequence[str]) -> Closest:
    """Choose the passages that stand first for each part of a question, and say how they fit.

    Args:
        blocks: quotes with claim markers, best first.
    """
    claims = {claim.id: claim for claim in report.claims}
    titles = {source.id: source.title for source in report.sources}
    shown = [
        (block, [claims[name] for name in markers(block) if name in claims]) for block in blocks
    ]
    shown = [(block, those) for block, those in shown if those and all(map(usable, those))]
    asked = parts(report.topic)
    if not shown:
        return Closest("", _nothing(asked), 0.0)
    seen = [(block, _seen(those[0], titles), those[0]) for block, those in shown]
    if len(asked) == 1:
        chosen = seen[:SHOWN]
        fits = [fit(report.topic, text) for _, text, _ in chosen]
        said = [
            _said(report.topic, each, claim)
            for each, (_, _, claim) in zip(fits, chosen, strict=True)
        ]
        because = _of_each(said)
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
            sentences.append(f"“{part}”: passage {number} {_said(part, found, best[2])}.")
        chosen += [each for each in seen if each not in chosen][: max(0, SHOWN - len(chosen))]
        because, share = " ".join(sentences), sum(shares) / len(shares)
    return Closest("\n".join(f"- {block}" for block, _, _ in chosen), because, share)


def _of_each(said: Sequence[str]) -> str:
    if len(said) > 1 and len(set(said)) == 1:
        return f"Each passage {said[0]}."
    return " ".join(f"Passage {number} {each}." for number, each in enumerate(said, start=1))


def _seen(claim: Claim, titles: Mapping[str, str]) -> str:
    """What a reader sees of a passage: its window, the headings above it, the title."""
    window = f"{claim.before}{claim.quote}{claim.after}"
    return f"{titles.get(claim.source_id, '')}\n{claim.location or ''}\n{window}"


def _said(question: str, found: Fit, claim: Claim) -> str:
    said = ["names every term asked"] if not found.lacks else [f"lacks {_listed(found.lacks)}"]
    said += [f"has “{there}” where “{asked}” was asked" for asked, there in found.taken]
    language = language_of(claim.quote)
    if len(claim.quote) >= _TELLING and language not in {language_of(question), "en"}:
        said.append(f"is in {LANGUAGES.get(language, 'another language')}")
    return " and ".join(said)


_TELLING = 60  # characters of a quote that tell its language


def _nothing(asked: Sequence[str]) -> str:
    named = [word for part in asked for word in _terms(part)]
    return f"Nothing was found on {_listed(named)}." if named else "Nothing was found."


def _terms(question: str) -> list[str]:
    return list(_joined(content(question, language_of(question))))


def _listed(named: Iterable[str]) -> str:
    return ", ".join(f"“{each}”" for each in named)

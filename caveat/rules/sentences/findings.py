"""Prose: its sentences cite claims that there are, and say of them what they say."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from caveat.contracts.audit import Check, Finding
from caveat.contracts.claim import Claim
from caveat.quantities.numbers import numbers
from caveat.quantities.reading import quantities
from caveat.quantities.spelled import spelled
from caveat.quantities.written import scale_of, with_english_numbers
from caveat.rules.sentences.grounds import Grounds, cells, undated
from caveat.rules.sentences.meaning import QUOTED_WORDS, meaning_flaws, strange_words, words_beside
from caveat.rules.text import (
    CitedSentence,
    Piece,
    are_opposed,
    collapsed,
    is_same_statement,
    prose,
    sentences,
    shortened,
)
from caveat.rules.text.words import content_stems, language_of

_citation = partial(Finding, check=Check.CITATION)
_number = partial(Finding, check=Check.NUMBER)


def prose_findings(
    piece: Piece, grounds: Grounds, *, quotes_alone: bool = False
) -> Iterator[Finding]:
    """Check one piece of prose against the claims that it may cite.

    Every marker names a claim; who repeats a claim word for word cites it, or one that says the
    same; no sentence cites a claim for what that denies; every number stands in the quote of a
    claim that the same sentence cites, or was computed from such. What a model wrote is also held
    against the words of its quotes.

    Args:
        grounds: what else its sentences are held against.
        quotes_alone: whether no model wrote it. Then it holds nothing but quotes, and beside the
            claim that it quotes a sentence cites only those that are the same statement; a model's
            sentence may join several.
    """
    yield from _phantoms(piece)
    yield from _repetitions(piece)
    yield from _opposed(piece, quotes_alone=quotes_alone)
    if quotes_alone:
        yield from _unquoted(piece)
    yield from _misnumbered(piece, grounds)
    if not quotes_alone:
        for sentence in piece.sentences:
            for flaw in meaning_flaws(sentence, grounds):
                yield _citation(where=piece.where, message=f"“{sentence.excerpt}”: {flaw}")


def numbers_in(piece: Piece) -> int:
    """Count the numbers that `prose_findings` checks."""
    return sum(len(numbers(sentence.text)) for sentence in piece.sentences)


def _phantoms(piece: Piece) -> Iterator[Finding]:
    for name in dict.fromkeys(piece.markers):
        if name not in piece.claims:
            message = f"[{name}] names no claim of the report."
            yield _citation(where=piece.where, message=message)


def _repetitions(piece: Piece) -> Iterator[Finding]:
    words: dict[str, list[str]] = {}
    for claim in piece.claims.values():
        for text in {_bare(claim.quote), _bare(claim.text)}:
            words.setdefault(text, []).append(claim.id)
    for sentence in piece.sentences:
        owners = words.get(_bare(sentence.text))
        if owners and not set(owners) & set(sentence.cited):
            message = f"“{sentence.excerpt}” is claim {owners[0]}, which it does not cite."
            yield _citation(where=piece.where, message=message)


def _opposed(piece: Piece, *, quotes_alone: bool) -> Iterator[Finding]:
    for sentence in piece.sentences:
        cited = piece.known(sentence.cited)
        # What is the same statement does not oppose it: of a quote there is no more to be asked.
        others = [claim for claim in cited if not is_same_statement(sentence.text, claim.quote)]
        for claim in others:
            said = f"“{sentence.excerpt}” cites claim {claim.id}, which"
            if are_opposed(sentence.text, claim.quote):
                yield _citation(where=piece.where, message=f"{said} says otherwise.")
            elif quotes_alone and len(others) < len(cited):
                yield _citation(where=piece.where, message=f"{said} is another statement.")


def _unquoted(piece: Piece) -> Iterator[Finding]:
    """What is left of each block when the quotes that it cites are taken out."""
    for _, passage in piece.passages:
        rest = _without_quotes(passage, piece)
        if re.search(r"\w", rest):
            message = f"“{shortened(rest.strip())}” is no quote of a claim that it cites."
            yield Finding(check=Check.QUOTE, where=piece.where, message=message)


def _without_quotes(passage: prose.PlainBlock, piece: Piece) -> str:
    cited = piece.known(mark.claim_id or "" for mark in passage.marks)
    rest = passage.text
    # The longest first: one may hold another.
    for words in sorted({collapsed(claim.quote) for claim in cited}, key=len, reverse=True):
        rest = rest.replace(words, " ")
    return rest


def _misnumbered(piece: Piece, grounds: Grounds) -> Iterator[Finding]:
    for sentence in piece.sentences:
        cited = piece.known(sentence.cited)
        computed = tuple(grounds.computed(sentence.cited))
        for number in _strange_numbers(sentence.text, cited, grounds, computed):
            message = f"{number} stands in no claim that “{sentence.excerpt}” cites."
            yield _number(where=piece.where, message=message)
        for number, column in _misplaced(sentence.text, cited):
            message = f"{number} stands under “{column}”, which “{sentence.excerpt}” does not name."
            yield _number(where=piece.where, message=message)
        for claim in _misquoted(sentence, cited):
            message = f"“{sentence.excerpt}” repeats claim {claim.id} with another number."
            yield _number(where=piece.where, message=message)


def _strange_numbers(
    text: str, cited: Sequence[Claim], grounds: Grounds, computed: Sequence[str] = ()
) -> Iterator[str]:
    """The numbers of a text, as it writes them, that no quote, heading or name of a source has."""
    if _is_quoted(text, cited):
        return
    said = {number for claim in cited for words in _read(claim) for number in _numbers(words)}
    said.update(*map(_numbers, computed))
    if _SILENCE.search(text):  # what is not said of 2023 may name it as the question does
        said.update(numbers(grounds.topic))
    language = language_of(text)
    text = with_english_numbers(_own_words(text, cited, grounds), language)
    written = {
        number: text[q.start : q.end]
        for q in quantities(text)
        for number in _numbers(text[q.start : q.end])
    }
    # "Six invoices" of six, "three reports" of three; "one" may stand for a thing.
    many = {"1", str(len(cited)), str(len({claim.source_id for claim in cited}))}
    counted = [str(each) for each in spelled(text, language) if str(each) not in many]
    strange = [each for each in (*numbers(text), *counted) if each not in said]
    yield from dict.fromkeys(written.get(each, each) for each in strange)


def _own_words(text: str, cited: Sequence[Claim], grounds: Grounds) -> str:
    """What a text says beside words that it quotes, dates and names of sources."""
    for words in QUOTED_WORDS.findall(text):  # in whatever language they are
        if _is_quoted(words, cited):
            text = text.replace(words, " ")
    text = undated(text, map(grounds.dated, cited))
    names = {name for claim in cited for name in grounds.named_by(claim)}
    for name in sorted(names, key=len, reverse=True):  # "4 July 2022" before "July 2022"
        text = _unnamed(text, collapsed(name))
    return text


def _misplaced(text: str, cited: Sequence[Claim]) -> Iterator[tuple[str, str]]:
    """Numbers of a row with more words of another column than of their own."""
    rows = [cells(claim) for claim in cited]
    if all(len(row) == 1 for row in rows):
        return  # as of prose, which has no columns
    language = language_of(text)
    words, said = content_stems(text, language), set(numbers(text))
    known = [each for row in rows for each in row]
    for row in rows:
        told = {column: len(words & content_stems(column, language)) for column, _ in row}
        for column, cell in row:
            mine = said & set(numbers(cell)) if column else set()
            elsewhere = (set(numbers(each)) for name, each in known if name != column)
            if mine.difference(*elsewhere) and told[column] < max(told.values()):
                yield cell, column


def _read(claim: Claim) -> Iterator[str]:
    """The texts of a claim that may give a number: its quote, or the cells and columns of a row."""
    for column, cell in cells(claim):
        scale = scale_of(column) if ", " not in column else None  # of several, nobody knows whose
        yield f"{cell} {scale}" if scale else cell
        yield column


_SILENCE = re.compile(
    r"\b(?:not|no|none|nothing|nobody|nowhere)\b.{0,60}?"
    r"\b(?:sa(?:y|ys|id)|states?|stated|names?|named|mentions?|mentioned|gives?|given|known)\b",
    re.IGNORECASE,
)
"""A sentence that says that something is not said."""


def _numbers(text: str) -> list[str]:
    """The numbers of a quote, be they written as digits or as words."""
    language = language_of(text)
    return [
        *numbers(with_english_numbers(text, language)),
        *map(str, spelled(text, language)),
    ]


def _unnamed(text: str, name: str) -> str:
    """Take a name of a source out: naming one ("Planck 2018 results") states nothing."""
    # It may begin a number that is stated: "Sphinx 1.3" in "Sphinx 1.3.1".
    if not name:
        return text
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w|[.,]\d)", " ", text)


def _is_quoted(words: str, cited: Sequence[Claim]) -> bool:
    return any(f" {_bare(words)} " in f" {_bare(claim.quote)} " for claim in cited)


def _misquoted(sentence: CitedSentence, cited: Sequence[Claim]) -> Iterator[Claim]:
    """Claims repeated word for word but for a number, be it one that they state elsewhere."""
    said = _bare(sentence.text)
    repeated = [claim for claim in cited if _masked(_bare(claim.quote)) in _masked(said)]
    right = {_masked(_bare(claim.quote)) for claim in repeated if _bare(claim.quote) in said}
    return (claim for claim in repeated if _masked(_bare(claim.quote)) not in right)


def _masked(text: str) -> str:
    return re.sub(r"\d+", "0", text)


@lru_cache(maxsize=1 << 12)
def _bare(text: str) -> str:
    """Reduce a text to its words and numbers, to compare what is said, not how it is set."""
    return re.sub(r"[^\w%±+−-]+", " ", text).strip()


def sentence_flaws(
    sentence: CitedSentence, claims: Mapping[str, Claim], grounds: Grounds
) -> Iterator[str]:
    """Say what is wrong with one sentence of a model; nothing where it may stand."""
    if not sentence.cited:
        yield "It ends with no marker."
    for finding in prose_findings(Piece(sentence.markdown, claims), grounds):
        # Whoever mends it has the sentence before them.
        said = finding.message.removeprefix(f"“{sentence.excerpt}”: ")
        said = re.sub(rf"^{re.escape(f'“{sentence.excerpt}”')}", "It", said)
        yield said.replace(f"“{sentence.excerpt}”", "it")


def text_flaws(text: str, claim: Claim, grounds: Grounds) -> Iterator[str]:
    """Say what is wrong with a claim's text as a sentence about its quote."""
    name = "c1"  # as prose cites it
    known = {name: claim.model_copy(update={"id": name, "text": claim.quote})}
    line = collapsed(text)
    for at in sentences(line):
        said = CitedSentence(line[at.start : at.end], (prose.Mark(at.end - at.start, name),))
        yield from sentence_flaws(said, known, replace(grounds, claims=known))


def word_flaws(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Say which numbers, names and judgements of words without markers stand in no claim."""
    for number in _strange_numbers(text, cited, grounds):
        yield f"{number} stands in no quote."
    yield from strange_words(text, cited, grounds)


def title_flaws(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Say what a title asserts that no claim does: "How the council ignored the warnings"."""
    yield from word_flaws(text, cited, grounds)
    if _CLAUSE.match(text):
        known = " ".join([grounds.topic, *(f"{each.text} {each.quote}" for each in cited)])
        yield from (f"“{each}” stands in no claim." for each in words_beside(text, known))


_CLAUSE = re.compile(r"(?:how|that|what|when|where|which|who|why)\b", re.IGNORECASE)

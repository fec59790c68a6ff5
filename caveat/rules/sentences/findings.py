"""Prose: its sentences cite claims that there are, and say of them what they say."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from caveat.contracts.audit import Check, Finding
from caveat.contracts.claim import Claim
from caveat.quantities.numerals import find_numbers
from caveat.quantities.support import Excerpt, find_unsupported
from caveat.rules.sentences.grounds import Grounds, split_cells
from caveat.rules.sentences.meaning import (
    find_meaning_flaws,
    find_unsupported_words,
    list_added_words,
)
from caveat.rules.text import (
    CitedSentence,
    Piece,
    are_opposed,
    collapse_spaces,
    is_same_statement,
    prose,
    shorten_excerpt,
    split_sentences,
)
from caveat.rules.text.words import detect_language, list_content_stems, read_excerpt

_citation = partial(Finding, check=Check.CITATION)
_number = partial(Finding, check=Check.NUMBER)


def check_prose(piece: Piece, grounds: Grounds, *, quotes_alone: bool = False) -> Iterator[Finding]:
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
    yield from _check_markers(piece)
    yield from _check_repetitions(piece)
    yield from _check_opposition(piece, quotes_alone=quotes_alone)
    if quotes_alone:
        yield from _check_quotes(piece)
    yield from _check_numbers(piece, grounds)
    if not quotes_alone:
        for sentence in piece.sentences:
            for flaw in find_meaning_flaws(sentence, grounds):
                yield _citation(where=piece.where, message=f"“{sentence.excerpt}”: {flaw}")


def count_numbers(piece: Piece) -> int:
    """Count the numbers that `check_prose` checks."""
    return sum(len(find_numbers(sentence.text)) for sentence in piece.sentences)


def _check_markers(piece: Piece) -> Iterator[Finding]:
    for name in dict.fromkeys(piece.markers):
        if name not in piece.claims:
            message = f"[{name}] names no claim of the report."
            yield _citation(where=piece.where, message=message)


def _check_repetitions(piece: Piece) -> Iterator[Finding]:
    words: dict[str, list[str]] = {}
    for claim in piece.claims.values():
        for text in {_strip_punctuation(claim.quote), _strip_punctuation(claim.text)}:
            words.setdefault(text, []).append(claim.id)
    for sentence in piece.sentences:
        owners = words.get(_strip_punctuation(sentence.text))
        if owners and not set(owners) & set(sentence.cited):
            message = f"“{sentence.excerpt}” is claim {owners[0]}, which it does not cite."
            yield _citation(where=piece.where, message=message)


def _check_opposition(piece: Piece, *, quotes_alone: bool) -> Iterator[Finding]:
    for sentence in piece.sentences:
        cited = piece.find_claims(sentence.cited)
        # What is the same statement does not oppose it: of a quote there is no more to be asked.
        others = [claim for claim in cited if not is_same_statement(sentence.text, claim.quote)]
        for claim in others:
            said = f"“{sentence.excerpt}” cites claim {claim.id}, which"
            if are_opposed(sentence.text, claim.quote):
                yield _citation(where=piece.where, message=f"{said} says otherwise.")
            elif quotes_alone and len(others) < len(cited):
                yield _citation(where=piece.where, message=f"{said} is another statement.")


def _check_quotes(piece: Piece) -> Iterator[Finding]:
    """What is left of each block when the quotes that it cites are taken out."""
    for _, passage in piece.passages:
        rest = _remove_quotes(passage, piece)
        if re.search(r"\w", rest):
            message = f"“{shorten_excerpt(rest.strip())}” is no quote of a claim that it cites."
            yield Finding(check=Check.QUOTE, where=piece.where, message=message)


def _remove_quotes(passage: prose.PlainBlock, piece: Piece) -> str:
    cited = piece.find_claims(mark.claim_id or "" for mark in passage.marks)
    rest = passage.text
    # The longest first: one may hold another.
    for words in sorted({collapse_spaces(claim.quote) for claim in cited}, key=len, reverse=True):
        rest = rest.replace(words, " ")
    return rest


def _check_numbers(piece: Piece, grounds: Grounds) -> Iterator[Finding]:
    for sentence in piece.sentences:
        cited = piece.find_claims(sentence.cited)
        computed = tuple(grounds.find_computed_numbers(sentence.cited))
        for number in _find_unsupported_numbers(sentence.text, cited, grounds, computed):
            message = f"{number} stands in no claim that “{sentence.excerpt}” cites."
            yield _number(where=piece.where, message=message)
        for number, column in _find_misplaced_numbers(sentence.text, cited):
            message = f"{number} stands under “{column}”, which “{sentence.excerpt}” does not name."
            yield _number(where=piece.where, message=message)
        for claim in _find_misquoted_claims(sentence, cited):
            message = f"“{sentence.excerpt}” repeats claim {claim.id} with another number."
            yield _number(where=piece.where, message=message)


def _find_unsupported_numbers(
    text: str, cited: Sequence[Claim], grounds: Grounds, computed: Sequence[str] = ()
) -> Iterator[str]:
    """The numbers of a text, as it writes them, that nothing that it cites states with its unit."""
    sources = [words for claim in cited for words in _list_words(claim, grounds)]
    sources += map(Excerpt, computed)
    if _SILENCE.search(text):  # what is not said of 2023 may name it as the question does
        sources.append(Excerpt(grounds.topic))
    # "Six invoices" of six, "three reports" of three; "one" may stand for a thing.
    many = {1, len(cited), len({claim.source_id for claim in cited})}
    language = grounds.language or detect_language(text)
    yield from find_unsupported(Excerpt(text, language=language), sources, many)


def _list_words(claim: Claim, grounds: Grounds) -> Iterator[Excerpt]:
    """What may give a number to a sentence: the quote, its heading or columns, title and date."""
    near = f"{claim.before} {claim.quote} {claim.after}"
    read = read_excerpt(near, grounds.join_quotes(claim.source_id))
    yield from (read._replace(text=cell, head=column) for column, cell in split_cells(claim))
    names = (claim.location or "", grounds.find_source_title(claim))
    yield from (Excerpt(name, is_name=True) for name in names)
    if day := grounds.find_source_date(claim):
        yield Excerpt(day.isoformat())


def _find_misplaced_numbers(text: str, cited: Sequence[Claim]) -> Iterator[tuple[str, str]]:
    """Numbers of a row with more words of another column than of their own."""
    rows = [split_cells(claim) for claim in cited]
    if all(len(row) == 1 for row in rows):
        return  # as of prose, which has no columns
    language = detect_language(text)
    words, said = list_content_stems(text, language), set(find_numbers(text))
    known = [each for row in rows for each in row]
    for row in rows:
        told = {column: len(words & list_content_stems(column, language)) for column, _ in row}
        for column, cell in row:
            mine = said & set(find_numbers(cell)) if column else set()
            elsewhere = (set(find_numbers(each)) for name, each in known if name != column)
            if mine.difference(*elsewhere) and told[column] < max(told.values()):
                yield cell, column


_SILENCE = re.compile(
    r"\b(?:not|no|none|nothing|nobody|nowhere)\b.{0,60}?"
    r"\b(?:sa(?:y|ys|id)|states?|stated|names?|named|mentions?|mentioned|gives?|given|known)\b",
    re.IGNORECASE,
)
"""A sentence that says that something is not said."""


def _is_quoted(words: str, cited: Sequence[Claim]) -> bool:
    return any(
        f" {_strip_punctuation(words)} " in f" {_strip_punctuation(claim.quote)} "
        for claim in cited
    )


def _find_misquoted_claims(sentence: CitedSentence, cited: Sequence[Claim]) -> Iterator[Claim]:
    """Claims repeated word for word but for a number, be it one that they state elsewhere."""
    said = _strip_punctuation(sentence.text)
    repeated = [
        claim
        for claim in cited
        if _mask_digits(_strip_punctuation(claim.quote)) in _mask_digits(said)
    ]
    right = {
        _mask_digits(_strip_punctuation(claim.quote))
        for claim in repeated
        if _strip_punctuation(claim.quote) in said
    }
    return (
        claim for claim in repeated if _mask_digits(_strip_punctuation(claim.quote)) not in right
    )


def _mask_digits(text: str) -> str:
    return re.sub(r"\d+", "0", text)


@lru_cache(maxsize=1 << 12)
def _strip_punctuation(text: str) -> str:
    """Reduce a text to its words and numbers, to compare what is said, not how it is set."""
    return re.sub(r"[^\w%±+−-]+", " ", text).strip()


def find_sentence_flaws(
    sentence: CitedSentence, claims: Mapping[str, Claim], grounds: Grounds
) -> Iterator[str]:
    """Say what is wrong with one sentence of a model; nothing where it may stand."""
    if not sentence.cited:
        yield "It ends with no marker."
    for finding in check_prose(Piece(sentence.markdown, claims), grounds):
        # Whoever mends it has the sentence before them.
        said = finding.message.removeprefix(f"“{sentence.excerpt}”: ")
        said = re.sub(rf"^{re.escape(f'“{sentence.excerpt}”')}", "It", said)
        yield said.replace(f"“{sentence.excerpt}”", "it")


def find_text_flaws(text: str, claim: Claim, grounds: Grounds) -> Iterator[str]:
    """Say what is wrong with a claim's text as a sentence about its quote."""
    name = "c1"  # as prose cites it
    known = {name: claim.model_copy(update={"id": name, "text": claim.quote})}
    line = collapse_spaces(text)
    for at in split_sentences(line):
        said = CitedSentence(line[at.start : at.end], (prose.Mark(at.end - at.start, name),))
        yield from find_sentence_flaws(said, known, replace(grounds, claims=known))


def find_word_flaws(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Say which numbers, names and judgements of words without markers stand in no claim."""
    for number in _find_unsupported_numbers(text, cited, grounds):
        yield f"{number} stands in no quote."
    yield from find_unsupported_words(text, cited, grounds)


def find_title_flaws(text: str, cited: Sequence[Claim], grounds: Grounds) -> Iterator[str]:
    """Say what a title asserts that no claim does: "How the council ignored the warnings"."""
    yield from find_word_flaws(text, cited, grounds)
    if _CLAUSE.match(text):
        known = " ".join([grounds.topic, *(f"{each.text} {each.quote}" for each in cited)])
        yield from (f"“{each}” stands in no claim." for each in list_added_words(text, known))


_CLAUSE = re.compile(r"(?:how|that|what|when|where|which|who|why)\b", re.IGNORECASE)

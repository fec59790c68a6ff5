"""Statements: the sentences that a synthesiser wrote, one by one, to be judged, mended or left out.

Code sets them anew as paragraphs and items, so that nothing of a sentence's form is a model's.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import count
from typing import NamedTuple

from caveat.contracts.source import Claim
from caveat.contracts.synthesis import (
    LeftOutSentence,
    Reader,
    ReadSentence,
    SectionDraft,
    Support,
    Synthesis,
    Verification,
)
from caveat.quantities.numerals import find_numbers
from caveat.rules.lines import collapse_spaces
from caveat.rules.text import prose
from caveat.rules.text.citations import CitedSentence, Piece, list_marked_ids
from caveat.rules.text.words import list_stems

ANSWER = "answer"
"""Where the sentences of the answer stand."""

MISSING = "missing"
"""Where the sentences stand that say what was found instead of a part of the question."""

Mend = Callable[["Statement"], str | None]
"""What stands in place of a statement, as Markdown; None for nothing."""


class Statement(NamedTuple):
    """One sentence of a synthesis."""

    name: str  # `s1`, ... in order
    where: str  # the answer, an angle, a side of a dispute, or what is missing
    sentence: CitedSentence

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        return self.sentence.key


def list_statements(synthesis: Synthesis, claims: Mapping[str, Claim]) -> tuple[Statement, ...]:
    """Name every sentence of a synthesis, in the order of `rewrite_synthesis`."""
    statements: list[Statement] = []
    rewrite_synthesis(synthesis, claims, statements.append)
    return tuple(statements)


def change_prose(synthesis: Synthesis, change: Callable[[str, str], str]) -> Synthesis:
    """Change each piece of a synthesis's prose, by its Markdown and by where it stands."""
    return synthesis.model_copy(
        update={
            "summary": change(synthesis.summary, ANSWER),
            "sections": tuple(
                update_section(each, change(each.summary, each.assignment_id))
                for each in synthesis.sections
            ),
            "missing": tuple(
                each.model_copy(update={"why": change(each.why, MISSING)})
                for each in synthesis.missing
            ),
            "weighings": tuple(
                each.model_copy(update={"text": text})
                for each in synthesis.weighings
                if (text := change(each.text, f"{each.contradiction_id} {each.side}"))
            ),
        }
    )


def rewrite_synthesis(synthesis: Synthesis, claims: Mapping[str, Claim], mend: Mend) -> Synthesis:
    """Write a synthesis anew, with what `mend` puts in place of each sentence."""
    names = count(1)

    def rewrite(markdown: str, where: str) -> str:
        blocks = [
            (kind, [mend(Statement(f"s{next(names)}", where, each)) for each in sentences])
            for kind, sentences in Piece(markdown, claims).blocks
        ]
        return _join_blocks((kind, " ".join(filter(None, texts))) for kind, texts in blocks)

    return change_prose(synthesis, rewrite)


_CARRIED = 0.5  # share of a sentence's words from which a claim may carry it


def find_carrying_claims(text: str, claims: Mapping[str, Claim]) -> list[str]:
    """Find the claims that a sentence without any most likely rests on, two at most.

    A reader still has to find that they carry it: this only chooses what it is held against.
    """
    numbers, words = {*find_numbers(text)}, list_stems(text)
    scored = []
    for claim in claims.values():
        known = list_stems(f"{claim.text} {claim.quote} {claim.location or ''}")
        share = len(words & known) / max(1, len(words))
        scored.append((len(numbers & {*find_numbers(claim.quote)}), share, claim))
    near = [each for each in scored if each[1] >= _CARRIED or (each[0] and each[1] >= _CARRIED / 2)]
    if not near:
        return []
    first = max(near, key=lambda each: each[:2])[2]
    missing = numbers - {*find_numbers(first.quote)}
    more = [each[2] for each in near if missing & {*find_numbers(each[2].quote)}]
    return [first.id, *(each.id for each in more[:1])]


def index_read_sentences(
    verification: Verification | None,
) -> dict[tuple[str, tuple[str, ...]], ReadSentence]:
    """Find what was said of each sentence by what it says and cites."""
    return {(each.text, each.claims): each for each in (verification or Verification()).read}


def list_unsupported(verification: Verification | None) -> tuple[ReadSentence, ...]:
    read = index_read_sentences(verification).values()
    return tuple(each for each in read if each.support is not Support.SUPPORTED)


_REASON = 500  # characters of a reason by its contract


def record_reading(
    sentence: CitedSentence, support: Support, by: Reader, reason: str = ""
) -> ReadSentence:
    """Record what a reader says of a sentence; of one that holds no reason is kept."""
    text, claims = sentence.key
    told = "" if support is Support.SUPPORTED else collapse_spaces(reason)[:_REASON]
    return ReadSentence(text=text, claims=claims, support=support, reason=told, by=by)


def record_left_out(
    statement: Statement,
    claims: Collection[str],
    support: Support = Support.NOT,
    by: Reader = Reader.CODE,
) -> LeftOutSentence:
    """Record that a sentence is not published; it may name claims that nobody has."""
    cited = tuple(name for name in statement.key[1] if name in claims)
    is_answer = statement.where == ANSWER
    section = "" if is_answer else statement.where
    return LeftOutSentence(
        claims=cited, support=support, by=by, of_answer=is_answer, section=section
    )


def update_section(draft: SectionDraft, text: str) -> SectionDraft:
    """Give a section another text, with the claims that it cites."""
    cited = tuple(dict.fromkeys(list_marked_ids(text)))
    return draft.model_copy(update={"summary": text, "claim_ids": cited})


def _join_blocks(blocks: Iterable[tuple[prose.BlockKind, str]]) -> str:
    """Set items below each other, and everything else as paragraphs."""
    written, before = "", prose.BlockKind.PARAGRAPH
    for kind, text in (each for each in blocks if each[1]):
        is_item = kind is prose.BlockKind.ITEM
        if written:
            written += "\n" if is_item and before is kind else "\n\n"
        written += f"- {text}" if is_item else text
        before = kind
    return written

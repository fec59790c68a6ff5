"""The analyst: one source in, claims with verbatim quotes out.

A quote stands in a text although whoever copied it tidied it.
"""

import datetime as dt
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import Field

from caveat.contracts.base import Contract
from caveat.contracts.phase import Step
from caveat.contracts.source import (
    CLAIM_LIMIT,
    Analysis,
    Claim,
    DocumentFacts,
    Precision,
    Snapshot,
    SourceKind,
)
from caveat.contracts.tasks import AnalysisTask
from caveat.ports import Answer
from caveat.quantities.dates import MONTH, find_dates
from caveat.roles.data import (
    NEUTRAL,
    Words,
    describe_source,
    find_addresses,
    format_block,
    format_flaws,
    format_json_block,
)
from caveat.roles.role import SONNET, Bounds, LanguageModel, ModelSettings, Question, Role
from caveat.rules.evidence.claims import describe_place
from caveat.rules.lines import shorten
from caveat.rules.text.sentences import Span
from caveat.rules.text.words import list_content_stems

SETTINGS = ModelSettings(
    name="analysis",
    agent="analyst",
    model=SONNET,
    bounds=Bounds(deadline_s=165, room=16_000),  # some sixty claims with their quotes
    step=Step.ANALYSE,
)


WINDOW = 240_000
"""Characters of a source that are read at once: some 60,000 tokens, a long book's third; more costs
more than one source is worth. `Analysis.read_to` says how far it went, and `AnalysisTask.start_at`
goes on from there."""

BESIDE = 16_000
"""Characters of a prompt beside the source: instructions of the role and of a specialist, schema,
topic and question; some 6,000, and a turn to mend comes behind them."""

LEAST = 2_000
"""Characters of a source that are read at once where a server reads little: a claim with its
surroundings."""

_NAMED = 160  # characters of a quote that is returned: enough to find it again

SHORTEST = 12
"""Characters of a quote: a phrase. A word alone stands in every text and supports nothing."""

_SAME = {
    **dict.fromkeys("‘’‚‛′‵`´ʼ", "'"),
    **dict.fromkeys("“”„‟«»″‶", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("＜﹤" + NEUTRAL, "<"),
    "…": "...",
}
"""Characters that copyists exchange: quotation marks, dashes, an ellipsis, and the bracket that the
prompt takes from look-alikes of its delimiters."""

_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_AROUND = " \"'."  # what copyists put around a quote: quotation marks, and dots where they cut it


@dataclass(frozen=True)
class Text:
    text: str  # the text, as it is in the snapshot
    begin: int = 0  # character before which nothing is looked for

    def locate(self, quote: str) -> Span | None:
        """Find a quote: as it is, else with white space, quotation marks and dashes set aside.

        Returns:
            The first place that says the same, None where there is none or the quote is too short
            or too long to be one. What stands there is the quote; what was asked for is not.
        """
        wanted = quote.strip()
        if not wanted:
            return None
        at = self.text.find(wanted, self.begin)
        place = Span(at, at + len(wanted)) if at != -1 else self._find_alike(wanted)
        if place is None:
            return None
        words = self.text[place.start : place.end]
        shortest = 0 if "\t" in words else SHORTEST  # a row of a table says what its columns ask
        return place if shortest <= len(words) <= CLAIM_LIMIT else None

    def _find_alike(self, quote: str) -> Span | None:
        words = "".join(char for _, char in _normalise_text(quote)).strip(_AROUND)
        if not words:
            return None
        plain, offsets = self._folded
        at = plain.find(words, bisect_left(offsets, self.begin))
        if at == -1:
            return None
        return Span(offsets[at], offsets[at + len(words) - 1] + 1)

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        pairs = list(_normalise_text(self.text))
        return "".join(char for _, char in pairs), [offset for offset, _ in pairs]


def _normalise_text(text: str) -> Iterator[tuple[int, str]]:
    """The characters of a text as copyists see them, each with the offset that it comes from."""
    # Runs of white space become one space, which belongs to the first of them; a character that
    # stands for several (an ellipsis, a ligature) gives several with one offset.
    gap = True
    for offset, char in enumerate(text):
        if char in _INVISIBLE:
            continue
        if char.isspace():
            if not gap:
                yield offset, " "
            gap = True
            continue
        gap = False
        for piece in _SAME.get(char) or unicodedata.normalize("NFKC", char):
            yield offset, piece


class Statement(Contract):
    """One claim of the source, and the questions that it answers."""

    text: Words
    quote: Words
    speaker: str = ""
    questions: tuple[str, ...] = ()
    relevance: float = Field(allow_inf_nan=False)


class Letterhead(Contract):
    """What the document says of itself, as far as it does."""

    title: str = ""
    author: str = ""
    date: str = ""
    date_in_words: str = ""
    kind: SourceKind = SourceKind.UNKNOWN


class Statements(Contract):
    """What the document is, and what it says about the questions, best first."""

    document: Letterhead = Letterhead()
    claims: tuple[Statement, ...]


async def _play(task: AnalysisTask, model: LanguageModel) -> Answer[Analysis]:
    """Return the claims whose quotes are in the source, and count those whose are not."""
    # The source is data between delimiters, and the call has no tools. A quote that is not there is
    # returned once by name; what was found until then is reported as partial.
    snapshot = model.text
    longest = model.longest
    window = WINDOW if longest is None else min(WINDOW, max(LEAST, longest - BESIDE))
    end = _end(snapshot.text, task.start_at, window)
    if not snapshot.text[task.start_at : end].strip():
        return Answer(Analysis(read_to=end))
    text = Text(snapshot.text[:end], task.start_at)

    def find_objection(statements: Statements) -> str | None:
        quotes = (statement.quote for statement in statements.claims)
        missing = [shorten(quote, _NAMED) for quote in quotes if text.locate(quote) is None]
        if missing:
            model.on_partial(
                _build_analysis(task, snapshot, text, [statements]), end / len(snapshot.text)
            )
        return format_flaws(
            "These quotes do not stand in the source word for word, or are shorter than a phrase, "
            "or longer than a passage",
            (f"“{quote}”" for quote in missing),
            "Give these claims alone again, the words copied as they stand, or leave them out: the "
            "others are kept.",
        )

    # The source stands first, the same for whatever is asked of it, so that servers cache it.
    shared = f"The source:\n{format_block(text.text[text.begin :])}\n\n"
    facts = {
        "topic": task.topic,
        "source": describe_source(task.source),
        "questions": [{"name": angle.id, "question": angle.question} for angle in task.assignments],
    }
    content = f"{format_json_block(facts)}\n\nWhat does it say about the questions?"
    own, title = _format_instructions(task), task.source.title
    answer = await model.ask(
        Question(task, title, content, Statements, find_objection, shared, own=own)
    )
    return Answer(_build_analysis(task, snapshot, text, answer.value), answer.usage)


def _format_instructions(task: AnalysisTask) -> str:
    """What specialists are told beside what every analyst is told."""
    return "\n\n".join(
        f"For the question {each.id} you read as a specialist of a team, which tells you:\n"
        f"{each.instructions}"
        for each in task.assignments
        if each.instructions
    )


def _end(text: str, start: int, window: int) -> int:
    """Where a reading ends: at the end of the text, or of a line, so that no sentence is halved."""
    if len(text) <= start + window:
        return len(text)
    line = text.rfind("\n", start + window // 2, start + window)
    return start + window if line == -1 else line + 1


def _build_analysis(
    task: AnalysisTask, snapshot: Snapshot, text: Text, answers: Sequence[Statements]
) -> Analysis:
    """Keep what every answer has that can be found; the last one decides what is rejected."""
    statements = (statement for answer in answers for statement in answer.claims)
    best = sorted(statements, key=lambda statement: -_clamp_share(statement.relevance))
    return Analysis(
        claims=tuple(
            claim
            for statement in best
            if (place := text.locate(statement.quote)) is not None
            for claim in _build_claims(task, snapshot, statement, place)
        ),
        document=_build_document_facts(answers[0].document, text.text, task.source.title),
        rejected_quotes=sum(text.locate(last.quote) is None for last in answers[-1].claims),
        read_to=len(text.text),
    )


def _build_document_facts(letterhead: Letterhead, text: str, title: str) -> DocumentFacts:
    """What the document says of itself: a date, a name or a number only where it stands there.

    Args:
        title: what the document is called without it, which a single word does not better.
    """
    words = " ".join(letterhead.date_in_words.split())
    known = f"{title} {' '.join(text.split())}"
    published = _parse_day(letterhead.date, words) if words and words in known else None
    stems = list_content_stems(letterhead.title)
    is_own = 2 * len(stems & list_content_stems(known)) >= len(stems)
    is_title = len(stems) > 1 and is_own and _is_of(letterhead.title, known)
    names = {name.casefold() for name in _NAMES.findall(letterhead.author)}
    is_author = names <= {*re.findall(r"\w+", known.casefold())}
    is_unproven = letterhead.kind in _LEARNED and not _LEARNED_SIGNS.search(known)
    return DocumentFacts(
        title=shorten(letterhead.title, 200) if is_title else "",
        author=shorten(letterhead.author, 200) if is_author else "",
        published=published,
        precision=_measure_precision(words),
        kind=SourceKind.UNKNOWN if is_unproven else letterhead.kind,
    )


_LEARNED = frozenset({SourceKind.PEER_REVIEWED, SourceKind.PREPRINT})
_LEARNED_SIGNS = re.compile(
    r"\bdoi\b|\b10\.\d{4,9}/|arxiv|journal|peer.review|preprint|\babstract\b|proceedings",
    re.IGNORECASE,
)
"""What a paper says of itself somewhere: without it a blog is not taken for one."""


def _parse_day(date: str, words: str) -> dt.date | None:
    """A date that some words are of; None where they are of another."""
    try:
        day = dt.date.fromisoformat(date)
    except ValueError:
        return None
    read = list(find_dates(words))
    written = {int(each) for each in re.findall(r"\d+", words)}  # "22.6.2023"
    in_digits = {day.day, day.month} <= written and written & {day.year, day.year % 100}
    is_of = any(each.holds(day) for each in read) if read else in_digits
    return day if is_of else None


def _measure_precision(words: str) -> Precision:
    """Say how exactly some words tell a day: "October 2024" to the month."""
    span = max((each.high - each.low for each in find_dates(words)), default=0.0)  # in years
    return Precision.YEAR if span > 1 / 11 else Precision.MONTH if span > 1 / 100 else Precision.DAY


_OWN = re.compile(rf"(?<=\w )(?!(?i:{MONTH}))[A-Z]\w+|\d+")  # "Sep" in a head is September


_NAMES = re.compile(r"\b[^\W\d_a-z]\w*")  # words in capitals


def _is_of(words: str, known: str) -> bool:
    """Whether the names and numbers of some words stand in a text."""
    return all(name.casefold() in known.casefold() for name in _OWN.findall(words))


def _build_claims(
    task: AnalysisTask, snapshot: Snapshot, statement: Statement, place: Span
) -> Iterator[Claim]:
    """Make a claim of a statement for each question that it answers, else for the first."""
    start, end = place
    quote, text = snapshot.text[start:end], " ".join(statement.text.split())
    # The quote speaks where the statement is too long, or names an address of its own.
    if find_addresses(statement.text) - find_addresses(quote) or len(statement.text) > CLAIM_LIMIT:
        text = quote
    known = [angle.id for angle in task.assignments]
    questions = [name for name in dict.fromkeys(statement.questions) if name in known]
    for name in questions or known[:1]:
        yield Claim(
            id=f"{name}-{task.source.id}-{start}",
            text=text,
            quote=quote,
            source_id=task.source.id,
            assignment_id=name,
            start=start,
            end=end,
            location=describe_place(snapshot, start, end, statement.speaker),
            relevance=_clamp_share(statement.relevance),
        )


def _clamp_share(relevance: float) -> float:
    return min(max(relevance, 0.0), 1.0)


ANALYSE: Role[AnalysisTask, Analysis] = Role("analyse", SETTINGS, _play)

"""What a person came for, in plain lines: answer, contradictions, confidence and sources."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from caveat.contracts.confidence import Operation
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Report
from caveat.rendering import words
from caveat.rendering.edition import Citation, Edition, PrintedSide
from caveat.rules.contradictions.choices import describe_choice
from caveat.rules.text import prose

_PASSAGES = 3  # passages that stand for an answer where there is none: more would not be read
_CONTRADICTIONS = 4  # those that are named, as many as fit beside the answer on a small screen

ITEM = "• "


@dataclass(frozen=True)
class Gist:
    """A report in a few lines, without markup."""

    verdict: str  # whether the question is answered, with the reason where a model gave it
    answer: tuple[str, ...]  # its paragraphs, or the closest passages; sources as `[n]`
    is_answer: bool  # whether these paragraphs answer the question
    lacks: str  # what closest passages lack of the question; empty where a model answered
    contradictions: tuple[str, ...]  # a line each, those that touch the answer first
    confidence: str  # in a word, with the number and the reason
    sources: tuple[str, ...]  # the sources that the other lines cite, a line each


def build_gist(report: Report) -> Gist:
    """Say in a few lines what a report says."""
    edition = Edition(report)
    is_answer = bool(report.answer) and report.answered is not None and report.answered is not False
    text = report.answer or ("" if edition.disputed else report.summary)
    blocks = prose.split_blocks(text)
    if not is_answer:
        blocks = blocks[:_PASSAGES]
    answer = tuple(filter(None, (_format_block(edition, block) for block in blocks)))
    touching = sorted(report.contradictions, key=lambda each: each not in edition.disputed)
    lines = tuple(_list_contradictions(edition, touching))
    return Gist(
        verdict=_describe_verdict(report, has_passages=bool(answer) and not is_answer),
        answer=answer,
        is_answer=is_answer,
        lacks=report.answered_because if report.answered is None and report.answer else "",
        contradictions=lines,
        confidence=_describe_confidence(report),
        sources=tuple(_list_cited_sources(edition, (*answer, *lines))),
    )


def format_answer(report: Report) -> str:
    """Write the answer, or the closest passages, as plain text for machines and assistants."""
    return "\n".join(build_gist(report).answer)


def _describe_verdict(report: Report, *, has_passages: bool) -> str:
    is_quoted = report.answered is None and bool(report.answer)
    because = words.NO_ANSWER if is_quoted else report.answered_because
    closest = "Closest passages:" if has_passages and not is_quoted else ""
    return " ".join(filter(None, (words.describe_answer(report), because, closest)))


def _format_block(edition: Edition, block: prose.Block) -> str:
    """Write a block as a line of text; a place in a source is left to the report."""
    said = []
    for run in edition.split_block(block):
        if isinstance(run, prose.TextRun):
            said.append(run.text)
        elif isinstance(run, Citation):
            said.append(f"[{run.number}]")
    text = re.sub(r"(\[\d+\])\s*(?:\1\s*)+", r"\1", " ".join("".join(said).split()))
    return f"{ITEM}{text}" if block.kind is prose.BlockKind.ITEM else text


def _list_contradictions(edition: Edition, found: Sequence[Contradiction]) -> Iterator[str]:
    yield from (_describe_contradiction(edition, each) for each in found[:_CONTRADICTIONS])
    if (rest := len(found) - _CONTRADICTIONS) > 0:
        yield f"{rest} more {'contradiction' if rest == 1 else 'contradictions'} in the report."


def _describe_contradiction(edition: Edition, contradiction: Contradiction) -> str:
    """Say what a contradiction is about, with its values by the letters that a person rules by."""
    about = contradiction.about
    subject, _, rest = about.partition(": ")
    is_cut = bool(rest) and all(side.value and side.value in rest for side in contradiction.sides)
    said = f"{subject}:" if is_cut else words.end_sentence(about)
    values = [
        f"{_format_side(side, said) if is_cut or contradiction.is_open else side.letter} "
        f"[{side.citation.number}]"
        for side in edition.build_sides(contradiction)
        if side.citation
    ]
    return f"{_describe_state(contradiction)}: {said} {', '.join(values)}".rstrip()


def _format_side(side: PrintedSide, said: str) -> str:
    value = _format_value(side)
    return side.letter if value in said else f"{side.letter} {value}"


def _format_value(side: PrintedSide) -> str:
    return side.value or f"“{words.shorten_quote(side.quote)}”"


def _describe_state(contradiction: Contradiction) -> str:
    if contradiction.is_open:
        return "Open"
    if contradiction.ruling is None:
        return "Needs review"
    return f"Settled, {describe_choice(contradiction.ruling, len(contradiction.sides))}"


def _describe_confidence(report: Report) -> str:
    value = report.confidence.value
    lowered = [step for step in report.confidence.ledger if step.operation is not Operation.SET]
    steps = sorted(lowered, key=lambda step: step.after - step.before) or report.confidence.ledger
    reasons = (*report.confidence.reasons, *(step.reason.partition(";")[0] for step in steps))
    why = f": {reasons[0]}" if reasons else ""
    return f"Confidence {words.grade_confidence(value)} ({value:.2f}){why}"


def _list_cited_sources(edition: Edition, lines: Iterable[str]) -> Iterator[str]:
    """List the sources that lines cite, those that stand first in them first."""
    known = {str(source.number): source for source in edition.cited}
    found = (number for line in lines for number in re.findall(r"\[(\d+)\]", line))
    for number in dict.fromkeys(found):
        if number in known:
            yield f"[{number}] {words.name_origin(known[number])}"

"""What a person came for: what disagrees, what was found, how it stands, and by which sources.

Terminal, page, assistants and Python all tell a report by it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from caveat.contracts.contradiction import Contradiction, ContradictionKind, Side
from caveat.contracts.report import Report, ReportedFailure, ReportStatus
from caveat.contracts.synthesis import Figure
from caveat.rendering import words
from caveat.rendering.edition import Citation, Edition
from caveat.rendering.plot import Plot, build_plot
from caveat.rules.contradictions import choices
from caveat.rules.evidence.stated import read_side_value
from caveat.rules.lines import join_names, shorten, spell_number
from caveat.rules.report.closest import find_place
from caveat.rules.report.values import measure_gap
from caveat.rules.text import prose

_PASSAGES = 3  # passages in place of an answer: more would not be read
_CONTRADICTIONS = 4  # as many as fit with the answer on a small screen

_QUOTE = 90  # characters of a quote in place of a value, to stay a line
_ITEM = "• "


@dataclass(frozen=True)
class Passage:
    """A paragraph of an answer, or a quote where it stands."""

    place: str  # where in its source, as `§ Value` or `p. 2`; empty for an answer's paragraph
    before: str  # what stands before the words that are marked; the paragraph of an answer
    marked: str = ""
    after: str = ""
    cited: str = ""  # the numbers of its sources, as `[1][3]`; an answer's stand in its text

    @property
    def text(self) -> str:
        if not self.marked:
            return self.before
        where = f"{self.place}: " if self.place else ""
        return f"{_ITEM}{where}“{self.before}{self.marked}{self.after}” {self.cited}".rstrip()


@dataclass(frozen=True)
class Dispute:
    """A contradiction with its sides, and all values if they are numbers."""

    title: str  # what is measured, from where to where, how far apart
    sides: tuple[str, ...]  # a line each, by the letters that a person rules by
    plot: Plot | None = None

    def __str__(self) -> str:
        return f"{words.end_sentence(self.title)} {'; '.join(self.sides)}"


@dataclass(frozen=True)
class Gist:
    """A report in a few lines, without markup."""

    verdict: str  # whether the question is answered, with the reason where a model gave it
    disputes: tuple[Dispute, ...]  # those on the answer that nobody settled
    settled: tuple[str, ...]  # other contradictions, and how many more there are
    compared: str  # where nothing differs, what was compared
    passages: tuple[Passage, ...]  # its answer, or the closest passages
    is_answer: bool  # whether these answer the question
    standing: str  # confidence with its reason; without a model what passages have of the question
    sources: tuple[str, ...]  # the sources that the other lines cite, a line each

    @property
    def answer(self) -> tuple[str, ...]:
        """The paragraphs or passages as plain text."""
        return tuple(each.text for each in self.passages)

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it as plain text, what disagrees first."""
        told = [line for each in self.disputes for line in (each.title, *each.sides)]
        parts = (*told, self.verdict, *self.answer, *self.settled, self.standing, self.compared)
        return tuple(filter(None, (*parts, *self.sources)))


def build_gist(report: Report) -> Gist:
    edition = Edition(report)
    is_answer = bool(report.answer) and report.answered is not None and report.answered is not False
    text = report.answer or ("" if edition.disputed else report.summary)
    blocks = prose.split_blocks(text)
    if report.answered is False or not report.answer:
        blocks = blocks[:_PASSAGES]
    passages = tuple(
        each for block in blocks if (each := _build_passage(edition, block)).text.strip()
    )
    pending = [each for each in edition.disputed if each in edition.pending][:_CONTRADICTIONS]
    disputes = tuple(build_dispute(edition, each) for each in pending)
    others = [each for each in report.contradictions if each not in pending]
    others.sort(key=lambda each: (each in edition.pending, each not in edition.disputed))
    told = others[: _CONTRADICTIONS - len(pending)]
    settled = [
        str(build_dispute(edition, each))
        if each in edition.pending
        else describe_ruling(edition, each)
        for each in told
    ]
    if rest := len(others) - len(told):
        noun = "contradiction" if rest == 1 else "contradictions"
        settled.append(f"{rest} more {noun} in the report.")
    lines = [line for each in disputes for line in each.sides]
    lines += [*(each.text for each in passages), *settled]
    named = {number for line in lines for number in re.findall(r"\[(\d+)\]", line)}
    is_quoted = report.answered is None and bool(report.answer)
    because = words.NO_ANSWER if is_quoted else report.answered_because
    closest = "What comes closest:" if passages and not is_answer and not is_quoted else ""
    return Gist(
        verdict=" ".join(filter(None, (words.describe_answer(report), because, closest))),
        disputes=disputes,
        settled=tuple(settled),
        compared="" if report.contradictions else words.describe_compared(report),
        passages=passages,
        is_answer=is_answer,
        standing=describe_standing(report),
        sources=tuple(
            f"[{source.number}] {words.name_source(source)}"
            for source in edition.cited
            if str(source.number) in named
        ),
    )


def build_facts(report: Report, afterwards: Sequence[ReportedFailure] = ()) -> dict[str, Any]:
    """Say a report in a few facts, as JSON: the answer, or the closest passages, and amounts."""
    dumped = report.model_dump(mode="json", include={"unread", "revision"})
    metrics = {"sources_read", "model_calls", "tokens", "cost_usd"}
    return {
        "run_id": report.run_id,
        "topic": report.topic,
        "status": "completed" if report.status is ReportStatus.FINAL else report.status.value,
        "answered": report.answered,
        "answer": "\n".join(build_gist(report).answer),
        "answered_because": report.answered_because,
        "confidence": report.confidence.value if report.reasoner.uses_language_model else None,
        "sections": [each.title for each in report.sections],
        "claims": len(report.claims),
        "contradictions": len(report.contradictions),
        "open_contradictions": [each.arbitration for each in report.contradictions if each.is_open],
        "gaps": len(report.gaps),
        "limitations": len(report.limitations),
        "failures": len(report.failures) + len(afterwards),
        **report.metrics.model_dump(mode="json", include=metrics),
        **dumped,
    }


def build_dispute(edition: Edition, contradiction: Contradiction) -> Dispute:
    """Summarise a contradiction: subject, gap between the values, and sides."""
    report, values = edition.report, contradiction.sides
    figures = _list_figures(edition, contradiction)
    units = {each.unit for each in figures}
    alike = [each for each in report.stated if each.unit in units]
    title = choices.extract_subject(contradiction.about)
    is_named = not title.startswith(choices.UNNAMED)  # else its values are its name
    if not is_named:
        title = title.rstrip(".")
    is_measured = len(figures) > 1 and len(units) == 1
    ends: Sequence[Figure | Side] = figures if is_measured else ()
    if not figures and contradiction.kind is not ContradictionKind.CATEGORICAL:
        ends = values  # a year or a bare number, which rules put in order
    if ends and is_named and all(any(map(str.isdigit, each.value)) for each in ends):
        joint = "or" if units == {"date"} else "to"  # it was one of the days, and not all between
        is_range = is_measured or len({re.sub(r"[\d\W]", "", each.value) for each in ends}) == 1
        span = choices.format_range(ends[0].value, ends[-1].value, joint)
        title += f", {span if is_range else ' or '.join(each.value for each in ends)}"
    if is_measured and (gap := measure_gap(report.stated, contradiction)):
        title += f"; {spell_number(len(values))} groups, {gap:.1f}σ apart"
    title = f"Sources disagree{'' if contradiction.is_open else ' (needs review)'}: {title}"
    stating = {each.claim_id for each in alike}
    is_shared = sum(not stating.isdisjoint(side.claims) for side in values) > 1
    # Values of one side alone are those of another dispute.
    shown = alike if is_shared and len(alike) > 2 else ()
    plot = build_plot(edition, title, shown, contradiction)
    sides = (
        _format_side(edition, letter.upper(), side)
        for letter, side in zip(choices.list_letters(len(values)), values, strict=True)
    )
    return Dispute(title, tuple(sides), plot)


def _list_figures(edition: Edition, contradiction: Contradiction) -> list[Figure]:
    figures = [
        Figure(
            label="",
            value=side.value,
            number=read[0].number,
            unit=read[0].unit,
            claim_id=side.claim,
        )
        for side in contradiction.sides
        if (read := read_side_value(side, edition.claims))
    ]
    claims = {name for side in contradiction.sides for name in side.claims}
    figures += [each for each in edition.report.stated if each.claim_id in claims]
    return sorted(figures, key=lambda each: each.number)


def _format_side(edition: Edition, letter: str, side: Side) -> str:
    """Format a side by its range and sources; with a single source by its value."""
    numbers = _cite_side(edition, side)
    if side.stated:
        return f"{letter}: {side.stated} {numbers}"
    claim = edition.claims.get(side.claim)
    value = side.value or (f"“{shorten(claim.quote, _QUOTE)}”" if claim else "")
    scope = f" ({side.scope})" if side.scope and side.scope not in value else ""
    return f"{letter}: {value}{scope} {numbers}".rstrip()


def _cite_side(edition: Edition, side: Side) -> str:
    cited = (edition.build_citation(name) for name in side.claims)
    return "".join(f"[{number}]" for number in dict.fromkeys(each.number for each in cited if each))


def _build_passage(edition: Edition, block: prose.Block) -> Passage:
    """Build a quote in its window, with its place; an answer's paragraph as it is."""
    claim = None if edition.is_written else edition.find_quoted_claim(block)
    runs = edition.split_block(block)
    if claim is not None:
        numbers = dict.fromkeys(each.number for each in runs if isinstance(each, Citation))
        window = edition.cut_window(block, claim)
        cited = "".join(f"[{number}]" for number in numbers)
        return Passage(find_place(claim), window.before, window.quote, window.after, cited)
    texts = [
        each.text if isinstance(each, prose.TextRun) else f"[{each.number}]"
        for each in runs
        if isinstance(each, (prose.TextRun, Citation))
    ]
    text = _CITED.sub(
        lambda row: "".join(dict.fromkeys(re.findall(r"\[\d+\]", row[0]))),
        " ".join("".join(texts).split()),
    )
    return Passage("", f"{_ITEM}{text}" if block.kind is prose.BlockKind.ITEM else text)


_CITED = re.compile(r"\[\d+\](?:\s?\[\d+\])+")


def describe_ruling(edition: Edition, contradiction: Contradiction) -> str:
    """Say of a settled contradiction who settled it, which value holds, and which fell."""
    sides = zip(choices.name_values(contradiction), contradiction.sides, strict=True)
    names = [f"{name} {_cite_side(edition, side)}".rstrip() for name, side in sides]
    subject = choices.extract_subject(contradiction.about).rstrip(".")
    outcome = choices.describe_outcome(contradiction, names)
    if len(names) == choices.PAIR and not any(name in outcome for name in names):
        subject += f", {join_names(names)}"
    who = choices.name_settler(contradiction)
    where = " in an earlier run" if contradiction.reused else ""
    by = f"as {who} ruled{where}" if contradiction.decided_by else f"by {who}"
    return f"{subject}: {outcome}, {by}."


def describe_standing(report: Report) -> str:
    """Describe the terms that passages have, or with a model the confidence and why."""
    has = report.answered_because if report.answered is None and report.answer else ""
    if not report.reasoner.uses_language_model:
        return has
    return f"{has} Confidence {words.describe_confidence(report.confidence)}.".strip()

"""Reports as PDF, set by Typst: what its template is told, and the setting of it."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import typst

from caveat import failures
from caveat.contracts.confidence import Confidence
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.debate import Stance
from caveat.contracts.report import Report, ReportedSource, ReportStatus, Revision, Section
from caveat.contracts.source import SourceKind
from caveat.contracts.synthesis import Figure
from caveat.rendering import words
from caveat.rendering.charts import Table, scale, whisker
from caveat.rendering.edition import Citation, Contest, Edition, Examined, Inline, PrintedSide
from caveat.rendering.visible import visible
from caveat.rules.report import conflict, states_answer
from caveat.rules.sources import own_reports
from caveat.rules.text import prose

_TEMPLATE = Path(__file__).with_name("report.typ")

_SERIF = "Libertinus Serif"
_FURTHEST = "\u052f"
"""The last of the Latin, Greek and Cyrillic letters, which the fonts inside Typst have."""

_HEADER_LIMIT = 78  # characters that fit into the running header and the footer
_Data = dict[str, Any]  # JSON; its shape is known to the template alone


def compose(report: Report) -> bytes:
    """Set a report as PDF.

    The same report gives the same bytes on the same machine: the PDF carries the report's own time.
    Fonts are the ones inside Typst; the system's are used only for characters that those lack.

    Returns:
        The PDF.
    """
    try:
        pdf = typst.compile(
            _TEMPLATE,
            root=_TEMPLATE.parent,
            format="pdf",
            sys_inputs={"document": json.dumps(document(report), ensure_ascii=False)},
            timestamp=int(report.created.timestamp()),
        )
    except typst.TypstError as error:
        raise failures.invalid(
            "The report could not be set as PDF; Markdown and JSON are not affected.",
            resource=report.run_id,
        ) from error
    return bytes(pdf)


def document(report: Report) -> _Data:
    """Gather everything that the template prints, in its order."""
    printed: _Data = _visible(_gathered(report))
    if missing := unshown(json.dumps(printed, ensure_ascii=False)):
        signs = re.compile(f"[{re.escape(''.join(missing))}]+")
        printed = _mapped(printed, lambda text: signs.sub("[…]", text))
        printed["facts"].append(["Fonts", _without(missing)])
    return printed


def _visible(value: Any) -> Any:
    """Take what readers do not see out of every string."""
    return _mapped(value, visible)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case list():
            return [_mapped(each, change) for each in value]
        case dict():
            return {name: _mapped(each, change) for name, each in value.items()}
        case _:
            return value


def _without(signs: str) -> str:
    kinds = sorted({_script(sign).title() for sign in signs})
    return (
        f"No font on this machine shows {' and '.join(kinds)} characters: […] stands for them. The "
        "Markdown and HTML reports hold them, and so does a PDF where such a font is installed."
    )


def unshown(text: str) -> str:
    """Return the characters of a text that no font has, those of the scripts that lack any."""
    signs = sorted({sign for sign in text if sign > _FURTHEST and sign.isprintable()})
    if not signs or _is_shown("".join(signs)):
        return ""
    scripts = groupby(sorted(signs, key=_script), key=_script)
    groups = ("".join(group) for _, group in scripts)
    return "".join(group for group in groups if not _is_shown(group))


def _script(sign: str) -> str:
    """Return the script of a character, the first word of its name."""
    return unicodedata.name(sign, "other").split()[0]


def _is_shown(signs: str) -> bool:
    """Ask Typst, which sets nothing for archives that some font does not show."""
    probe = f"#set text(font: {json.dumps(_SERIF)})\n#{json.dumps(signs, ensure_ascii=False)}"
    try:
        typst.compile(probe.encode(), format="pdf", pdf_standards="a-2b")
    except typst.TypstError:
        return False
    return True


def _gathered(report: Report) -> _Data:
    edition = Edition(report)
    return {
        "title": report.topic,
        "running": words.shortened(report.topic, _HEADER_LIMIT),
        "run_in_short": words.shortened(report.run_id, _HEADER_LIMIT),
        "status": words.status(report),
        "provisional": report.status is ReportStatus.PROVISIONAL,
        "created": [report.created.year, report.created.month, report.created.day],
        "facts": list(_facts(report)),
        "disclosure": " ".join(
            filter(None, (report.reasoner.disclosure, words.ranked(report), *words.advised(report)))
        ),
        "mark": own_reports.mark(report.run_id),
        "keywords": own_reports.keywords(report.run_id, report.schema_version),
        "written": edition.is_written,
        "may_change": edition.may_change if report.status is ReportStatus.PROVISIONAL else "",
        "revision": _revision(report.revision),
        "confidence": _confidence(report.confidence),
        "measures": list(_headline(report)),
        "answer": _answer(edition),
        "stated": [_table(edition, table) for table in edition.tables(report.stated)],
        "summary": _summary(edition),
        "sections": [
            _section(edition, section, number)
            for number, section in enumerate(report.sections, start=1)
        ],
        "contradictions": [_contradiction(edition, each) for each in report.contradictions],
        "timeline": [
            {
                "written": each.written,
                "text": each.claim.text,
                "cite": _reference(edition, each.claim.id),
            }
            for each in edition.timeline
        ],
        "quotes": [
            {"text": claim.quote, "cite": _reference(edition, claim.id)}
            for claim in edition.appended
        ],
        "debate": _debate(edition),
        "gaps": [{"area": gap.area, "reason": gap.reason} for gap in report.gaps],
        "limitations": [
            {"area": limit.area, "why": limit.why, "consequence": limit.consequence}
            for limit in report.limitations
        ],
        "failures": [
            [
                failed.task_description,
                failed.failure.message,
                words.attempts(failed),
                words.aftermath(failed),
            ]
            for failed in report.failures
        ],
        "sources": [_source(source) for source in edition.cited],
        "uncited": [_source(source) for source in edition.uncited],
        "set_aside": [_source(source) for source in edition.set_aside],
        "run": [["Run", report.run_id], *map(list, words.measures(report.metrics))],
        "sentences": {
            "unchecked": words.unchecked(report),
            "contradictions": words.contradictions(report),
            "remarks": words.NO_REMARKS,
            "gaps": words.NO_GAPS,
            "limitations": words.NO_LIMITATIONS,
            "chart": words.CHART,
            "contested_points": words.CONTESTED_POINTS,
            "side_by_side": words.SIDE_BY_SIDE,
        },
    }


def _facts(report: Report) -> Iterator[list[str]]:
    yield ["Date", words.moment(report.created)]
    yield ["Depth", report.depth.value]
    yield ["Reasoner", report.reasoner.name]
    yield ["Run", report.run_id]


def _revision(revision: Revision | None) -> _Data | None:
    if revision is None:
        return None
    return {"title": words.revises(revision), "changes": list(revision.changes)}


def _headline(report: Report) -> Iterator[list[str]]:
    yield [str(len(report.sections)), "angles"]
    yield [str(report.metrics.sources_read), "sources read"]
    yield [str(len(report.claims)), "quotes verified"]
    disputed = len(report.contradictions)
    yield [str(disputed), "contradiction" if disputed == 1 else "contradictions"]
    yield [str(len(report.failures)), "failures reported"]


def _confidence(confidence: Confidence) -> _Data:
    return {
        "value": confidence.value,
        "text": f"{confidence.value:.2f}",
        "word": words.confidence_word(confidence.value),
        "steps": [
            [step.reason, words.step(step), f"{step.before:.4g}", f"{step.after:.4g}"]
            for step in confidence.ledger
        ],
    }


def _section(edition: Edition, section: Section, number: int) -> _Data:
    told = edition.told[section.assignment_id]
    absence = [] if section.summary.strip() else _plain(edition.absence(section))
    return {
        "number": number,
        "title": section.title,
        "question": section.question,
        "confidence": _confidence(section.confidence),
        "prose": _prose(edition, told.prose) or absence,
        "disputes": [[name.removeprefix("contradiction-"), name] for name in told.disputes],
        "tables": [_table(edition, table) for table in edition.tables(section.figures)],
        "quotes": [
            {"text": claim.quote, "cite": _reference(edition, claim.id)}
            for claim in edition.unquoted(section)
        ],
        "typed": [
            [each.kind.value, each.written, _reference(edition, each.claim_id)]
            for each in edition.typed(section)
        ],
        "typed_heads": list(words.TYPED),
        "share": words.share(section),
        "challenged": _challenged(edition.challenged(section)),
    }


def _challenged(count: int) -> str:
    return words.challenged(count) if count else ""


def _plain(sentence: str) -> list[_Data]:
    return [{"kind": "paragraph", "runs": [{"text": sentence, "style": "plain"}]}]


def _summary(edition: Edition) -> list[_Data]:
    if not edition.has_summary:
        return []
    note = edition.quotes_alone
    said = _prose(edition, edition.summary)
    if not edition.report.summary.strip():
        said = _plain(words.NO_SUMMARY)
    return [*(_plain(note) if note else ()), *said]


def _prose(edition: Edition, markdown: str, *, in_context: bool = False) -> list[_Data]:
    return [
        {
            "kind": block.kind.value,
            "runs": [_run(run) for run in _shown(edition, block, in_context=in_context)],
        }
        for block in prose.blocks(markdown)
    ]


def _shown(edition: Edition, block: prose.Block, *, in_context: bool) -> Sequence[Inline]:
    passage = edition.passage(block) if in_context else None
    if passage is None:
        return edition.runs(block)
    return (*passage.runs, prose.TextRun(" "), *passage.citations)


def _answer(edition: Edition) -> list[_Data]:
    """The answer, the disputed values, or the plain words that there is none."""
    report = edition.report
    if not states_answer(report):
        return []
    found = _plain(f"{words.answered(report)} {report.answered_because}")
    found += _prose(edition, edition.opening, in_context=True)
    for lack in report.missing:
        found += _plain(f"Not answered: {lack.part} {lack.why}".rstrip())
    if report.confidence.reasons:
        found += _plain(f"Confidence. {words.assurance(report.confidence)}")
    for contradiction in () if edition.is_written else edition.disputed:
        found += _plain(contradiction.about)
        if apart := conflict(report.stated, contradiction):
            found += _plain(words.farthest(apart))
    if report.stated:
        found += _plain(words.STATED)
    return found


def _run(run: Inline) -> _Data:
    if isinstance(run, Citation):
        return {"cite": _citation(run)}
    if isinstance(run, Contest):
        return {"contest": [list(link) for link in run.links]}
    return {"text": run.text, "style": run.style.value}


def _citation(citation: Citation) -> _Data:
    return {"number": citation.number, "label": citation.label}


def _reference(edition: Edition, claim_id: str) -> list[_Data]:
    return [_run(item) for item in edition.reference(claim_id)]


def _table(edition: Edition, table: Table) -> _Data:
    axis = scale(table.rows)
    return {
        "unit": table.rows[0].unit,
        "axis": {"low": axis.low, "high": axis.high, "ticks": list(axis.ticks)} if axis else None,
        "rows": [_row(edition, figure) for figure in table.rows],
        "beyond": words.beyond(table.beyond),
    }


def _row(edition: Edition, figure: Figure) -> _Data:
    source = edition.source_of(figure.claim_id)
    drawn = whisker(figure)
    return {
        "label": words.row_label(figure.label),
        "value": figure.value,
        "number": figure.number,
        "whisker": [drawn.low, drawn.high] if drawn else None,
        "cite": _reference(edition, figure.claim_id),
        "year": words.year(source) if source else "–",
    }


def _contradiction(edition: Edition, contradiction: Contradiction) -> _Data:
    sure = contradiction.confidence
    about = words.at_issue(contradiction) if edition.is_written else contradiction.about
    return {
        "id": contradiction.id,
        "title": f"{words.ordinal(contradiction.id)}: {about}",
        "fate": words.fate(contradiction),
        "pending": contradiction in edition.pending,
        "kind": contradiction.kind.value,
        "confidence": "" if sure is None else f"confidence {sure:.2f}",
        "sides": [
            {
                **_side(side),
                "weighed": _prose(edition, edition.weighing(contradiction, side.letter)),
            }
            for side in edition.sides(contradiction)
        ],
        "steps": list(edition.course(contradiction)),
        "call": words.call(contradiction),
        "command": words.answer_command(contradiction) or "",
    }


def _side(side: PrintedSide) -> _Data:
    return {
        "letter": side.letter,
        "value": side.value,
        "scope": side.scope,
        "quote": side.claim.quote if side.claim else "",
        "source": _source(side.source) if side.source else None,
        "cite": _citation(side.citation) if side.citation else None,
        "others": [_citation(citation) for citation in side.others],
        "standing": side.standing,
    }


def _debate(edition: Edition) -> _Data | None:
    debate = edition.report.debate
    if debate is None:
        return None
    return {
        "debaters": words.debaters(debate),
        "examined": [_examined(edition, each) for each in edition.examined],
    }


def _examined(edition: Edition, examined: Examined) -> _Data:
    return {
        "quote": words.recognisable(examined.claim.quote),
        "cite": _reference(edition, examined.claim.id),
        "remarks": [
            {
                "speaker": words.speaker(remark),
                "against": remark.stance is Stance.CHALLENGES,
                "text": words.sentence(remark.text),
                "evidence": [
                    _citation(citation)
                    for citation in map(edition.citation, remark.evidence)
                    if citation
                ],
            }
            for remark in examined.remarks
        ],
    }


def _source(source: ReportedSource) -> _Data:
    facts = [
        *source.authors,
        words.published(source),
        *([source.kind.value] if source.kind is not SourceKind.UNKNOWN else []),
        source.url or source.path or "",
    ]
    return {
        "number": source.number,
        "title": source.title,
        "address": words.web_address(source.url),
        "published": words.published(source),
        "facts": list(filter(None, facts)),
        "credibility": source.credibility,
        "score": f"{source.credibility:.2f}",
        "word": words.confidence_word(source.credibility),
        "reason": source.reason,
        "copies": list(source.copies),
        "how_read": words.how_read(source),
    }

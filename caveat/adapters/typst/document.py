"""A report as the data that the Typst template sets.

The template gets strings and numbers, never markup: Typst shows a string as it is, so nothing that
a source says can become code.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from caveat.contracts.confidence import Confidence
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import Report, ReportedSource, ReportStatus, Revision, Section
from caveat.contracts.source import SourceKind
from caveat.contracts.synthesis import Figure
from caveat.rendering import words
from caveat.rendering.charts import by_unit, scale, whisker
from caveat.rendering.edition import Citation, Edition
from caveat.rules import prose

HEADER_LIMIT = 78
"""Characters that fit into the running header and the footer."""

Data = dict[str, Any]
"""JSON; its shape is known to the template alone."""


def document(report: Report) -> Data:
    """Gather everything that the template prints, in its order."""
    edition = Edition(report)
    return {
        "title": report.topic,
        "running": _shortened(report.topic),
        "run_in_short": _shortened(report.run_id),
        "status": words.status(report),
        "provisional": report.status is ReportStatus.PROVISIONAL,
        "created": [report.created.year, report.created.month, report.created.day],
        "facts": list(_facts(report)),
        "disclosure": report.reasoner.disclosure,
        "revision": _revision(report.revision),
        "confidence": _confidence(report.confidence),
        "measures": list(_headline(report)),
        "summary": _prose(edition, report.summary),
        "sections": [
            _section(edition, section, number)
            for number, section in enumerate(report.sections, start=1)
        ],
        "contradictions": [_contradiction(edition, each) for each in report.contradictions],
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
            "contradictions": words.NO_CONTRADICTIONS,
            "gaps": words.NO_GAPS,
            "limitations": words.NO_LIMITATIONS,
            "chart": words.CHART,
        },
    }


def _shortened(text: str) -> str:
    if len(text) <= HEADER_LIMIT:
        return text
    return text[:HEADER_LIMIT].rsplit(" ", 1)[0].rstrip(" ,;:–-") + "…"


def _facts(report: Report) -> Iterator[list[str]]:
    yield ["Date", words.moment(report.created)]
    yield ["Depth", report.depth.value]
    yield ["Reasoner", report.reasoner.name]
    yield ["Run", report.run_id]


def _revision(revision: Revision | None) -> Data | None:
    if revision is None:
        return None
    return {"title": words.revises(revision), "changes": list(revision.changes)}


def _headline(report: Report) -> Iterator[list[str]]:
    yield [str(len(report.sections)), "angles"]
    yield [str(report.metrics.sources_read), "sources read"]
    yield [str(len(report.claims)), "quotes verified"]
    yield [str(len(report.failures)), "failures reported"]


def _confidence(confidence: Confidence) -> Data:
    return {
        "value": confidence.value,
        "text": f"{confidence.value:.2f}",
        "word": words.confidence_word(confidence.value),
        "steps": [
            [step.reason, words.step(step), f"{step.before:.4g}", f"{step.after:.4g}"]
            for step in confidence.ledger
        ],
    }


def _section(edition: Edition, section: Section, number: int) -> Data:
    return {
        "number": number,
        "title": section.title,
        "question": section.question,
        "confidence": _confidence(section.confidence),
        "prose": _prose(edition, section.summary) or _plain(words.NO_PASSAGE),
        "tables": [_table(edition, figures) for figures in by_unit(section.figures)],
        "quotes": [
            {"text": claim.quote, "cite": _cited(edition, claim.id)}
            for claim in edition.unquoted(section)
        ],
    }


def _plain(sentence: str) -> list[Data]:
    return [{"kind": "paragraph", "runs": [{"text": sentence, "style": "plain"}]}]


def _prose(edition: Edition, markdown: str) -> list[Data]:
    return [
        {"kind": block.kind.value, "runs": [_run(run) for run in edition.runs(block)]}
        for block in prose.blocks(markdown)
    ]


def _run(run: prose.Run | Citation) -> Data:
    if isinstance(run, Citation):
        return {"cite": _citation(run)}
    return {"text": run.text, "style": run.style.value}


def _citation(citation: Citation) -> Data:
    return {"number": citation.number, "label": citation.label}


def _cited(edition: Edition, claim_id: str) -> Data | None:
    citation = edition.citation(claim_id)
    return _citation(citation) if citation else None


def _table(edition: Edition, figures: Sequence[Figure]) -> Data:
    axis = scale(figures)
    return {
        "unit": figures[0].unit,
        "axis": {"low": axis.low, "high": axis.high, "ticks": list(axis.ticks)} if axis else None,
        "rows": [_row(edition, figure) for figure in figures],
    }


def _row(edition: Edition, figure: Figure) -> Data:
    source = edition.source_of(figure.claim_id)
    drawn = whisker(figure)
    return {
        "label": words.row_label(figure.label),
        "value": figure.value,
        "number": figure.number,
        "whisker": [drawn.low, drawn.high] if drawn else None,
        "cite": _cited(edition, figure.claim_id),
        "year": words.year(source) if source else "–",
    }


def _contradiction(edition: Edition, contradiction: Contradiction) -> Data:
    claims = [edition.claims.get(claim_id) for claim_id in contradiction.claims]
    return {
        "about": contradiction.about,
        "state": contradiction.state.value,
        "reason": contradiction.reason,
        "quotes": [
            {"text": claim.quote, "cite": _cited(edition, claim.id)} for claim in claims if claim
        ],
    }


def _source(source: ReportedSource) -> Data:
    known = source.kind is not SourceKind.UNKNOWN
    return {
        "number": source.number,
        "title": source.title,
        "address": words.web_address(source.url),
        "where": source.url or source.path or "",
        "published": words.date(source.published) if source.published else "undated",
        "kind": source.kind.value if known else "kind unknown",
        "credibility": source.credibility,
        "score": f"{source.credibility:.2f}",
        "word": words.confidence_word(source.credibility),
        "factors": words.factors(source.factors),
        "reason": source.reason,
        "copies": list(source.copies),
    }

"""The words that both renderings of a report use for its values."""

import datetime as dt
import re
import textwrap
from urllib.parse import quote, urlsplit

from caveat.contracts.confidence import LedgerStep, Operation
from caveat.contracts.report import (
    Metrics,
    Remedy,
    Report,
    ReportedFailure,
    ReportedSource,
    ReportStatus,
    Revision,
)
from caveat.contracts.source import CredibilityFactor

BANDS = ((0.75, "high"), (0.50, "moderate"), (0.25, "low"), (0.0, "very low"))
"""Quarters of the scale, because its values are judgements and no finer word would be honest."""

PINPOINT_LIMIT = 44
"""Characters of a heading inside a citation: longer ones break the sentence that they stand in."""

ROW_LIMIT = 64
"""Characters of a label beside a chart: two lines; the source that it names is a click away."""

NO_PASSAGE = "No passage was found for this angle."
NO_CONTRADICTIONS = (
    "This run did not look for contradictions. Where sources disagree, their claims stand side by "
    "side in the sections above."
)
NO_GAPS = "Every search found sources, and every angle has passages."
NO_LIMITATIONS = "Nothing failed: every document and every source that was chosen could be read."

CHART = "Whiskers show the uncertainty that a source states; several are added in quadrature."


def row_label(label: str) -> str:
    """Shorten the label of a figure to what fits beside a chart."""
    return textwrap.shorten(label, ROW_LIMIT, placeholder=" …") or label[:ROW_LIMIT]


def confidence_word(value: float) -> str:
    """Say a confidence, 0 to 1, in a word."""
    return next(word for floor, word in BANDS if value >= floor)


def confidence(value: float) -> str:
    """Say a confidence as a number and a word, for example `0.82 (high)`."""
    return f"{value:.2f} ({confidence_word(value)})"


def date(day: dt.date) -> str:
    """Write a day as `14 March 2026`."""
    return f"{day.day} {day:%B %Y}"


def moment(when: dt.datetime) -> str:
    """Write a moment as `14 March 2026, 09:26 UTC`."""
    utc = when.astimezone(dt.UTC)
    return f"{date(utc)}, {utc:%H:%M} UTC"


def status(report: Report) -> str:
    """Say whether a report is final or provisional."""
    return {
        ReportStatus.FINAL: "Final report",
        ReportStatus.PROVISIONAL: "Provisional report: open contradictions may still change it",
    }[report.status]


def revises(revision: Revision) -> str:
    """Say which run a report revises."""
    if not revision.changes:
        return f"A revision of {revision.of}; nothing has changed."
    return f"A revision of {revision.of}; what has changed:"


_AFTERMATH = {
    None: "–",
    Remedy.REMAINING_WORK: "the rest was done again",
    Remedy.NARROWED: "tried again with fewer at once",
    Remedy.ALTERNATIVE: "another source or query was tried",
    Remedy.REFRESHED_CREDENTIALS: "credentials were refreshed",
    Remedy.LATER: "tried again later",
}


def aftermath(failed: ReportedFailure) -> str:
    """Say what was done about a failure and whether it was made good; a dash for nothing."""
    done = _AFTERMATH[failed.remedy]
    if not failed.recovered:
        return done if failed.remedy is None else f"{done}, in vain"
    return "made good" if failed.remedy is None else f"made good: {done}"


def attempts(failed: ReportedFailure) -> str:
    """Say how often a task was tried."""
    return str(failed.attempts) if failed.attempts else "not started"


def pinpoint(location: str | None) -> str | None:
    """Shorten a location for a citation: `p. 12`, or `§ Method` for the innermost heading."""
    if not location:
        return None
    page = re.fullmatch(r"(?:p\.|page)\s*(\d+)", location.strip(), re.IGNORECASE)
    if page:
        return f"p. {page[1]}"
    heading = " ".join(location.split(" › ")[-1].split())
    if len(heading) > PINPOINT_LIMIT:
        heading = heading[:PINPOINT_LIMIT].rsplit(" ", 1)[0].rstrip(" ,;:–-") + "…"
    return f"§ {heading}"


def web_address(address: str | None) -> str | None:
    """Return an address if it can be linked: http or https, with what could end a link encoded."""
    try:
        parts = urlsplit(address or "")
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        return None
    return quote(address or "", safe="%/:=&?~#+!$,;'@*")


def factors(made_of: tuple[CredibilityFactor, ...]) -> str:
    """Say what a credibility is made of."""
    return "; ".join(f"{factor.reason} {_signed(factor.amount)}" for factor in made_of)


def _signed(amount: float) -> str:
    return f"{'−' if amount < 0 else '+'}{abs(amount):.2f}"


def step(entry: LedgerStep) -> str:
    """Say what a ledger step does."""
    match entry.operation:
        case Operation.SET:
            return f"set to {entry.amount:.4g}"
        case Operation.SUBTRACT:
            return f"− {entry.amount:.4g}"
        case Operation.MULTIPLY:
            return f"× {entry.amount:.4g}"


def year(source: ReportedSource) -> str:
    """Name the year of a source, a dash when it is not known."""
    return str(source.published.year) if source.published else "–"


def duration(seconds: float) -> str:
    """Write seconds as `12.4 s`, `3 min 20 s` or `2 h 05 min`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def measures(metrics: Metrics) -> tuple[tuple[str, str], ...]:
    """Name the measures of a run, in the order in which people ask for them."""
    cost = "not known" if metrics.cost_usd is None else f"${metrics.cost_usd:.2f}"
    return (
        ("Sources found", str(metrics.sources_found)),
        ("Sources read", str(metrics.sources_read)),
        ("Sources an angle, on average", f"{metrics.sources_per_angle:g}"),
        ("Factual sentences with a citation", f"{metrics.citation_coverage:.0%}"),
        ("Quotes rejected because the source does not contain them", str(metrics.rejected_quotes)),
        ("Tasks that failed for an unknown reason", f"{metrics.unhandled_failure_rate:.1%}"),
        ("Failures made good", str(metrics.failures_recovered)),
        ("Time of the run", duration(metrics.pipeline_seconds)),
        ("Time waiting for people", duration(metrics.waiting_seconds)),
        ("Calls to a language model", str(metrics.model_calls)),
        ("Tokens", f"{metrics.tokens:,}"),
        ("Cost", cost),
    )

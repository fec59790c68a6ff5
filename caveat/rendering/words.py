"""The words that both renderings of a report use for its values."""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from urllib.parse import quote

from caveat.contracts.contradiction import Contradiction, GivenRuling, SideEvidence
from caveat.contracts.envelope import AgentType
from caveat.contracts.report import (
    Confidence,
    Method,
    Metrics,
    Operation,
    Remedy,
    Report,
    ReportedFailure,
    ReportedSource,
    ReportStatus,
    Revision,
)
from caveat.contracts.source import CredibilityFactor, Precision, SourceKind, SourceRef
from caveat.contracts.synthesis import Challenge, Debate, Stance
from caveat.quantities.dates import find_dates
from caveat.rendering.amounts import COST_UNKNOWN, format_count, format_duration, format_money
from caveat.rules.contradictions.choices import (
    describe_choice,
    describe_outcome,
    name_settler,
    parse_choice,
)
from caveat.rules.lines import join_names, shorten
from caveat.rules.sources.identity import parse_host

BANDS = ((0.75, "high"), (0.50, "moderate"), (0.25, "low"), (0.0, "very low"))
"""Quarters of the scale, because its values are judgements and no finer word would be honest."""

QUOTE_LIMIT = 150
"""Characters of a claim in the debate: enough to recognise it, for its source is a click away."""

NOTHING_USABLE = (
    "What was found for this angle is overruled or uncertain: the contradictions say why."
)
NONE_USED = "Passages were found for this angle, and none of them is used here."
BY_RULES = (
    "The claims were compared by rules alone, in place of the language model: figures, dates and "
    "names in sentences and table rows of like form. What a model would have seen is not here."
)
BY_BOTH = (
    "The language model compared the claims, and rules compared figures, dates and names in "
    "sentences and table rows of like form."
)
ONE_SOURCE = "Every claim comes from one source, so that there was nothing to compare."
NOT_COMPARED = (
    "The claims could not be compared, so that contradictions among them may have gone unseen."
)
NO_REMARKS = "No agent had anything to say about the claims that this report uses."
NO_ANSWER = "They are no answer, because no language model wrote one."
NO_SUMMARY = "Nothing that was found can be quoted here: the answer says why."
FIGURES = ("Stated in", "Value", "Side")
CHART = "Whiskers show the uncertainty that a source states; several are added in quadrature."


def describe_answer(report: Report) -> str:
    """Describe in a few words whether a question is answered, or what there is without a model."""
    if report.answered is None:
        none = "No passage stands." if report.claims else "Nothing found."
        return "Closest passages." if report.answer else none
    return {True: "Answered.", "partly": "Partly answered.", False: "Not answered."}[
        report.answered
    ]


def grade_confidence(value: float) -> str:
    return next(word for floor, word in BANDS if value >= floor)


def format_confidence(value: float) -> str:
    """Format a confidence with its grade, for example `0.82 (high)`."""
    return f"{value:.2f} ({grade_confidence(value)})"


def describe_confidence(confidence: Confidence) -> str:
    """Say how sure a report is, and what lowered that most."""
    lowered = [step for step in confidence.ledger if step.operation is not Operation.SET]
    steps = sorted(lowered, key=lambda step: step.after - step.before) or confidence.ledger
    why = f": {steps[0].reason.partition(';')[0]}" if steps else ""
    return f"{grade_confidence(confidence.value)} ({confidence.value:.2f}){why}"


def format_date(day: dt.date) -> str:
    """Format a day as `14 March 2026`."""
    return f"{day.day} {day:%B %Y}"


def format_publication_date(source: ReportedSource | SourceRef) -> str:
    day = source.published
    if day is None:
        return "undated"
    if source.precision is Precision.YEAR:
        return str(day.year)
    return f"{day:%B %Y}" if source.precision is Precision.MONTH else format_date(day)


def name_source(source: ReportedSource) -> str:
    """Name a source as it is cited: first author, its day unless in the title, title."""
    published = format_publication_date(source)
    written = [published] if source.published else _YEAR.findall(source.title)
    days = [each.iso for each in find_dates(source.title)]
    states = any(each in source.title for each in written) or str(source.published) in days
    day = "" if states else f" ({published})"
    if not source.authors or source.title.startswith(source.authors[0]):
        return f"{source.title}{day}"
    others = " and others" if len(source.authors) > 1 else ""
    return f"{source.authors[0]}{others}{day}. {source.title}"


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def name_voice(source: ReportedSource) -> str:
    """Name a source by author and year: `Riess 2022`; without an author by title."""
    year = str(source.published.year) if source.published else ""
    if not source.authors:
        return name_title(source)
    names = [each.partition(" (")[0].split() for each in source.authors]
    parts = names[0]
    # Without an initial nobody can tell the name of a person from that of a body; one that ends
    # with an initial is a body's: "Ruderverein e. V."
    people = [name for name in names if not any(map(_INITIAL.fullmatch, name[-1:]))]
    is_person = any(_INITIAL.fullmatch(part) for name in people for part in name)
    first = -2 if len(parts) == 3 and _PARTICLE.fullmatch(parts[1]) else -1
    is_short = is_person and parts in people and 1 < len(parts) < 4
    surname = " ".join(parts[first:]) if is_short else shorten(" ".join(parts), _VOICE)
    return f"{surname} {year}".strip()


def name_title(source: ReportedSource) -> str:
    return shorten(source.title, _VOICE)


_VOICE = 30  # characters of a name next to a value
_INITIAL = re.compile(r"[^\W\d_]\.(?:-?[^\W\d_]\.)*")
_PARTICLE = re.compile(r"[A-Z][a-z]")  # of "Di Valentino"; an initial has a full stop


def format_datetime(when: dt.datetime) -> str:
    """Format a moment as `14 March 2026, 09:26 UTC`."""
    utc = when.astimezone(dt.UTC)
    return f"{format_date(utc)}, {utc:%H:%M} UTC"


def extract_number(contradiction_id: str) -> str:
    return contradiction_id.removeprefix("contradiction-")


def describe_resolution(contradiction: Contradiction) -> str:
    holds = f": {describe_outcome(contradiction)}" if contradiction.ruling is not None else ""
    return f"{describe_settlement(contradiction)}{holds}"


def describe_settlement(contradiction: Contradiction) -> str:
    if contradiction.is_open:
        if contradiction.deadline is None:
            side = "" if contradiction.affects_answer else ", as the answer does not depend on it"
            return f"Open: nobody was asked{side}"
        return f"Open: awaits a person until {format_datetime(contradiction.deadline)}"
    if contradiction.ruling is None:
        gone = "The ruling was withdrawn" if contradiction.rulings else "Nobody could settle it"
        return f"{gone}: it needs review by a person"
    when = f" on {format_datetime(contradiction.decided)}" if contradiction.decided else ""
    again = contradiction.reused
    where = f" in {again.run_id}, on the same words and period" if again else ""
    return f"Settled by {name_settler(contradiction)}{when}{where}"


def list_rulings(rulings: Sequence[GivenRuling], values: int) -> Iterator[str]:
    before: str | None = None
    for each in rulings:
        who = each.decided_by + (" (not signed)" if each.signed is False else "")
        where = f" in {each.run_id}" if each.run_id else ""
        if each.choice is None:
            did = f"withdrew the ruling that {describe_choice(before or 'none', values)}"
        else:
            instead = f", and no longer that {describe_choice(before, values)}" if before else ""
            did = f"ruled that {describe_choice(each.choice, values)}{instead}"
        yield f"{format_datetime(each.decided)}{where}: {who} {did}. “{each.reason}”"
        before = each.choice


def describe_values(contradiction: Contradiction) -> tuple[str, ...]:
    values = len(contradiction.sides)
    if contradiction.ruling is None:
        return ("" if contradiction.is_undecided else "uncertain, not used",) * values
    upheld = parse_choice(contradiction.ruling, values)
    holds = "holds in its own scope" if sum(upheld) > 1 else "holds"
    return tuple(holds if each else "overruled, not used" for each in upheld)


def end_sentence(text: str) -> str:
    return text if text.rstrip("”").endswith((".", "?", "!", "…")) else f"{text}."


def describe_compared(report: Report) -> str:
    """Say what was compared if nothing differs; never that nothing does."""
    failed = any(
        each.agent_type == AgentType.DETECTOR and not each.recovered for each in report.failures
    )
    if failed or report.methods.comparison is Method.NONE:
        return NOT_COMPARED
    if untold := report.methods.untold:
        others = format_count(untold, "open contradiction")
        return f"The run that was asked has {others}, of which this answer says nothing."
    if len({claim.source_id for claim in report.claims}) < 2:
        return ONE_SOURCE if report.claims else ""
    claims = format_count(len(report.claims), "claim")
    if not report.reasoner.uses_language_model:
        return (
            f"Caveat compared figures, dates and names in {claims}: in sentences and table rows of "
            "like form alone."
        )
    by_model = describe_comparison(report) or f"The language model compared {claims}."
    return f"No contradiction was seen. {by_model}"


def describe_comparison(report: Report) -> str:
    """Describe how claims were compared; empty for a model alone."""
    return {Method.RULES: BY_RULES, Method.BOTH: BY_BOTH}.get(report.methods.comparison, "")


def describe_debaters(debate: Debate) -> str:
    """Name the participants of the debate, and who was missing."""
    present = join_names([f"the {name}" for name in debate.present]) if debate.present else "nobody"
    sentences = [f"{present[0].upper()}{present[1:]} examined the claims."]
    if debate.missing:
        missing = join_names([f"the {name}" for name in debate.missing])
        sentences.append(f"What {missing} would have said is missing.")
    if debate.present:
        sentences.append(
            "Of what they said, the most telling about claims that this report uses is shown."
        )
    return " ".join(sentences)


def describe_backing(side: SideEvidence) -> tuple[str, ...]:
    """Describe the other sources of a value, in their own words."""
    return tuple(
        f"{each.source}{f' ({each.year})' if each.year else ''}: “{each.quote}”"
        for each in side.backing
    )


def describe_side(side: SideEvidence) -> tuple[str, str, str, str]:
    """Describe the support of a side: value, voices, quote, source, credibility."""
    from caveat.rules.contradictions.ladder import format_credibility  # noqa: PLC0415  # loads rules

    record, source = side.track_record, side.source
    value = f"{side.value} ({side.scope})" if side.value and side.scope else side.value
    upheld = f"upheld {record.upheld} of {record.ruled} times" if record.ruled else "never ruled on"
    origin = (source.title, str(source.published or ""), source.url or source.path)
    return (
        " · ".join(filter(None, (value, format_source_count(side.corroboration), upheld))),
        f"“{side.claim.quote}”",
        " · ".join(filter(None, origin)),
        f"credibility {format_credibility(side)}",
    )


def describe_attempts(contradiction: Contradiction) -> tuple[str, ...]:
    return tuple(
        f"{each.rung.replace('_', ' ').capitalize()}: {each.reason}" for each in contradiction.steps
    )


def describe_speaker(remark: Challenge) -> str:
    """Describe who makes a remark, for or against the claim."""
    side = "for" if remark.stance is Stance.SUPPORTS else "against"
    return f"{remark.raised_by.capitalize()}, {side}:"


FURTHER = "Further passages"


def describe_status(report: Report) -> str:
    return {
        ReportStatus.FINAL: "Final report",
        ReportStatus.PROVISIONAL: "Provisional report: open contradictions may still change it",
    }[report.status]


def describe_revision(revision: Revision) -> str:
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


def describe_remedy(failed: ReportedFailure) -> str:
    """Describe the remedy for a failure and its success; a dash for none."""
    done = _AFTERMATH[failed.remedy]
    if not failed.recovered:
        rest = f"; {failed.completeness:.0%} of it is kept" if failed.completeness else ""
        return f"{done}{rest}" if failed.remedy is None else f"{done}, in vain{rest}"
    return "made good" if failed.remedy is None else f"made good: {done}"


def describe_reading(source: ReportedSource) -> str:
    if source.read_at is not None:
        return f"Read at {source.read_at} instead: it could not be had at its own address."
    return ""


def sanitize_address(address: str | None) -> str | None:
    """Return an http or https address with link-ending signs encoded, or nothing."""
    # A document says itself where it is from, so an address inside the reader's own network, which
    # one click would call, stays text.
    host = parse_host(address)
    if not host or _is_local(host):
        return None
    return quote(address or "", safe="%/:=&?~#+!$,;'@*")


_LOCAL = frozenset({
    *("localhost", "localdomain", "local", "internal", "arpa"),
    *("home", "lan", "intranet", "corp", "private"),
})  # fmt: skip
"""Last names that no registry hands out: reserved (RFC 6761, 6762 and 8375, and `.internal` by
ICANN), or never to be delegated because networks use them for themselves."""


def _is_local(host: str) -> bool:
    """Whether a host is this machine, on its network, or a non-public number."""
    # Browsers take 127.1, 0x7f000001 and 2130706433 for addresses, too, and other alphabets' digits
    # and letters for their own. A name without a dot is looked up in the reader's own network.
    name = unicodedata.normalize("NFKC", host).lower()
    try:
        return not ip_address(name).is_global
    except ValueError:
        _, dot, last = name.rpartition(".")
        return not dot or last in _LOCAL or bool(re.fullmatch(r"\d+|0x[0-9a-f]*", last))


def format_source_count(sources: int) -> str:
    return "one source" if sources == 1 else f"{sources} independent sources"


def describe_source(source: ReportedSource, *, rated: bool) -> str:
    """Describe a source behind its name, with its credibility unless the appendix has it."""
    known = (
        source.path if source.path != source.title else "",
        "" if sanitize_address(source.url) else source.url,
        "" if source.kind is SourceKind.UNKNOWN else str(source.kind),
        f"credibility {source.credibility:.2f}" if rated else "",
    )
    return "".join(f", {each}" for each in known if each)


def describe_factor(factor: CredibilityFactor) -> str:
    is_own_word = factor.self_stated and not factor.reason.endswith(f": {SourceKind.UNKNOWN}")
    note = " (says the document itself)" if is_own_word else ""
    amount = f"{factor.amount:+.2f}".replace("-", "−")
    return f"{factor.reason}{note} {amount}"


def list_measures(metrics: Metrics) -> tuple[tuple[str, str], ...]:
    """List the measures of a run, in the order of interest; what is nothing is left out."""
    cost = COST_UNKNOWN if metrics.cost_usd is None else format_money(metrics.cost_usd)
    share = metrics.citations_supported
    verified = () if share is None else (("Of these verified, or quotes", f"{share:.0%}"),)
    measures = (
        ("Sources found", str(metrics.sources_found)),
        ("Sources read", str(metrics.sources_read)),
        ("Sources an angle, on average", f"{metrics.sources_per_angle:g}"),
        ("Factual sentences with a citation", f"{metrics.citation_coverage:.0%}"),
        *verified,
        ("Quotes rejected: not in the source, or orders", str(metrics.rejected_quotes)),
        ("Tasks done whole, recovered ones included", f"{metrics.success_rate:.1%}"),
        ("Tasks that failed for an unknown reason", f"{metrics.unhandled_failure_rate:.1%}"),
        ("Failures made good", str(metrics.failures_recovered)),
        ("Time of the run", format_duration(metrics.pipeline_seconds)),
        ("Time waiting for people and providers", format_duration(metrics.waiting_seconds)),
        ("Calls to a language model", str(metrics.model_calls)),
        ("Tokens", f"{metrics.tokens:,}"),
        ("Cost", cost if metrics.model_calls else "0"),
    )
    return tuple(each for each in measures if each[1] not in {"0", "0.0%", "0.0 s"})

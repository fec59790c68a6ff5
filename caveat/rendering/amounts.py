"""Amounts in words: numbers of things, spans of time, money, and what model calls took."""

from datetime import timedelta

from caveat.contracts.audit import Audit
from caveat.contracts.phase import Spending
from caveat.rules.lines import join_names

_UNITS = (("days", 86_400), ("h", 3_600), ("min", 60), ("s", 1))

_CENT = 0.01

COST_UNKNOWN = "not known, because the price of a model that was called is not known"


def format_count(number: int, noun: str) -> str:
    """Format a number with its noun, for example `1 claim` or `1,204 claims`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def list_checked(audit: Audit) -> str:
    """List what an audit checked, without the kinds of which there were none."""
    counts = {
        "quote": audit.quotes,
        "citation": audit.citations,
        "number": audit.numbers,
        "confidence step": audit.steps,
        "contradiction": audit.contradictions,
    }
    named = [format_count(count, noun) for noun, count in counts.items() if count]
    return join_names(named) if named else "nothing"


def format_span(span: timedelta) -> str:
    """Format a span to the second, as `5 h 30 min`; at least a second."""
    left = max(1, int(span.total_seconds()))
    parts = []
    for unit, seconds in _UNITS:
        count, left = divmod(left, seconds)
        if count:
            parts.append(f"{count} {unit if count > 1 or unit != 'days' else 'day'}")
    return " ".join(parts)


def format_duration(seconds: float) -> str:
    """Format a duration, as `12.4 s` or `3 min 20 s`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return format_span(timedelta(seconds=round(seconds)))


def format_money(dollars: float) -> str:
    """Format US dollars as `$2.76`; a fraction of a cent is never zero."""
    if 0 < dollars < _CENT:
        return f"less than ${_CENT:.2f}"
    return f"${dollars:,.2f}"


def format_spending(spent: Spending) -> str:
    """Format what was spent, for example `12 model calls · 34,000 tokens · $0.21`."""
    cost = f"cost {COST_UNKNOWN}" if spent.cost_usd is None else format_money(spent.cost_usd)
    return f"{format_count(spent.model_calls, 'model call')} · {spent.tokens:,} tokens · {cost}"

"""What a run counts for whoever watches many of them; replays count nothing twice."""

from temporalio import workflow
from temporalio.common import MetricCounter

from caveat.contracts.envelope import Usage
from caveat.contracts.report import Metrics, ReportedFailure

_LABELS = frozenset({"ending", "by", "phase", "status"})
"""Facts of an event that have a few values each and hold nobody's words."""


def count_event(name: str, **facts: str | None) -> None:
    """Count what happened to a run, for example `run.ended` with its ending."""
    labels = {key: value for key, value in facts.items() if key in _LABELS and value is not None}
    _counter("caveat_events", "What happened to runs").add(1, {"event": name, **labels})


def count_failure(failed: ReportedFailure) -> None:
    """Count a failure by what it was, whose it was, and whether something was done about it."""
    labels = {
        "type": str(failed.failure.failure_type),
        "category": str(failed.failure.category),
        "role": str(failed.agent_type),
        "recovered": str(failed.recovered).lower(),
    }
    _counter("caveat_failures", "Tasks that failed, with those made good").add(1, labels)


def count_usage(usage: Usage, role: str) -> None:
    """Count what a task took of language models; nothing where it asked none."""
    if not usage.model_calls:
        return
    labels = {"role": role}
    _counter("caveat_model_calls", "Calls to language models").add(usage.model_calls, labels)
    tokens = _counter("caveat_tokens", "Tokens of language models")
    tokens.add(usage.input_tokens, {**labels, "direction": "input"})
    tokens.add(usage.output_tokens, {**labels, "direction": "output"})
    if usage.cost_usd is not None:
        meter = workflow.metric_meter()
        spent = meter.create_histogram_float("caveat_cost_usd", "Cost of a task", "USD")
        spent.record(usage.cost_usd, labels)


def count_report(metrics: Metrics) -> None:
    """Count what code threw away before a report was written."""
    rejected = _counter("caveat_quotes_rejected", "Quotes that their source does not say")
    rejected.add(metrics.rejected_quotes)


def _counter(name: str, description: str) -> MetricCounter:
    return workflow.metric_meter().create_counter(name, description)

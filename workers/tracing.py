"""Traces: every run is one, from the command that starts it to each call of a model.

Imported only where OpenTelemetry's own variables name a collector: `caveat[otel]` is its extra. The
spans of model calls are the anthropic SDK's own (`caveat.adapters.claude.messages.connection`).
"""

import os
from functools import cache

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import set_tracer_provider
from temporalio.contrib.opentelemetry import OpenTelemetryPlugin, create_tracer_provider

_LOOKS = ("QueryWorkflow:", "HandleQuery:")
"""Beginnings of the names of spans that nobody wants: a client that follows a run looks five times
a second, and each look would be a trace."""


class _Deeds(BatchSpanProcessor):
    """Exports what was done, and not who looked."""

    def on_end(self, span: ReadableSpan) -> None:
        if not span.name.startswith(_LOOKS):
            super().on_end(span)


@cache
def create_plugin() -> OpenTelemetryPlugin:
    """Set this process up to export its spans, once, and return what makes a client send them."""
    # What was not exported yet is when the process ends.
    provider = create_tracer_provider(resource=Resource.create(_build_attributes()))
    provider.add_span_processor(_Deeds(OTLPSpanExporter()))
    set_tracer_provider(provider)
    return OpenTelemetryPlugin(add_temporal_spans=True)


def _build_attributes() -> dict[str, str]:
    named = "OTEL_SERVICE_NAME" in os.environ
    attributes = os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return {} if named or "service.name=" in attributes else {"service.name": "caveat"}

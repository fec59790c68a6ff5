"""A collector of OpenTelemetry: takes what is exported over HTTP, as the protocol has it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Collector:
    """Spans that arrived.

    Attributes:
        url: what `OTEL_EXPORTER_OTLP_ENDPOINT` is set to.
        services: names of the services that they are of.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.services: set[str] = set()
        self._spans: list[Span] = []

    def take(self, path: str, body: bytes) -> None:
        """Take one export."""
        assert path == "/v1/traces"
        for each in ExportTraceServiceRequest.FromString(body).resource_spans:
            named = {one.key: one.value.string_value for one in each.resource.attributes}
            self.services.add(named["service.name"])
            for scope in each.scope_spans:
                self._spans.extend(scope.spans)

    @property
    def spans(self) -> list[Span]:
        """All of them, in the order in which they ended."""
        return sorted(self._spans, key=lambda span: span.end_time_unix_nano)

    def named(self, name: str) -> list[Span]:
        """Those of one name."""
        return [span for span in self.spans if span.name == name]

    def above(self, span: Span) -> list[Span]:
        """The spans that one is in, the nearest first."""
        by_id = {each.span_id: each for each in self._spans}
        found = []
        while span.parent_span_id:
            span = by_id[span.parent_span_id]
            found.append(span)
        return found


def facts(span: Span) -> dict[str, str | int]:
    """What a span says."""
    return {each.key: each.value.int_value or each.value.string_value for each in span.attributes}


@contextmanager
def collector() -> Iterator[Collector]:
    """Run one."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the base class's names
            body = self.rfile.read(int(self.headers["Content-Length"]))
            taken.take(self.path, body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        taken = Collector(f"http://127.0.0.1:{server.server_address[1]}")
        serving = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        serving.start()
        try:
            yield taken
        finally:
            server.shutdown()
            serving.join()

"""Traces, as a collector of OpenTelemetry receives them from the real command."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.fakes.claude_cast import Cast
from tests.fakes.claude_corpus import TOPIC, write_corpus
from tests.fakes.home import Home
from tests.fakes.messages_api import KEY, StandIn, stand_in
from tests.fakes.web import serving, status


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
        assert path == "/v1/traces"
        for each in ExportTraceServiceRequest.FromString(body).resource_spans:
            named = {one.key: one.value.string_value for one in each.resource.attributes}
            self.services.add(named["service.name"])
            for scope in each.scope_spans:
                self._spans.extend(scope.spans)

    @property
    def spans(self) -> list[Span]:
        return sorted(self._spans, key=lambda span: span.end_time_unix_nano)

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]

    def above(self, span: Span) -> list[Span]:
        by_id = {each.span_id: each for each in self._spans}
        found = []
        while span.parent_span_id:
            span = by_id[span.parent_span_id]
            found.append(span)
        return found


def facts(span: Span) -> dict[str, str | int]:
    return {each.key: each.value.int_value or each.value.string_value for each in span.attributes}


pytestmark = pytest.mark.system


@pytest.fixture
async def api() -> AsyncIterator[StandIn]:
    async with stand_in(model=Cast()) as api:
        yield api


@pytest.fixture
def collected() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the base class's names
            taken.take(self.path, self.rfile.read(int(self.headers["Content-Length"])))
            status(200)(self)

        def log_message(self, *_: object) -> None: ...

    with serving(Handler) as port:
        taken = Collector(f"http://127.0.0.1:{port}")
        yield taken


@pytest.fixture
def home(home: Home, api: StandIn, collected: Collector) -> Home:
    write_corpus(home.folder / "bridge")
    home.environment |= {
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": api.url,
        # What was said must not leave, whoever asks for it.
        "ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE": "content",
        "OTEL_EXPORTER_OTLP_ENDPOINT": collected.url,
    }
    return home


async def test_a_run_is_one_trace_of_the_command_and_each_call_without_what_was_said(
    home: Home, api: StandIn, collected: Collector
) -> None:
    done = await asyncio.to_thread(home.caveat_anew, "research", TOPIC, "--corpus", "bridge")
    assert done.returncode == 0, done.stderr
    (run_id,) = [line.split()[1] for line in done.stderr.splitlines() if line.startswith("Run ")]
    asked = len(api.requests)
    # Another process takes the run over: it replays what was done, and does the rest.
    ruled = await asyncio.to_thread(
        home.caveat_anew, "rule", f"{run_id}/contradiction-1", "a", "--because", "Measured."
    )
    assert ruled.returncode == 0, ruled.stderr

    assert collected.services == {"caveat"}
    # A busy machine may attempt the first workflow task twice: each attempt is a span.
    runs = collected.named("RunWorkflow:Research")
    assert runs
    for run in runs:
        assert [each.name for each in collected.above(run)] == ["StartWorkflow:Research"]
        assert facts(run)["temporalWorkflowID"] == run_id
    # One that was cut off before it was sent names no model.
    sent = collected.named("anthropic.messages.create")
    calls = [each for each in sent if facts(each).get("gen_ai.request.model")]
    assert len(calls) == len(api.requests) >= asked
    for call in calls:
        above = [each.name for each in collected.above(call)]
        assert above[0].startswith("RunActivity:")
        assert above[-2:] == ["RunWorkflow:Research", "StartWorkflow:Research"]
        said = facts(call)
        assert str(said["gen_ai.request.model"]).startswith("claude-")
        assert int(said["gen_ai.usage.input_tokens"]) > 0
        assert int(said["gen_ai.usage.output_tokens"]) > 0
        assert said["anthropic.message.stop_reason"] == "end_turn"
    assert {"RunActivity:plan", "RunActivity:synthesise"} <= {
        collected.above(call)[0].name for call in calls
    }
    assert max(Counter(each.span_id for each in collected.spans).values()) == 1
    assert not [each.name for each in collected.spans if "Query" in each.name]
    exported = "\n".join(map(str, collected.spans))
    for words in (KEY, TOPIC, "steel tape", "bakery", "You are"):
        assert words not in exported

"""Every way in which the Messages API can fail, and what each is called."""

from typing import NamedTuple

from caveat.contracts.envelope import FailureCategory, FailureType
from tests.fakes.messages_api import Breaks, Fails, Says, Scripted, Serves, Stalls, StreamError

TRANSIENT, VALIDATION = FailureCategory.TRANSIENT, FailureCategory.VALIDATION
BUSINESS, UNKNOWN = FailureCategory.BUSINESS, FailureCategory.UNKNOWN
PERMISSION = FailureCategory.PERMISSION
TIMEOUT, RATE_LIMITED = FailureType.TIMEOUT, FailureType.RATE_LIMITED
UNAVAILABLE, AUTH_ERROR = FailureType.UNAVAILABLE, FailureType.AUTH_ERROR
NOT_FOUND, PERMANENT = FailureType.NOT_FOUND, FailureType.PERMANENT

START = (
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message",'
    b'"role":"assistant","model":"claude-sonnet-5-5","content":[],"stop_reason":null,'
    b'"usage":{"input_tokens":7,"output_tokens":1}}}\n\n'
)


class Row(NamedTuple):
    name: str
    scripted: Scripted
    category: FailureCategory
    failure_type: FailureType
    provider: str | None = "anthropic"


ROWS = [
    Row("400", Fails(400, "invalid_request_error"), VALIDATION, PERMANENT),
    Row("413", Fails(413, "request_too_large"), VALIDATION, PERMANENT, None),
    Row("422", Fails(422, "invalid_request_error"), VALIDATION, PERMANENT),
    Row("501", Fails(501), VALIDATION, PERMANENT),
    Row("401", Fails(401, "authentication_error"), PERMISSION, AUTH_ERROR),
    Row("403", Fails(403, "permission_error"), PERMISSION, AUTH_ERROR),
    Row("402", Fails(402, "billing_error"), BUSINESS, PERMANENT),
    Row(
        "429-spent",
        Fails(429, "rate_limit_error", "enforced_spend_limit_reached"),
        BUSINESS,
        PERMANENT,
    ),
    Row(
        "429-contract",
        Fails(429, "rate_limit_error", "contract_spend_limit_reached"),
        BUSINESS,
        PERMANENT,
    ),
    Row("400-hold", Fails(400, code="organization_on_hold"), BUSINESS, PERMANENT),
    Row("404", Fails(404, "not_found_error"), BUSINESS, NOT_FOUND),
    Row("408", Fails(408, "timeout_error"), TRANSIENT, TIMEOUT),
    Row("504", Fails(504, "timeout_error"), TRANSIENT, TIMEOUT),
    Row("silent before the headers", Stalls(), TRANSIENT, TIMEOUT),
    Row("silent in the stream", Stalls(after=3), TRANSIENT, TIMEOUT),
    Row("429", Fails(429, "rate_limit_error"), TRANSIENT, RATE_LIMITED),
    Row("429-ramp", Fails(429, code="ramp_limit_exceeded"), TRANSIENT, RATE_LIMITED),
    Row("529", Fails(529, "overloaded_error"), TRANSIENT, RATE_LIMITED),
    Row("409", Fails(409, "conflict_error"), TRANSIENT, UNAVAILABLE),
    Row("500", Fails(500), TRANSIENT, UNAVAILABLE),
    Row("502", Fails(502), TRANSIENT, UNAVAILABLE),
    Row("503", Fails(503), TRANSIENT, UNAVAILABLE),
    Row("dropped before the headers", Breaks(), TRANSIENT, UNAVAILABLE),
    Row("dropped in the stream", Breaks(after=3), TRANSIENT, UNAVAILABLE),
    Row("a proxy's page", Serves(b"<html>", "text/html"), TRANSIENT, UNAVAILABLE),
    Row("no event", Serves(b""), TRANSIENT, UNAVAILABLE),
    Row("broken JSON", Serves(START + b"event: x\ndata: {\n\n"), TRANSIENT, UNAVAILABLE),
    Row("broken UTF-8", Serves(START + b"event: x\ndata: \xff\n\n"), TRANSIENT, UNAVAILABLE),
    Row("early end", Serves(START), TRANSIENT, UNAVAILABLE),
    Row("no stop reason", Says("Yes", stop_reason=None), TRANSIENT, UNAVAILABLE),
    Row("error event: overloaded", StreamError("overloaded_error"), TRANSIENT, RATE_LIMITED),
    Row("error event: api", StreamError("api_error"), TRANSIENT, UNAVAILABLE),
    Row("error event: timeout", StreamError("timeout_error"), TRANSIENT, TIMEOUT),
    Row("error event: billing", StreamError("billing_error"), BUSINESS, PERMANENT),
    Row("error event: strange", StreamError("strange_error"), UNKNOWN, PERMANENT),
    Row("418", Fails(418, "strange_error"), UNKNOWN, PERMANENT),
    Row("not a stream", Serves(b'{"id": "m"}', "application/json"), UNKNOWN, PERMANENT),
    Row(
        "a message of nothing",
        Serves(b'event: message_start\ndata: {"type":"message_start","message":{}}\n\n'),
        UNKNOWN,
        PERMANENT,
    ),
    Row("an event of nothing", Serves(START + b"event: x\ndata: []\n\n"), UNKNOWN, PERMANENT),
    Row(
        "a block out of order",
        Serves(
            START + b'event: content_block_delta\ndata: {"type":"content_block_delta","index":3,'
            b'"delta":{"type":"text_delta","text":"x"}}\n\n'
        ),
        UNKNOWN,
        PERMANENT,
    ),
    Row("refusal", Says("No.", "refusal"), BUSINESS, PERMANENT, None),
    Row("context", Says("", "model_context_window_exceeded"), VALIDATION, PERMANENT, None),
    Row("tool", Says("", "tool_use"), VALIDATION, PERMANENT, None),
    Row("strange stop", Says("", "because"), UNKNOWN, PERMANENT),
]

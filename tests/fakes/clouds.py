"""The wires of Bedrock, Vertex and Foundry, for the stand-in of the Messages API behind them.

Written from the vendors' public documentation and from what the SDK's clients send; not recorded.
"""

import base64
import hashlib
import hmac
import json
import re
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from tests.fakes.messages_api import Fails, Recorded, Wire

REGION = "eu-central-1"
ACCESS_KEY = "AKIASTANDIN000000001"
SECRET_KEY = "stand-in/secret+key/0123456789abcdefghij"  # noqa: S105  # of no account
SESSION = "stand-in-session-token"
BEARER = "bedrock-api-key-stand-in"
PROJECT = "stand-in-project"
TOKEN = "ya29.stand-in-token"  # noqa: S105  # of no account
FOUNDRY_KEY = "foundry-stand-in-key"


@dataclass(frozen=True)
class Bedrock(Wire):
    """`InvokeModel` and `InvokeModelWithResponseStream`, signed or with a Bedrock API key."""

    def read(self, request: Recorded, key: str) -> Recorded | Fails:
        found = re.fullmatch(r"/model/([^/]+)/(invoke|invoke-with-response-stream)", request.path)
        if found is None:
            return Fails(404, "UnknownOperationException")
        refusal = self._refusal(request, key)
        if refusal is not None:
            return refusal
        if "model" in request.body or "stream" in request.body:
            return Fails(400, "ValidationException")
        streams = found[2] == "invoke-with-response-stream"
        return _as_message(request, unquote(found[1]), streams=streams)

    def failure(self, fails: Fails) -> tuple[dict[str, str], Any]:
        return {"x-amzn-errortype": f"{fails.type}:http://internal.amazon.com/"}, {
            "message": fails.message
        }

    def stream(self, events: Iterable[tuple[str, Any]]) -> tuple[str, Iterable[bytes]]:
        return "application/vnd.amazon.eventstream", map(_frame, events)

    def _refusal(self, request: Recorded, key: str) -> Fails | None:
        said = request.headers.get("authorization", "")
        if said.startswith("Bearer "):
            right = said == f"Bearer {key}"
        elif request.headers.get("x-amz-security-token", SESSION) != SESSION:
            return Fails(403, "ExpiredTokenException")
        else:
            right = said == self._signed(request)
        return None if right else Fails(403, "UnrecognizedClientException")

    def _signed(self, request: Recorded) -> str:
        """Work out what the header must be: AWS's Signature Version 4, step by step."""
        said = request.headers.get("authorization", "")
        named = re.search(r"SignedHeaders=([^,]+)", said)
        day = request.headers.get("x-amz-date", "")
        headers = named[1] if named else "host;x-amz-date"
        lines = [
            f"{name}:{' '.join(request.headers.get(name, '').split())}"
            for name in headers.split(";")
        ]
        canonical = "\n".join(
            [
                "POST",
                quote(urlsplit(request.path).path, safe="/~"),
                "",
                *lines,
                "",
                headers,
                hashlib.sha256(request.raw).hexdigest(),
            ]
        )
        scope = f"{day[:8]}/{REGION}/bedrock/aws4_request"
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{day}\n{scope}\n{digest}"
        key = f"AWS4{SECRET_KEY}".encode()
        for part in scope.split("/"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        return (
            f"AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/{scope}, SignedHeaders={headers}, "
            f"Signature={signature}"
        )


@dataclass(frozen=True)
class Vertex(Wire):
    """`rawPredict` and `streamRawPredict`, and Google's own server of tokens at `/token`."""

    def other(self, request: Recorded) -> tuple[int, Any] | None:
        if request.path != "/token":
            return None
        if b"grant-type%3Ajwt-bearer" not in request.raw:
            return 400, {"error": "unsupported_grant_type"}
        return 200, {"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"}

    def read(self, request: Recorded, key: str) -> Recorded | Fails:
        place = f"/v1/projects/{PROJECT}/locations/{REGION}/publishers/anthropic/models/"
        found = re.fullmatch(
            re.escape(place) + r"([^/]+):(rawPredict|streamRawPredict)", request.path
        )
        if found is None:
            return Fails(404, "NOT_FOUND")
        if request.headers.get("authorization") != f"Bearer {key}":
            return Fails(401, "UNAUTHENTICATED")
        streams = found[2] == "streamRawPredict"
        if "model" in request.body or bool(request.body.get("stream")) != streams:
            return Fails(400, "INVALID_ARGUMENT")
        return _as_message(request, unquote(found[1]), streams=streams)

    def failure(self, fails: Fails) -> tuple[dict[str, str], Any]:
        error = {"code": fails.status, "message": fails.message, "status": fails.type}
        if fails.code is not None:
            kind = "type.googleapis.com/google.rpc.ErrorInfo"
            error["details"] = [{"@type": kind, "reason": fails.code}]
        return {}, {"error": error}


@dataclass(frozen=True)
class Foundry(Wire):
    """The Messages API under `/anthropic`, with Azure's header."""

    def read(self, request: Recorded, key: str) -> Recorded | Fails:
        if request.path != "/anthropic/v1/messages":
            return Fails(404, "404")
        is_keyed = request.headers.get("api-key") == key == request.headers.get("x-api-key")
        return request if is_keyed else Fails(401, "401")

    def failure(self, fails: Fails) -> tuple[dict[str, str], Any]:
        return {}, {"error": {"code": fails.type, "message": fails.message}}


def _as_message(request: Recorded, model: str, *, streams: bool) -> Recorded:
    """Write a request as the Messages API has it, whose rules hold for the rest of it."""
    body = {name: value for name, value in request.body.items() if name != "anthropic_version"}
    headers = dict(request.headers)
    if "anthropic_version" in request.body:
        headers["anthropic-version"] = request.body["anthropic_version"]
    body |= {"model": model, "stream": streams}
    return replace(request, headers=headers, body=body)


def _frame(event: tuple[str, Any]) -> bytes:
    """Put an event into a frame of AWS's event streams, with both of its checksums."""
    name, data = event
    if name == "error":
        kind = data["error"]["type"]
        headers = {":exception-type": kind, ":message-type": "exception"}
        payload = json.dumps({"message": data["error"]["message"]}).encode()
    else:
        headers = {":event-type": "chunk", ":message-type": "event"}
        written = base64.b64encode(json.dumps(data).encode()).decode()
        payload = json.dumps({"bytes": written}).encode()
    return frame({**headers, ":content-type": "application/json"}, payload)


def frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    written = b"".join(
        struct.pack("!B", len(name))
        + name.encode()
        + struct.pack("!BH", 7, len(value))
        + value.encode()
        for name, value in headers.items()
    )
    prelude = struct.pack("!II", len(written) + len(payload) + 16, len(written))
    head = prelude + struct.pack("!I", zlib.crc32(prelude))
    whole = head + written + payload
    return whole + struct.pack("!I", zlib.crc32(whole))

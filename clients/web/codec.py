"""The codec server: what the Web UI and the `temporal` program ask to show what is encrypted.

It speaks Temporal's protocol: `POST /codec/decode`, `/codec/encode` and `/codec/download` with
`{"payloads": [...]}`, answered in kind; with `?preserveStorageRefs=true` what lies beside the
history is not fetched, and somebody who wants to see it downloads it. Who may ask is the page's own
rule; from which other origin, `Gate.codec_origins`.
"""

import json
from collections.abc import Collection

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from temporalio.api.common.v1 import Payload, Payloads
from temporalio.converter import DataConverter

from caveat.clients.web.admission import CODEC
from caveat.clients.web.pages import get_service
from caveat.failures import PortFailure
from caveat.problem import Problem
from caveat.workers.codec import LOST
from caveat.workers.data import CarefulStorage

_HEADERS = ("content-type", "x-namespace", "authorization", "authorization-extras")
"""What the Web UI sends along."""


def build_codec(origins: Collection[str]) -> Mount:
    """Make what answers for a codec, to Web UIs of these origins."""
    sharing = Middleware(
        CORSMiddleware,
        allow_origins=sorted(origins),
        allow_methods=["POST"],
        allow_headers=_HEADERS,
        allow_credentials=True,
    )
    names = ("/decode", "/download", "/encode")
    routes = [Route(name, _change_payloads, methods=["POST"]) for name in names]
    return Mount(CODEC, routes=routes, middleware=[sharing])


async def _change_payloads(request: Request) -> Response:
    try:
        sent = ParseDict({**await request.json()}, Payloads(), ignore_unknown_fields=True)
    except (TypeError, ValueError, ParseError, RecursionError):
        return PlainTextResponse("A codec takes Temporal's payloads as JSON.\n", 400)
    converter = get_service(request).connection.client.data_converter
    if request.url.path.endswith("/encode"):
        codec = converter.payload_codec
        changed = await codec.encode(sent.payloads) if codec else sent.payloads
    else:
        keeps = request.query_params.get("preserveStorageRefs", "").lower() == "true"
        fetches = not keeps or request.url.path.endswith("/download")
        changed = [
            await _decode_or_explain(converter, each, fetches=fetches) for each in sent.payloads
        ]
    return JSONResponse(MessageToDict(Payloads(payloads=changed)))


async def _decode_or_explain(
    converter: DataConverter, payload: Payload, *, fetches: bool
) -> Payload:
    """Decode one payload; in place of what cannot be, the reason is shown, beside the others."""
    try:
        if fetches and isinstance(converter.external_storage, CarefulStorage):
            payload = await converter.external_storage.fetch_payload(payload)
        if converter.payload_codec is not None:
            (payload,) = await converter.payload_codec.decode([payload])
    except (Problem, PortFailure) as problem:
        reason = str(problem)
    else:
        if payload.metadata.get("encoding") != LOST:
            return payload
        reason = payload.data.decode(errors="replace")
    return Payload(metadata={"encoding": b"json/plain"}, data=json.dumps(f"({reason})").encode())

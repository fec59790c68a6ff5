"""Temporal's Web UI: below the page, and the codec server that shows it what is encrypted.

The Web UI of the embedded server lets anybody in by itself. It listens where no other page finds it
(`caveat.workers.embedded`), and who may open the page may open it.

The codec server speaks Temporal's protocol: `POST /codec/decode`, `/codec/encode` and
`/codec/download` with `{"payloads": [...]}`, answered in kind. With `?preserveStorageRefs=true` it
fetches nothing that lies beside the history: somebody who wants to see it downloads it. Who may ask
is the page's own rule; from which other origin, `Gate.codec_origins`.
"""

import json
from collections.abc import Collection

import httpx2
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from starlette.exceptions import HTTPException
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
from caveat.workers.settings import WEB_UI

_OF_A_CONNECTION = frozenset(
    {b"connection", b"date", b"keep-alive", b"transfer-encoding", b"upgrade"}
)

_LONGEST_S = 90.0  # for which it waits for a run's next event, and more
_CLIENT = httpx2.AsyncClient(
    trust_env=False,
    timeout=_LONGEST_S,
    limits=httpx2.Limits(max_keepalive_connections=0),
    headers={"accept-encoding": "identity"},  # where a visitor names none
)


async def _pass_on(request: Request) -> Response:
    server = get_service(request).connection.server
    if server is None:  # one of your own, which has a Web UI of its own
        raise HTTPException(404)
    target = request.scope["raw_path"] + b"?" + request.scope["query_string"]
    sent = _CLIENT.build_request(
        request.method,
        httpx2.URL(f"http://{server.ui}").copy_with(raw_path=target),
        headers=_select_headers(request.headers.raw),
        content=await request.body(),
    )
    try:
        answer = await _CLIENT.send(sent, stream=True)
        content = b"".join([part async for part in answer.aiter_raw()])
    except httpx2.HTTPError:
        raise HTTPException(502, "Temporal's Web UI does not answer") from None
    response = Response(content, answer.status_code)
    response.raw_headers = _select_headers(answer.headers.raw)
    return response


def _select_headers(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    named = ((name.lower(), value) for name, value in headers)
    return [(name, value) for name, value in named if name not in _OF_A_CONNECTION]


ROUTE = Route(f"{WEB_UI}{{rest:path}}", _pass_on, methods=["DELETE", "GET", "PATCH", "POST", "PUT"])


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

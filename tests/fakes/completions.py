"""`/v1/chat/completions` beside the Messages API, or in its place: the OpenAI form."""

import json
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.messages_api import KEY, Model, Recorded, Says

_REASONS = {"end_turn": "stop", "max_tokens": "length"}


@dataclass
class Completions:
    """A server of that endpoint, over the HTTP of a stand-in."""

    model: Model  # answers as one of the Messages API
    has_messages: bool = True  # whether `/v1/messages` is there too
    asked: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, request: Recorded) -> tuple[int, Any] | None:
        path = request.path.split("?")[0]
        if path == "/v1/messages" and not self.has_messages:
            return 404, {"error": {"message": "File Not Found", "type": "not_found_error"}}
        if path != "/v1/chat/completions":
            return None
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return 401, {"error": {"message": "Invalid API Key"}}
        self.asked.append(request.body)
        said = self.model(_read(request))
        if not isinstance(said, Says):
            return 400, {"error": {"message": "PROVIDER TEXT"}}
        message = {"role": "assistant", "content": said.text}
        choice = {"index": 0, "finish_reason": _REASONS[said.stop_reason or ""], "message": message}
        used = {
            "prompt_tokens": said.usage["input_tokens"],
            "completion_tokens": said.usage["output_tokens"],
        }
        return 200, {"model": request.body["model"], "choices": [choice], "usage": used}


def _read(request: Recorded) -> Recorded:
    """Write a request as one of the Messages API."""
    body = dict(request.body)
    turns = body.pop("messages")
    shape = body.pop("response_format", None)
    system = "".join(each["content"] for each in turns if each["role"] == "system")
    said = [each for each in turns if each["role"] != "system"]
    held = {"format": {"schema": shape["json_schema"]["schema"]}} if shape else {}
    whole = {**body, "system": system, "messages": said, "output_config": held}
    return Recorded("/v1/messages", request.headers, whole, json.dumps(whole).encode())

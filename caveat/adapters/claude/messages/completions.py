"""The one endpoint of the OpenAI form: a call of the Messages API in, a message of it out.

llama.cpp and others hold an answer to a schema there alone.
"""

from collections.abc import Mapping
from typing import Any

from anthropic import AsyncAnthropic
from anthropic.types import Message
from httpx2 import Timeout

_PATH = "/v1/chat/completions"

_REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


async def complete(
    client: AsyncAnthropic, parameters: Mapping[str, Any], patience: Timeout
) -> Message | None:
    """Ask once; None for an answer of another form."""
    headers = {"Authorization": f"Bearer {client.api_key}"}
    body = _build_body(parameters)
    answer: Any = await client.post(
        _PATH, cast_to=object, body=body, options={"headers": headers, "timeout": patience}
    )
    try:
        (choice,), used = answer["choices"], answer.get("usage") or {}
        reason, text = choice.get("finish_reason"), choice["message"]["content"] or ""
        tokens = (used.get(name, 0) for name in ("prompt_tokens", "completion_tokens"))
        return _build_message(str(answer.get("model") or body["model"]), text, reason, *tokens)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _build_body(parameters: Mapping[str, Any]) -> dict[str, Any]:
    system = "\n\n".join(each["text"] for each in parameters.get("system", ()))
    turns = [{"role": "system", "content": system}] if system else []
    turns += [
        {"role": turn["role"], "content": _join_text(turn["content"])}
        for turn in parameters["messages"]
    ]
    body = {"model": parameters["model"], "messages": turns, "max_tokens": parameters["max_tokens"]}
    held = parameters.get("output_config", {}).get("format")
    if held is not None:
        shape = {"name": "answer", "schema": held["schema"], "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    return body


def _join_text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(each["text"] for each in content)


def _build_message(model: str, text: str, reason: Any, read: int, written: int) -> Message:
    return Message.model_validate(
        {
            "id": "",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [{"type": "text", "text": text}],
            "stop_reason": _REASONS.get(reason, reason),
            "stop_sequence": None,
            "usage": {"input_tokens": read, "output_tokens": written},
        }
    )

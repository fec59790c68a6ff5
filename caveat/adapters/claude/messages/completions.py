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
    system = "\n\n".join(block["text"] for block in parameters.get("system", ()))
    turns = [{"role": "system", "content": system}] if system else []
    for turn in parameters["messages"]:
        text = turn["content"]
        if not isinstance(text, str):
            text = "".join(block["text"] for block in text)
        turns.append({"role": turn["role"], "content": text})
    body = {"model": parameters["model"], "messages": turns, "max_tokens": parameters["max_tokens"]}
    held = parameters.get("output_config", {}).get("format")
    if held is not None:
        shape = {"name": "answer", "schema": held["schema"], "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    answer: Any = await client.post(
        _PATH, cast_to=object, body=body, options={"headers": headers, "timeout": patience}
    )
    try:
        (choice,), used = answer["choices"], answer.get("usage") or {}
        reason, text = choice.get("finish_reason"), choice["message"]["content"] or ""
        return Message.model_validate(
            {
                "id": "",
                "type": "message",
                "role": "assistant",
                "model": str(answer.get("model") or body["model"]),
                "content": [{"type": "text", "text": text}],
                "stop_reason": _REASONS.get(reason, reason),
                "stop_sequence": None,
                "usage": {
                    "input_tokens": used.get("prompt_tokens", 0),
                    "output_tokens": used.get("completion_tokens", 0),
                },
            }
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return None

"""What servers of the Messages API can do: not every one has everything that Anthropic's has."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Capabilities:
    """Features that not every server of the Messages API has.

    Attributes:
        structured_outputs: it holds answers to a JSON schema given as `output_config`. Without
            it the schema stands in the prompt and the answer's JSON is looked for in its text.
        prompt_caching: it accepts `cache_control`.
        streaming: it streams. Without it an answer is waited for as a whole.
        system: it heeds instructions given as `system`. Without it they open the first turn.
        stop_reasons: it says why an answer ended. Without it an answer without a reason is whole,
            unless it has as many tokens as it had room for.
        usage: it counts tokens. Without it what calls cost is unknown.
        longest: characters of the longest prompt that it was seen to read whole; None for one that
            need not be looked at.
    """

    structured_outputs: bool = True
    prompt_caching: bool = True
    streaming: bool = True
    system: bool = True
    stop_reasons: bool = True
    usage: bool = True
    longest: int | None = None


ANTHROPIC = Capabilities()
CLOUD = Capabilities(structured_outputs=False)
"""Bedrock, Vertex and Foundry cache prompts. Which of their models take schemas differs, and Vertex
takes them only where an organisation allowed it, so that a run must not rest on it unasked."""
LOCAL = Capabilities(structured_outputs=False, prompt_caching=False)
"""llama.cpp and Ollama serve `/v1/messages` without either."""

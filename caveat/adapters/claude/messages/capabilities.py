"""What servers of the Messages API can do: not every one has everything that Anthropic's has."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:  # the SDK takes longer to import than a table of features
    from anthropic.types import ModelInfo


@dataclass(frozen=True)
class Capabilities:
    """Features that not every server of the Messages API has."""

    # calls go to `/v1/messages`. Without it they go to `/v1/chat/completions` of the OpenAI form.
    messages: bool = True
    # it holds answers to a JSON schema given as `output_config`. Without it the schema stands in
    # the prompt and the answer's JSON is looked for in its text.
    structured_outputs: bool = True
    prompt_caching: bool = True
    # it says why an answer ended. Without it an answer without a reason is whole, unless it has as
    # many tokens as it had room for.
    stop_reasons: bool = True
    thinking: bool = True
    catalogue: bool = True  # it says of each model what that can do
    # characters of the longest prompt that it was seen to read whole; None for one that need not be
    # looked at
    longest: int | None = None
    most_room: int | None = None  # tokens that an answer may have at most; None where nobody says

    def restrict_to(self, model: "ModelInfo") -> Self:
        """Say what the server can do with one model, by its catalogue."""
        told = model.capabilities
        if told is None:
            return self
        thinks = told.thinking.types.adaptive.supported and told.effort.supported
        return replace(
            self,
            structured_outputs=self.structured_outputs and told.structured_outputs.supported,
            thinking=self.thinking and thinks,
            most_room=model.max_tokens,
        )


ANTHROPIC = Capabilities()
CLOUD = Capabilities(structured_outputs=False, thinking=False, catalogue=False)
"""Bedrock, Vertex and Foundry cache prompts. Which of their models take schemas differs, and Vertex
takes them only where an organisation allowed it, so that a run must not rest on it unasked."""
LOCAL = replace(CLOUD, prompt_caching=False)
"""llama.cpp and Ollama serve `/v1/messages` with nothing of that."""

"""What the server behind the Messages API can do."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Capabilities:
    """Features that not every server of the Messages API has.

    Attributes:
        structured_outputs: it holds answers to a JSON schema given as `output_config`. Without
            it the schema stands in the prompt and the answer's JSON is looked for in its text.
        prompt_caching: it accepts `cache_control`.
    """

    structured_outputs: bool = True
    prompt_caching: bool = True


ANTHROPIC = Capabilities()
LOCAL = Capabilities(structured_outputs=False, prompt_caching=False)
"""llama.cpp and Ollama serve `/v1/messages` without either."""

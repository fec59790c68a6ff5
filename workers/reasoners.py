"""Which reasoner the settings choose: Claude, or the one without a model."""

# ruff: noqa: PLC0415  # the SDK takes longer to import than the rest of a worker

from functools import partial
from typing import TYPE_CHECKING

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.adapters.semantic.minilm import find_model
from caveat.adapters.text.vocabulary import Similarity
from caveat.roles.role import Reasoner
from caveat.workers.blobs import open_blobs
from caveat.workers.models import find_capabilities, find_prices, read_models
from caveat.workers.settings import Settings, SettingsProblem

if TYPE_CHECKING:
    from caveat.adapters.claude.messages.connection import ModelConnection

OWN_SILENCE_S = 600.0  # longer than any role waits: its own deadline ends a call

NO_KEY = "no-key-is-needed"  # what a local server is sent for a key: it does not look at it


def choose_reasoner(
    settings: Settings, index: CorpusIndex, connection: "ModelConnection | None" = None
) -> Reasoner:
    """Choose who plans, reads, compares, debates and writes."""
    if connection is None:
        return ExtractiveReasoner(vocabulary=index, similarity=index.similarity)
    from caveat.adapters.claude.messages.dialogue import Dialogue, KeptAnswers
    from caveat.adapters.claude.reasoner import ClaudeReasoner

    dialogue = Dialogue(connection, KeptAnswers(open_blobs(settings, settings.answers_folder)))
    return ClaudeReasoner(dialogue, read_models(settings))


def find_similarity(settings: Settings) -> Similarity | None:
    """Find a model of meanings where no language model reads; None where none is installed."""
    return None if settings.uses_claude else find_model()


def connect_models(settings: Settings) -> "ModelConnection | None":
    """Make the one connection of this process to the Messages API; None where it is not used."""
    if not settings.uses_claude:
        return None
    from caveat.adapters.claude.clouds import CloudError, create_cloud_client
    from caveat.adapters.claude.messages.connection import (
        SILENCE_S,
        ApiKey,
        ModelConnection,
        create_client,
    )

    prices = find_prices(settings)
    if settings.provider is not None:
        create = partial(create_cloud_client, settings.provider)
        try:
            client = create()
        except CloudError as problem:
            raise SettingsProblem(
                f"CAVEAT_PROVIDER is {settings.provider}, and {problem}."
            ) from None
        can = find_capabilities(settings)
        return ModelConnection(client, None, can, prices, settings.provider, create)
    capabilities = find_capabilities(settings)
    # A server of one's own reads a long prompt before its first byte, and does not hang for that.
    silence_s = SILENCE_S if capabilities.catalogue else OWN_SILENCE_S
    client = create_client(settings.anthropic_base_url, silence_s)
    fixed = settings.anthropic_api_key
    key = ApiKey(
        NO_KEY if fixed is None else fixed.get_secret_value(), settings.anthropic_api_key_file
    )
    return ModelConnection(client, key, capabilities, prices=prices)

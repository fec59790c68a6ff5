"""Which reasoner the settings choose: the extractive one, or Claude where there is a key."""

# ruff: noqa: PLC0415  # the SDK takes longer to import than the rest of a worker

from collections.abc import Mapping
from typing import TYPE_CHECKING

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.credentials import NoCredentials
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.adapters.extractive.rules import ExtractiveRules
from caveat.adapters.semantic.minilm import installed
from caveat.adapters.text.similarity import Similarity
from caveat.failures import PortFailure
from caveat.ports import Credentials, Reasoner
from caveat.workers.blobs import blobs
from caveat.workers.models import capabilities, cloud_problem, prices
from caveat.workers.offered import offered_reasoner
from caveat.workers.settings import Settings, SettingsProblem

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

    from caveat.adapters.claude.messages.connection import ModelConnection
    from caveat.adapters.claude.messages.keys import ApiKeys
    from caveat.adapters.claude.messages.prices import Prices
    from caveat.adapters.claude.roles.table import Models

NO_KEY = "no-key-is-needed"
"""What a local server, or a cassette, is sent for a key: neither looks at it."""


def reasoner(
    settings: Settings, index: CorpusIndex, connection: "ModelConnection | None" = None
) -> Reasoner:
    """Choose who plans, reads, compares, debates and writes.

    Args:
        settings: of this process.
        index: what the extractive reasoner knows words from.
        connection: to the models; None where none is called.

    Raises:
        SettingsProblem: a model, or what another package offers, cannot be used.
    """
    if settings.offered_reasoner is not None:
        return offered_reasoner(settings, index)
    if connection is None:
        return ExtractiveReasoner(vocabulary=index, similarity=index.similarity)
    from caveat.adapters.claude.messages.answers import KeptAnswers, NoAnswers
    from caveat.adapters.claude.messages.dialogue import Dialogue
    from caveat.adapters.claude.reasoner import ClaudeReasoner

    # A kept answer would leave a hole in a recording, and a replayed one is nobody's answer today.
    kept = KeptAnswers(blobs(settings, settings.answers_folder))
    answers = NoAnswers() if settings.cassette else kept
    dialogue = Dialogue(connection, answers)
    return ClaudeReasoner(dialogue, ExtractiveRules(), models(settings), replays=settings.replays)


def similarity(settings: Settings) -> Similarity | None:
    """Find a model of meanings where no language model reads; None where none is installed."""
    return None if settings.uses_claude else installed()


def connection(settings: Settings) -> "ModelConnection | None":
    """Make the one connection of this process to the Messages API; None where it is not used.

    Raises:
        SettingsProblem: the price table, the cassette or the cloud cannot be used.
    """
    if not settings.uses_claude:
        return None
    from caveat.adapters.claude.messages.connection import ModelConnection

    try:
        costs = prices(settings)
    except PortFailure as refused:
        raise SettingsProblem(f"CAVEAT_PRICES cannot be used: {refused}") from None
    if settings.provider is not None:
        return _in_cloud(settings, costs)
    return ModelConnection(
        client=_sdk(settings),
        keys=keys(settings),
        capabilities=capabilities(settings),
        prices=costs,
    )


def _in_cloud(settings: Settings, costs: "Prices") -> "ModelConnection":
    from caveat.adapters.claude.clouds.addresses import CloudProblem
    from caveat.adapters.claude.clouds.vendors import CLOUDS
    from caveat.adapters.claude.messages.connection import ModelConnection

    cloud = CLOUDS[settings.provider or ""]
    try:
        client = cloud.sdk()
    except CloudProblem as problem:
        raise cloud_problem(settings, problem) from None
    return ModelConnection(
        client=client,
        keys=cloud.keys(),
        capabilities=capabilities(settings),
        prices=costs,
        provider=cloud.name,
    )


def _sdk(settings: Settings) -> "AsyncAnthropic":
    from caveat.adapters.claude.cassettes.choice import cassette_of
    from caveat.adapters.claude.messages.connection import sdk

    try:
        cassette = cassette_of(settings.cassette).transport() if settings.cassette else None
    except (ValueError, PortFailure) as wrong:
        raise SettingsProblem(
            f"CAVEAT_CASSETTE cannot be used: {str(wrong).rstrip('.')}."
        ) from None
    return sdk(settings.anthropic_base_url, transport=cassette)


def keys(settings: Settings) -> "ApiKeys":
    """Find the key: in its file, which is read anew at each call, or in the environment."""
    from caveat.adapters.claude.messages.keys import ApiKeyFile, FixedKey

    if settings.anthropic_api_key_file is not None:
        return ApiKeyFile(settings.anthropic_api_key_file)
    if settings.anthropic_api_key is not None:
        return FixedKey(settings.anthropic_api_key.get_secret_value())
    return FixedKey(NO_KEY)


def credentials(connection: "ModelConnection | None") -> Credentials:
    """Say whose credentials can be refreshed: those of the models' server."""
    if connection is None:
        return NoCredentials()
    from caveat.adapters.claude.messages.keys import KeyCredentials

    return KeyCredentials(connection.keys, connection.refused, connection.provider)


def models(settings: Settings) -> "Models":
    """Read `CAVEAT_MODELS`: one name for every role, or `role=name` with commas.

    Raises:
        SettingsProblem: a role is not known, or a name is missing.
    """
    from caveat.adapters.claude.roles.table import ROLES, Models

    given = [part.strip() for part in (settings.models or "").split(",") if part.strip()]
    if len(given) == 1 and "=" not in given[0]:
        return Models.all_of(given[0])
    chosen: dict[str, str] = {}
    for part in given:
        role, _, name = (each.strip() for each in part.partition("="))
        if role not in ROLES or not name:
            raise SettingsProblem(
                f"CAVEAT_MODELS cannot be read at “{part}”: write one model's name, or "
                f"role=name with commas; the roles are {', '.join(ROLES)}."
            )
        chosen[role] = name
    return Models(_as_bedrock_calls_them(chosen) if settings.provider == "bedrock" else chosen)


def _as_bedrock_calls_them(chosen: Mapping[str, str]) -> Mapping[str, str]:
    """Name the defaults of the other roles by the profiles that every region has."""
    from caveat.adapters.claude.roles.table import ROLES

    return {
        role.name: chosen.get(role.name, f"global.anthropic.{role.model}")
        for role in ROLES.values()
    }

"""Which backend the settings make: the reasoner, its models and engines, and whose account pays."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from urllib.parse import urlsplit

from caveat.contracts.backend import Backend
from caveat.workers.models import (
    choose_defaults,
    find_capabilities,
    find_server_address,
    read_models,
)
from caveat.workers.settings import Settings
from caveat.workers.signing import load_signer

_ENGINE_SETTINGS = {
    "brave": ("BRAVE_API_KEY", "BRAVE_API_KEY_FILE"),
    "openalex": ("OPENALEX_API_KEY", "OPENALEX_API_KEY_FILE"),
    "searxng": ("SEARXNG_URL", "SEARXNG_URL_FILE"),
    "tavily": ("TAVILY_API_KEY", "TAVILY_API_KEY_FILE"),
    "wikipedia": ("WIKIPEDIA_LANGUAGE",),
}
"""What decides whose account an engine uses, or what it finds; of a file its path counts."""

_CLOUD_SETTINGS = {
    "bedrock": (
        *("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_ROLE_ARN"),
        "AWS_BEARER_TOKEN_BEDROCK",
    ),
    "vertex": (
        *("CLOUD_ML_REGION", "ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_APPLICATION_CREDENTIALS"),
    ),
    "foundry": (
        *("ANTHROPIC_FOUNDRY_RESOURCE", "ANTHROPIC_FOUNDRY_API_KEY"),
        *("AZURE_TENANT_ID", "AZURE_CLIENT_ID"),
    ),
}
"""What decides whose account a cloud uses. A secret that goes with an id is none of it, so that it
can be replaced while runs are open."""


def build_backend(settings: Settings) -> Backend:
    models: tuple[str, ...] = ()
    server, provider, accounts = "", None, list[str]()
    if settings.uses_claude:
        by_role = read_models(settings).by_role
        models = tuple(f"{role}={model}" for role, model in by_role.items())
        # Without user, password and path, any of which may be a secret.
        server = urlsplit(find_server_address(settings) or "").hostname or ""
        provider = settings.provider
        accounts += _describe_model_account(settings)
    for engine in settings.search:
        accounts += _describe_account(engine, _ENGINE_SETTINGS.get(engine, ()))
    return Backend(
        reasoner="claude" if settings.uses_claude else "extractive",
        models=models,
        server=server,
        engines=settings.search,
        credentials=load_signer(settings).name_accounts(*accounts) if accounts else "",
        provider=provider,
    )


def adapt_settings(wanted: Backend, settings: Settings) -> Settings | None:
    """Choose what a backend has, with the accounts of these settings; None where they lack it."""
    models = ",".join(wanted.models) or settings.models
    changes = {"reasoner": wanted.reasoner, "models": models}
    alike = settings.model_copy(update={**changes, "search": wanted.engines})
    if alike.uses_claude != (wanted.reasoner == "claude"):
        return None
    # Each provider has names of its own for models, so that one cannot stand in for another.
    return alike if wanted.reasoner != "claude" or wanted.provider == alike.provider else None


def match_settings(wanted: Backend, settings: Settings) -> Settings | None:
    """Make settings that are exactly a backend; None where these accounts are not its own."""
    alike = adapt_settings(wanted, settings)
    return alike if alike is not None and build_backend(alike) == wanted else None


def _describe_model_account(settings: Settings) -> Iterator[str]:
    # A key's file stands for whatever key it holds, so that a rotated one goes on with its runs.
    yield f"server {find_server_address(settings) or ''}"
    can = find_capabilities(settings)
    yield f"structured {can.structured_outputs}"
    if replace(can, structured_outputs=True) != replace(
        choose_defaults(settings), structured_outputs=True
    ):
        yield f"capabilities {can}"
    if settings.provider is not None:
        # Credentials that are made anew all the time stand for their account: what is named is
        # where they come from.
        yield f"provider {settings.provider}"
        yield from _describe_account(settings.provider, _CLOUD_SETTINGS[settings.provider])
    elif settings.anthropic_api_key_file is not None:
        yield f"key file {settings.anthropic_api_key_file}"
    elif settings.anthropic_api_key is not None:
        yield f"key {settings.anthropic_api_key.get_secret_value()}"


def _describe_account(service: str, variables: Iterable[str]) -> Iterator[str]:
    for name in variables:
        if os.environ.get(name):
            yield f"{service} {name} {os.environ[name]}"

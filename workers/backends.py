"""Which backend the settings make: the reasoner, its models and engines, and whose account pays."""

import os
from collections.abc import Iterator
from urllib.parse import urlsplit

from caveat.contracts.backend import Backend
from caveat.workers.settings import Settings
from caveat.workers.signing import signer

_ENGINE_SETTINGS = {
    "brave": ("BRAVE_API_KEY", "BRAVE_API_KEY_FILE"),
    "ddgs": ("DDGS_BACKENDS",),
    "searxng": ("SEARXNG_URL", "SEARXNG_URL_FILE"),
    "tavily": ("TAVILY_API_KEY", "TAVILY_API_KEY_FILE"),
    "wikipedia": ("WIKIPEDIA_LANGUAGE",),
}
"""What decides whose account an engine uses, or what it finds; of a file its path counts."""


def backend(settings: Settings) -> Backend:
    """Name what the settings make.

    Raises:
        SettingsProblem: the models cannot be read.
        ServerProblem: the state folder's key can be neither read nor made.
    """
    if not settings.uses_claude:
        return Backend(
            reasoner="extractive",
            engines=settings.search,
            credentials=_name_of(tuple(_engine_accounts(settings)), settings),
        )
    from caveat.workers.reasoners import models  # noqa: PLC0415  # Claude's part loads only where used

    return Backend(
        reasoner="claude",
        models=tuple(f"{role}={model}" for role, model in models(settings).by_role.items()),
        server=_server(settings),
        engines=settings.search,
        credentials=_name_of((*_model_account(settings), *_engine_accounts(settings)), settings),
    )


def settings_like(wanted: Backend, settings: Settings) -> Settings | None:
    """Choose a backend's reasoner, models and engines, with the accounts of these settings.

    Returns:
        None where the backend needs a language model and there is no key for one.
    """
    if wanted.reasoner not in ("extractive", "claude"):
        return None
    alike = settings.model_copy(
        update={
            "reasoner": wanted.reasoner,
            "models": ",".join(wanted.models) or settings.models,
            "search": wanted.engines,
        }
    )
    return None if alike.uses_claude != (wanted.reasoner == "claude") else alike


def settings_of(wanted: Backend, settings: Settings) -> Settings | None:
    """Make settings that are exactly a backend; None where these accounts are not its own."""
    alike = settings_like(wanted, settings)
    return alike if alike is not None and backend(alike) == wanted else None


def _server(settings: Settings) -> str:
    if settings.cassette is not None:
        return "a cassette"
    # Without user, password and path, any of which may be a secret.
    return urlsplit(settings.anthropic_base_url or "").hostname or ""


def _model_account(settings: Settings) -> Iterator[str]:
    """Everything that decides who is asked and who pays.

    A key's file stands for whatever key it holds, so that a rotated one goes on with its runs.
    """
    yield f"server {settings.anthropic_base_url or ''}"
    yield f"structured {settings.has_structured_outputs}"
    yield f"cassette {settings.cassette or ''}"
    if settings.anthropic_api_key_file is not None:
        yield f"key file {settings.anthropic_api_key_file}"
    elif settings.anthropic_api_key is not None:
        yield f"key {settings.anthropic_api_key.get_secret_value()}"


def _engine_accounts(settings: Settings) -> Iterator[str]:
    for engine in settings.search:
        for name in _ENGINE_SETTINGS.get(engine, ()):
            if os.environ.get(name):
                yield f"{engine} {name} {os.environ[name]}"


def _name_of(accounts: tuple[str, ...], settings: Settings) -> str:
    return signer(settings).name_of(*accounts) if accounts else ""

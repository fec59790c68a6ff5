"""Which backend a process has: its reasoner, the models, their server, and what that can do."""

# ruff: noqa: PLC0415  # only where a language model is used

import os
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import TypeAdapter

from caveat import atomic
from caveat.contracts.backend import Backend
from caveat.workers.settings import Settings, SettingsProblem
from caveat.workers.signing import load_signer

if TYPE_CHECKING:
    from caveat.adapters.claude.messages.capabilities import Capabilities
    from caveat.adapters.claude.messages.prices import Prices
    from caveat.roles.models import Models


def find_server_address(settings: Settings) -> str | None:
    """Say where models are called; None for their maker's own server, or the cloud's."""
    if settings.provider is None:
        return settings.anthropic_base_url
    return os.environ.get(f"ANTHROPIC_{settings.provider.upper()}_BASE_URL")


def _build_server_key(settings: Settings) -> str:
    """Name the server in the file of what servers can do."""
    own = "" if settings.provider else "https://api.anthropic.com"
    where = (find_server_address(settings) or own).rstrip("/")
    return f"{settings.provider or ''} {where}".strip()


def choose_defaults(settings: Settings) -> "Capabilities":
    """Say what the server is taken to be able to do before anybody has looked."""
    from caveat.adapters.claude.messages.capabilities import ANTHROPIC, CLOUD, LOCAL

    if settings.provider is not None:
        return CLOUD
    return ANTHROPIC if settings.is_anthropic else LOCAL


def find_capabilities(settings: Settings) -> "Capabilities":
    """Say what the server can do: as it was found out, or else is taken to be."""
    known = _read_known_servers(settings).get(_build_server_key(settings))
    return known or choose_defaults(settings)


def note(settings: Settings, capabilities: "Capabilities") -> None:
    known = {**_read_known_servers(settings), _build_server_key(settings): capabilities}
    try:
        settings.capabilities.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(settings.capabilities, _adapt_servers().dump_json(known, indent=2))
    except OSError as error:
        raise SettingsProblem(
            f"{settings.capabilities} cannot be written ({error.strerror}): set "
            "CAVEAT_CONFIG_DIR to a folder that can."
        ) from None


def _read_known_servers(settings: Settings) -> "dict[str, Capabilities]":
    try:
        return _adapt_servers().validate_json(settings.capabilities.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise SettingsProblem(
            f"{settings.capabilities} cannot be read as what `caveat models check` found out: "
            "remove it and check again."
        ) from None


@cache
def _adapt_servers() -> "TypeAdapter[dict[str, Capabilities]]":
    from caveat.adapters.claude.messages.capabilities import Capabilities

    return TypeAdapter(dict[str, Capabilities])


def find_prices(settings: Settings) -> "Prices":
    """Say what models cost: what their provider asks."""
    from caveat.adapters.claude.messages.prices import Prices

    return Prices(_PRICED_AS[settings.provider or "anthropic"])


_PRICED_AS = {"anthropic": "anthropic", "bedrock": "aws", "vertex": "google", "foundry": "azure"}
"""What genai-prices calls the maker of the models and the clouds."""


def read_models(settings: Settings) -> "Models":
    """Read `CAVEAT_MODELS`: one name for every role, or `role=name` with commas."""
    from caveat.roles.models import SETTINGS, Models

    names = [part.strip() for part in (settings.models or "").split(",") if part.strip()]
    if len(names) == 1 and "=" not in names[0]:
        return Models.from_model(names[0])
    chosen: dict[str, str] = {}
    for part in names:
        role, _, name = (word.strip() for word in part.partition("="))
        if role not in SETTINGS or not name:
            raise SettingsProblem(
                f"CAVEAT_MODELS cannot be read at “{part}”: write one model's name, or "
                f"role=name with commas; the roles are {', '.join(SETTINGS)}."
            )
        chosen[role] = name
    if settings.provider == "bedrock":  # other roles by the profiles that every region has
        profiles = {role: f"global.anthropic.{default.model}" for role, default in SETTINGS.items()}
        chosen = profiles | chosen
    return Models(chosen)


def build_backend(settings: Settings) -> Backend:
    if not settings.uses_claude:
        return Backend(reasoner="extractive", engines=settings.search)
    by_role, address = read_models(settings).by_role, find_server_address(settings) or ""
    # A key's file stands for whatever key it holds, so that a rotated one goes on with its runs.
    file, key = settings.anthropic_api_key_file, settings.anthropic_api_key
    account = str(file) if file is not None else key.get_secret_value() if key is not None else ""
    return Backend(
        reasoner="claude",
        models=tuple(f"{role}={model}" for role, model in by_role.items()),
        # Without user, password and path, any of which may be a secret.
        server=urlsplit(address).hostname or "",
        engines=settings.search,
        credentials=load_signer(settings).name_account(address, account),
        provider=settings.provider,
    )


def adapt_settings(wanted: Backend, settings: Settings) -> Settings | None:
    """Choose what a backend has, with the accounts of these settings; None where they lack it."""
    if wanted.reasoner not in {"claude", "extractive"}:  # one of another version
        return None
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

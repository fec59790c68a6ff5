"""Which backend the settings make: the reasoner, its models and engines, and whose account pays."""

from urllib.parse import urlsplit

from caveat.contracts.backend import Backend
from caveat.workers.models import find_server_address, read_models
from caveat.workers.settings import Settings
from caveat.workers.signing import load_signer


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

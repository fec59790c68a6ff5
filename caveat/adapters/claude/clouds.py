"""The clouds that serve Claude: the SDK's own clients find credentials by each vendor's chain."""

# ruff: noqa: PLC0415  # the packages are extras, and the SDK takes a second to import

import asyncio
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from caveat.problem import InternalError

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_AZURE_SCOPE = "https://ai.azure.com/.default"


class CloudError(InternalError):
    """A cloud cannot be used as things are set; the sentence says what to do."""


def create_cloud_client(cloud: str) -> "AsyncAnthropic":
    """Create the SDK's client of a cloud: no retries of its own.

    Raises:
        CloudError: a variable or a package is missing.
    """
    from anthropic import (
        AnthropicError,
        AsyncAnthropicBedrock,
        AsyncAnthropicFoundry,
        AsyncAnthropicVertex,
    )

    from caveat.adapters.claude.messages.connection import build_client_options

    options, client = build_client_options(), cast("Any", None)  # they share no class
    try:
        if cloud == "bedrock":
            import_module("boto3")  # which the client imports with the first call
            client = AsyncAnthropicBedrock(**options)
        elif cloud == "vertex":
            import_module("google.auth")
            client = AsyncAnthropicVertex(**options)
            if not client.project_id:
                raise CloudError("it needs a billing project: set ANTHROPIC_VERTEX_PROJECT_ID")
        else:
            has_key = "ANTHROPIC_FOUNDRY_API_KEY" in os.environ
            tokens = {} if has_key else {"azure_ad_token_provider": _build_token_provider()}
            client = AsyncAnthropicFoundry(**tokens, **options)
    except ImportError:
        raise CloudError(
            f"it needs a package that is not installed: pip install 'caveat[{cloud}]'"
        ) from None
    except (AnthropicError, ValueError) as error:
        raise CloudError(f"its client says: {str(error).rstrip('.')}") from None
    return cast("AsyncAnthropic", client)


def _build_token_provider() -> Any:
    from azure.identity import DefaultAzureCredential, get_bearer_token_provider

    find = get_bearer_token_provider(DefaultAzureCredential(), _AZURE_SCOPE)
    return lambda: asyncio.to_thread(find)  # it may start a command or ask a server

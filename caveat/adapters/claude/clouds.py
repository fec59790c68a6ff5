"""The clouds that serve Claude: the SDK's own clients, and each vendor's chain of credentials.

No vendor's package is imported before it is used: every command that starts a run asks where
models are called.
"""

# ruff: noqa: PLC0415  # the packages are extras, and the SDK takes a second to import

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from caveat.adapters.claude.messages.keys import Secret, build_refusal
from caveat.failures import unavailable
from caveat.problem import InternalError

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


class CloudError(InternalError):
    """A cloud cannot be used as things are set; the sentence says what to do."""


def _require(package: str, cloud: str) -> None:
    root = package.partition(".")[0]
    if find_spec(root) is None or find_spec(package) is None:
        raise CloudError(f"it takes a package that is not here: pip install 'caveat[{cloud}]'")


def _read_variable(*names: str, need: str) -> str:
    value = next(filter(None, map(os.environ.get, names)), None)
    if value is None:
        raise CloudError(f"it needs {need}: set {names[0]}")
    return value


def _find_aws_region() -> str:
    named = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if named:
        return named
    _require("botocore.session", "bedrock")
    from botocore.exceptions import BotoCoreError
    from botocore.session import Session

    try:
        region = Session().get_config_variable("region")
    except BotoCoreError:
        region = None
    if not region:
        raise CloudError("it needs a region: set AWS_REGION, or one in your AWS profile")
    return str(region)


def _find_google_region() -> str:
    return _read_variable("CLOUD_ML_REGION", need="a region, such as global")


_GOOGLE_HOSTS = {
    "global": "aiplatform.googleapis.com",
    "us": "aiplatform.us.rep.googleapis.com",
    "eu": "aiplatform.eu.rep.googleapis.com",
}


def find_cloud_address(cloud: str) -> str:
    """Return the address where a cloud's models are called.

    Raises:
        CloudError: a variable that it follows from is not set.
    """
    own = os.environ.get(f"ANTHROPIC_{cloud.upper()}_BASE_URL")
    if cloud == "bedrock":
        return own or f"https://bedrock-runtime.{_find_aws_region()}.amazonaws.com"
    if cloud == "vertex":
        region = _find_google_region()
        host = _GOOGLE_HOSTS.get(region, f"{region}-aiplatform.googleapis.com")
        return own or f"https://{host}/v1"
    if own:
        return own
    resource = _read_variable("ANTHROPIC_FOUNDRY_RESOURCE", need="the name of a resource")
    return f"https://{resource}.services.ai.azure.com/anthropic/"


def create_cloud_client(cloud: str, **more: Any) -> "AsyncAnthropic":
    """Create the SDK's client of a cloud: no retries of its own, credentials with each call.

    Args:
        more: as of `build_client_options`.

    Raises:
        CloudError: a variable or a package is missing.
    """
    from anthropic import AsyncAnthropicBedrock, AsyncAnthropicFoundry, AsyncAnthropicVertex

    from caveat.adapters.claude.messages.connection import SET_FOR_EACH_CALL, build_client_options

    address = find_cloud_address(cloud)
    options = build_client_options(**more)
    if cloud == "bedrock":
        _require("boto3", cloud)
        client: Any = AsyncAnthropicBedrock(aws_region=_find_aws_region(), **options)
    elif cloud == "vertex":
        _require("google.auth", cloud)
        project = _read_variable(
            "ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT", need="a project that pays"
        )
        client = AsyncAnthropicVertex(region=_find_google_region(), project_id=project, **options)
    else:
        if not os.environ.get(_FOUNDRY_KEY):
            _require("azure.identity", cloud)
        client = AsyncAnthropicFoundry(base_url=address, api_key=SET_FOR_EACH_CALL, **options)
    return cast("AsyncAnthropic", client)  # the same methods, and no common class


_BEDROCK_KEY = "AWS_BEARER_TOKEN_BEDROCK"
_FOUNDRY_KEY = "ANTHROPIC_FOUNDRY_API_KEY"
_GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_AZURE_SCOPE = "https://ai.azure.com/.default"


def _find_aws_secret(credentials: Any) -> tuple[Any, Secret]:
    """AWS's chain: variables, profiles, single sign-on, containers, instances; a key before all."""
    if key := os.environ.get(_BEDROCK_KEY):
        return None, Secret.from_key(key)
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.session import Session

    try:
        credentials = credentials or Session().get_credentials()
        frozen = credentials and credentials.get_frozen_credentials()
    except (BotoCoreError, ClientError):
        frozen = None
    if not frozen or not frozen.access_key:
        raise build_refusal(
            "AWS's chain of credentials has none that can be used: set AWS_PROFILE, "
            f"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or {_BEDROCK_KEY}.",
            "bedrock",
        )
    options = {
        "aws_access_key": frozen.access_key,
        "aws_secret_key": frozen.secret_key,
        "aws_session_token": frozen.token,
    }
    return credentials, Secret(" ".join(map(str, options.values())), options)


def _find_google_secret(credentials: Any) -> tuple[Any, Secret]:
    """Application Default Credentials; a token is fetched where none holds."""
    import google.auth
    from google.auth.exceptions import GoogleAuthError, TransportError
    from google.auth.transport.requests import Request

    try:
        if credentials is None:
            credentials, _ = google.auth.default(scopes=[_GOOGLE_SCOPE])
        if not credentials.valid:
            credentials.refresh(Request())
    except TransportError:
        raise unavailable(
            "The server that gives Google's tokens cannot be reached.",
            resource="credentials",
            provider="vertex",
        ) from None
    except (GoogleAuthError, ValueError, OSError):
        raise build_refusal(
            "Google's Application Default Credentials give no token: set "
            "GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`.",
            "vertex",
        ) from None
    token = str(credentials.token)
    return credentials, Secret(token, {"access_token": token})


def _find_azure_secret(credentials: Any) -> tuple[Any, Secret]:
    """The key where one is set, else Azure's default chain, which keeps its tokens fresh itself."""
    if key := os.environ.get(_FOUNDRY_KEY):
        return None, Secret.from_key(key)
    from azure.core.exceptions import AzureError
    from azure.identity import DefaultAzureCredential

    try:
        credentials = credentials or DefaultAzureCredential()
        token = credentials.get_token(_AZURE_SCOPE).token
    except (AzureError, ValueError):
        raise build_refusal(
            f"Azure's chain of identities gives no token: set {_FOUNDRY_KEY}, or run `az login`.",
            "foundry",
        ) from None
    return credentials, Secret(token, {"azure_ad_token_provider": lambda: token})


CLOUDS: Mapping[str, Callable[[Any], tuple[Any, Secret]]] = {
    "bedrock": _find_aws_secret,
    "vertex": _find_google_secret,
    "foundry": _find_azure_secret,
}
"""By the name of a cloud, what finds its secret, given the credentials that were found before."""


@dataclass
class CloudKeys:
    """The credentials of a cloud, kept until they are refused; see `keys.ApiKeys`."""

    # The SDK would ask the vendors itself, but keeps what it found for the life of the process,
    # so that nobody could try again after a refusal.

    cloud: str
    _credentials: Any = field(default=None, repr=False)

    async def get_secret(self) -> Secret:
        # The chain reads files and may ask a server, so that it runs in a thread.
        find = CLOUDS[self.cloud]
        self._credentials, secret = await asyncio.to_thread(find, self._credentials)
        return secret

    async def refresh(self) -> Secret:
        self._credentials = None
        return await self.get_secret()

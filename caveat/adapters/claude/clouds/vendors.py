"""The clouds that serve Claude: the SDK's client for each, and its own chain of credentials."""

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import httpx2
from anthropic import (
    AsyncAnthropic,
    AsyncAnthropicBedrock,
    AsyncAnthropicFoundry,
    AsyncAnthropicVertex,
    OpenTelemetryOptions,
)

from caveat.adapters.claude.clouds import addresses
from caveat.adapters.claude.clouds.addresses import (
    find_aws_region,
    find_google_project,
    find_google_region,
    require,
)
from caveat.adapters.claude.messages.connection import (
    SET_FOR_EACH_CALL,
    Timeouts,
    build_client_options,
)
from caveat.adapters.claude.messages.keys import ApiKeys, Secret, build_refusal
from caveat.failures import unavailable

_BEDROCK_TOKEN = "AWS_BEARER_TOKEN_BEDROCK"  # noqa: S105  # the name of a variable

_GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform"

_FOUNDRY_KEY = "ANTHROPIC_FOUNDRY_API_KEY"

_AZURE_SCOPE = "https://ai.azure.com/.default"


@dataclass
class _Chain(ABC):
    """Keeps what a chain has found, until it is refused."""

    # To find it reads files and may ask a server, so that it is done in a thread.

    _found: Any = field(default=None, repr=False)

    async def get_secret(self) -> Secret:
        """Return the credentials of this moment."""
        return await asyncio.to_thread(self._find_secret)

    async def refresh(self) -> Secret:
        """Look for the credentials anew."""
        self._found = None
        return await self.get_secret()

    @abstractmethod
    def _find_secret(self) -> Secret:
        """Return what was found, or find it, and keep it in `_found`."""


def _create_bedrock_client(timeout: httpx2.Timeout, spans: OpenTelemetryOptions) -> AsyncAnthropic:
    """Make the SDK's client, without credentials: each call brings its own."""
    require("boto3", "bedrock")
    made = AsyncAnthropicBedrock(
        aws_region=find_aws_region(), max_retries=0, timeout=timeout, open_telemetry=spans
    )
    return cast("AsyncAnthropic", made)  # the same methods, and no common class


class _AwsChain(_Chain):
    """AWS's chain: variables, profiles, single sign-on, containers, instances; a key before all."""

    # What is found is renewed by botocore itself before it ends, and looked for anew where it was
    # refused.

    def _find_secret(self) -> Secret:
        key = os.environ.get(_BEDROCK_TOKEN)
        if key:
            return Secret.from_key(key)
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415  # an extra
        from botocore.session import Session  # noqa: PLC0415  # with it

        try:
            self._found = self._found or Session().get_credentials()
            frozen = self._found and self._found.get_frozen_credentials()
        except (BotoCoreError, ClientError):
            frozen = None
        if not frozen or not frozen.access_key:
            raise build_refusal(
                "AWS's chain of credentials has none that can be used: set AWS_PROFILE, "
                f"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or {_BEDROCK_TOKEN}.",
                "bedrock",
            )
        return Secret(
            f"{frozen.access_key} {frozen.secret_key} {frozen.token}",
            {
                "aws_access_key": frozen.access_key,
                "aws_secret_key": frozen.secret_key,
                "aws_session_token": frozen.token,
            },
        )


def _create_vertex_client(timeout: httpx2.Timeout, spans: OpenTelemetryOptions) -> AsyncAnthropic:
    """Make the SDK's client, without a token: each call brings its own."""
    require("google.auth", "vertex")
    made = AsyncAnthropicVertex(
        region=find_google_region(),
        project_id=find_google_project(),
        max_retries=0,
        timeout=timeout,
        open_telemetry=spans,
    )
    return cast("AsyncAnthropic", made)  # the same methods, and no common class


class _GoogleChain(_Chain):
    """Application Default Credentials; a token is fetched where there is none that holds."""

    def _find_secret(self) -> Secret:
        import google.auth  # noqa: PLC0415  # an extra
        from google.auth.exceptions import GoogleAuthError, TransportError  # noqa: PLC0415  # with it
        from google.auth.transport.requests import Request  # noqa: PLC0415  # with it

        try:
            if self._found is None:
                self._found, _ = google.auth.default(scopes=[_GOOGLE_SCOPE])
            if not self._found.valid:
                self._found.refresh(Request())
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
        return Secret(str(self._found.token), {"access_token": str(self._found.token)})


def _create_foundry_client(timeout: httpx2.Timeout, spans: OpenTelemetryOptions) -> AsyncAnthropic:
    """Make the SDK's client, without a key: each call brings its own."""
    address = addresses.find_foundry_address()
    if not os.environ.get(_FOUNDRY_KEY):
        require("azure.identity", "foundry")
    return AsyncAnthropicFoundry(
        base_url=address,
        api_key=SET_FOR_EACH_CALL,
        max_retries=0,
        timeout=timeout,
        open_telemetry=spans,
    )


class _AzureChain(_Chain):
    """The key where one is set, else Azure's default chain, which keeps its tokens fresh itself."""

    def _find_secret(self) -> Secret:
        key = os.environ.get(_FOUNDRY_KEY)
        if key:
            return Secret.from_key(key)
        from azure.core.exceptions import AzureError  # noqa: PLC0415  # an extra
        from azure.identity import DefaultAzureCredential  # noqa: PLC0415  # with it

        try:
            self._found = self._found or DefaultAzureCredential()
            token = self._found.get_token(_AZURE_SCOPE).token
        except (AzureError, ValueError):
            raise build_refusal(
                "Azure's chain of identities gives no token: "
                f"set {_FOUNDRY_KEY}, or run `az login`.",
                "foundry",
            ) from None
        return Secret(token, {"azure_ad_token_provider": lambda: token})


@dataclass(frozen=True)
class Cloud:
    """A cloud."""

    name: str
    keys: Callable[[], ApiKeys]
    client: Callable[[httpx2.Timeout, OpenTelemetryOptions], AsyncAnthropic]

    def create_client(self, limits: Timeouts | None = None) -> AsyncAnthropic:
        """Make the SDK's client: no retries of its own, and no credentials."""
        return self.client(*build_client_options(limits))


CLOUDS: Mapping[str, Cloud] = {
    each.name: each
    for each in (
        Cloud("bedrock", _AwsChain, _create_bedrock_client),
        Cloud("vertex", _GoogleChain, _create_vertex_client),
        Cloud("foundry", _AzureChain, _create_foundry_client),
    )
}

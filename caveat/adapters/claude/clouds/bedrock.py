"""Amazon Bedrock: AWS's own chain of credentials, or a Bedrock API key."""

import os
from typing import cast

import httpx2
from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, OpenTelemetryOptions

from caveat.adapters.claude.clouds.addresses import aws_region
from caveat.adapters.claude.clouds.chain import Chain
from caveat.adapters.claude.clouds.problems import require
from caveat.adapters.claude.messages.keys import Secret, refused

NAME = "bedrock"

TOKEN = "AWS_BEARER_TOKEN_BEDROCK"  # noqa: S105  # the name of a variable


def client(timeout: httpx2.Timeout, spans: OpenTelemetryOptions) -> AsyncAnthropic:
    """Make the SDK's client, without credentials: each call brings its own.

    Raises:
        CloudProblem: the extra is missing, or no region is set.
    """
    require("boto3", NAME)
    made = AsyncAnthropicBedrock(
        aws_region=aws_region(), max_retries=0, timeout=timeout, open_telemetry=spans
    )
    return cast("AsyncAnthropic", made)  # the same methods, and no common class


class AwsChain(Chain):
    """AWS's chain: variables, profiles, single sign-on, containers, instances; a key before all.

    What is found is renewed by botocore itself before it ends, and looked for anew where it was
    refused.
    """

    def _current(self) -> Secret:
        key = os.environ.get(TOKEN)
        if key:
            return Secret.of_key(key)
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415  # an extra
        from botocore.session import Session  # noqa: PLC0415  # with it

        try:
            self._found = self._found or Session().get_credentials()
            frozen = self._found and self._found.get_frozen_credentials()
        except (BotoCoreError, ClientError):
            frozen = None
        if not frozen or not frozen.access_key:
            raise refused(
                "AWS's chain of credentials has none that can be used: set AWS_PROFILE, "
                f"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or {TOKEN}.",
                NAME,
            )
        return Secret(
            f"{frozen.access_key} {frozen.secret_key} {frozen.token}",
            {
                "aws_access_key": frozen.access_key,
                "aws_secret_key": frozen.secret_key,
                "aws_session_token": frozen.token,
            },
        )

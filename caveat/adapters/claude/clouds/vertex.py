"""Google Vertex AI: Application Default Credentials."""

from typing import cast

import httpx2
from anthropic import AsyncAnthropic, AsyncAnthropicVertex, OpenTelemetryOptions

from caveat.adapters.claude.clouds.addresses import google_project, google_region
from caveat.adapters.claude.clouds.chain import Chain
from caveat.adapters.claude.clouds.problems import require
from caveat.adapters.claude.messages.keys import Secret, refused
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.failures import PortFailure

NAME = "vertex"

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"


def client(timeout: httpx2.Timeout, spans: OpenTelemetryOptions) -> AsyncAnthropic:
    """Make the SDK's client, without a token: each call brings its own.

    Raises:
        CloudProblem: the extra is missing, or no region or project is set.
    """
    require("google.auth", NAME)
    made = AsyncAnthropicVertex(
        region=google_region(),
        project_id=google_project(),
        max_retries=0,
        timeout=timeout,
        open_telemetry=spans,
    )
    return cast("AsyncAnthropic", made)  # the same methods, and no common class


class GoogleChain(Chain):
    """Application Default Credentials; a token is fetched where there is none that holds."""

    def _current(self) -> Secret:
        import google.auth  # noqa: PLC0415  # an extra
        from google.auth.exceptions import GoogleAuthError, TransportError  # noqa: PLC0415
        from google.auth.transport.requests import Request  # noqa: PLC0415

        try:
            if self._found is None:
                self._found, _ = google.auth.default(scopes=[_SCOPE])
            if not self._found.valid:
                self._found.refresh(Request())
        except TransportError:
            raise _nobody_there() from None
        except (GoogleAuthError, ValueError, OSError):
            raise refused(
                "Google's Application Default Credentials give no token: set "
                "GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`.",
                NAME,
            ) from None
        return Secret(str(self._found.token), {"access_token": str(self._found.token)})


def _nobody_there() -> PortFailure:
    return PortFailure(
        Failure(
            category=FailureCategory.TRANSIENT,
            failure_type=FailureType.UNAVAILABLE,
            message="The server that gives Google's tokens cannot be reached.",
            retry_recommended=True,
            resource="credentials",
            provider=NAME,
        )
    )

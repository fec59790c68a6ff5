"""Where the clouds are that serve Claude, by the variables of their own vendors.

Imports no vendor's package, since every command asks this that starts a run.
"""

import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec

_HOSTS = {
    "global": "aiplatform.googleapis.com",
    "us": "aiplatform.us.rep.googleapis.com",
    "eu": "aiplatform.eu.rep.googleapis.com",
}


class CloudProblem(Exception):
    """A cloud cannot be used as things are set; the sentence says what to do."""


def require(package: str, cloud: str) -> None:
    """Look whether what a cloud takes is installed."""
    root = package.partition(".")[0]
    if find_spec(root) is None or find_spec(package) is None:
        raise CloudProblem(f"it takes a package that is not here: pip install 'caveat[{cloud}]'")


def find_aws_region() -> str:
    """Name the region of AWS: `AWS_REGION`, `AWS_DEFAULT_REGION`, or that of the profile."""
    named = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if named:
        return named
    require("botocore.session", "bedrock")
    from botocore.exceptions import BotoCoreError  # noqa: PLC0415  # an extra
    from botocore.session import Session  # noqa: PLC0415  # of the same extra

    try:
        found = Session().get_config_variable("region")
    except BotoCoreError:
        found = None
    if not found:
        raise CloudProblem("it needs a region: set AWS_REGION, or one in your AWS profile")
    return str(found)


def find_bedrock_address() -> str:
    """Say where calls go, as an address."""
    own = os.environ.get("ANTHROPIC_BEDROCK_BASE_URL")
    return own or f"https://bedrock-runtime.{find_aws_region()}.amazonaws.com"


def find_google_region() -> str:
    """Name the region of Google Cloud."""
    named = os.environ.get("CLOUD_ML_REGION")
    if not named:
        raise CloudProblem("it needs a region: set CLOUD_ML_REGION, such as global")
    return named


def find_google_project() -> str:
    """Name the project that pays."""
    named = os.environ.get("ANTHROPIC_VERTEX_PROJECT_ID") or os.environ.get("GOOGLE_CLOUD_PROJECT")
    if not named:
        raise CloudProblem("it needs a project: set ANTHROPIC_VERTEX_PROJECT_ID")
    return named


def find_vertex_address() -> str:
    """Say where calls go, as an address."""
    own = os.environ.get("ANTHROPIC_VERTEX_BASE_URL")
    host = _HOSTS.get(find_google_region(), f"{find_google_region()}-aiplatform.googleapis.com")
    return own or f"https://{host}/v1"


def find_foundry_address() -> str:
    """Say where calls go, as an address."""
    own = os.environ.get("ANTHROPIC_FOUNDRY_BASE_URL")
    resource = os.environ.get("ANTHROPIC_FOUNDRY_RESOURCE")
    if not own and not resource:
        raise CloudProblem("it needs a resource: set ANTHROPIC_FOUNDRY_RESOURCE to its name")
    return own or f"https://{resource}.services.ai.azure.com/anthropic/"


SERVERS: Mapping[str, Callable[[], str]] = {
    "bedrock": find_bedrock_address,
    "vertex": find_vertex_address,
    "foundry": find_foundry_address,
}
"""By the names of the clouds."""

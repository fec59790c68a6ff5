"""Whose server it is, and where its Web UI shows a run."""

import os
from typing import TYPE_CHECKING
from urllib.parse import quote

from platformdirs import user_config_path

from caveat.workers.problem import ServerProblem

if TYPE_CHECKING:
    from caveat.workers.connection import Connection


def names_own_server() -> bool:
    """Say whether the environment or a Temporal profile names a server of your own."""
    # A configuration that cannot be used means one, too: connecting then says what is wrong with
    # it.
    if not _may_be_elsewhere():
        return False
    from caveat.workers.connection import read_temporal_config  # noqa: PLC0415  # the SDK takes long to load

    try:
        return read_temporal_config() is not None
    except ServerProblem:
        return True


def _may_be_elsewhere() -> bool:
    """Say whether there is a variable or a profile of Temporal's; the SDK alone knows its word."""
    if any(name.startswith("TEMPORAL_") for name in os.environ):
        return True
    try:
        return (user_config_path("temporalio", appauthor=False) / "temporal.toml").exists()
    except (OSError, RuntimeError):  # there is no home folder
        return True


def build_ui_link(connection: "Connection", page: str = "/") -> str | None:
    """Return the address that opens a page of the Web UI, token included.

    It is for the terminal that started the server: not for files, notices or other people.

    Returns:
        None for a server whose Web UI is not known.
    """
    if connection.ui_url is None:
        return None
    token = f"?token={connection.ui_token}" if connection.ui_token else ""
    return f"{connection.ui_url}{page}{token}"


def build_run_link(connection: "Connection", run_id: str) -> str | None:
    """Return the address that opens a run's page, as `build_ui_link` does."""
    return build_ui_link(connection, _build_page_path(connection, run_id))


def build_run_url(connection: "Connection", run_id: str) -> str | None:
    """Return the address of a run's page, which asks a browser that is new for the token."""
    return (
        None
        if connection.ui_url is None
        else connection.ui_url + _build_page_path(connection, run_id)
    )


def _build_page_path(connection: "Connection", run_id: str) -> str:
    namespace = quote(connection.client.namespace, safe="")
    return f"/namespaces/{namespace}/workflows/{quote(run_id, safe='')}"

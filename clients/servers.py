"""Whose server it is, and where its Web UI shows a run."""

import os
from typing import TYPE_CHECKING
from urllib.parse import quote

from platformdirs import user_config_path

from caveat.problem import OutOfReach
from caveat.workers.settings import WEB_UI

if TYPE_CHECKING:
    from caveat.workers.connection import Connection


def names_own_server() -> bool:
    """Say whether the environment or a Temporal profile names a server of your own."""
    # A configuration that cannot be used means one, too: connecting then says what is wrong with
    # it.
    try:
        profiles = user_config_path("temporalio", appauthor=False) / "temporal.toml"
        may_be = profiles.exists() or any(name.startswith("TEMPORAL_") for name in os.environ)
    except (OSError, RuntimeError):  # there is no home folder
        may_be = True
    if not may_be:  # else the SDK alone can read it
        return False
    from caveat.workers.connection import read_temporal_config  # noqa: PLC0415  # the SDK takes long to load

    try:
        return read_temporal_config() is not None
    except OutOfReach:
        return True


def build_ui_path(connection: "Connection", run_id: str) -> str | None:
    """Say where the page has a run in the embedded server's Web UI."""
    if connection.server is None:
        return None
    return f"{WEB_UI}/namespaces/default/workflows/{quote(run_id, safe='')}"

"""Whose server it is, before anything connects to it."""

import os

from temporalio.envconfig import ClientConfig


def names_own_server() -> bool:
    """Say whether the environment or a Temporal profile names a server of your own.

    A configuration that cannot be read means one, too: connecting then says what is wrong with it.
    """
    try:
        config = ClientConfig.load_client_connect_config()
    except RuntimeError:
        return True
    return "target_host" in config or bool(os.environ.get("TEMPORAL_PROFILE"))

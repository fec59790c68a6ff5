"""Where a run is in Temporal's Web UI."""

from urllib.parse import quote

from workers.connection import Connection


def run_url(connection: Connection, run_id: str) -> str | None:
    """Return the address of a run's page; None for a server whose Web UI is not known."""
    if connection.ui_url is None:
        return None
    namespace = quote(connection.client.namespace, safe="")
    return f"{connection.ui_url}/namespaces/{namespace}/workflows/{quote(run_id, safe='')}"

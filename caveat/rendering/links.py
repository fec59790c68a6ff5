"""Paths of the page that people open: notices and terminals name them, and the page serves them."""

from urllib.parse import quote


def run_path(run_id: str) -> str:
    """Return the path of a run's page."""
    return f"/runs/{quote(run_id, safe='')}"


def contradiction_path(arbitration: str) -> str:
    """Return the path of a contradiction's page.

    Args:
        arbitration: workflow id of its arbitration, `<run>/contradiction-<n>`.
    """
    run_id, _, contradiction = arbitration.rpartition("/")
    return f"{run_path(run_id)}/contradictions/{quote(contradiction, safe='')}"

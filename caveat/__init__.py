"""Durable multi-agent research on Temporal: `report = await research("…", corpus=["papers"])`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caveat.clients.api import research
    from caveat.contracts.report import Report
    from caveat.rendering.gist import build_gist
    from caveat.workers.plugin import CaveatPlugin

__all__ = ["CaveatPlugin", "Report", "build_gist", "research"]


def __getattr__(name: str) -> Any:
    """Load what runs research only when it is asked for: every command imports this package."""
    homes = {
        "CaveatPlugin": "workers.plugin", "Report": "contracts.report", "research": "clients.api",
        "build_gist": "rendering.gist",
    }  # fmt: skip
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"caveat.{homes[name]}"), name)

"""Durable multi-agent research on Temporal: `report = await research("…", corpus=["papers"])`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caveat.clients.api import research
    from caveat.workers.plugin import CaveatPlugin

__all__ = ["CaveatPlugin", "research"]


def __getattr__(name: str) -> Any:
    """Load what runs research only when it is asked for: every command imports this package."""
    if name == "research":
        from caveat.clients.api import research  # noqa: PLC0415  # see above

        return research
    if name == "CaveatPlugin":
        from caveat.workers.plugin import CaveatPlugin  # noqa: PLC0415  # see above

        return CaveatPlugin
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

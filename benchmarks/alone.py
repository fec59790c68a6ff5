"""Commands that meet nothing of this machine's own: folders and ports that nobody else has."""

from pathlib import Path

from standins.free_ports import free_port


def alone(folder: Path) -> dict[str, str]:
    """Return the variables by which a command keeps everything in a folder."""
    ports = ("CAVEAT_PORT", "CAVEAT_UI_PORT", "CAVEAT_WEB_PORT")
    return {
        "CAVEAT_STATE_DIR": str(folder / "state"),
        "CAVEAT_CACHE_DIR": str(folder / "cache"),
        **{name: str(free_port()) for name in ports},
    }

"""The roles' instructions: one Markdown file beside the module of each role."""

from functools import cache
from importlib import resources


@cache
def prompt(role: str) -> str:
    """Read a role's instructions.

    They are the same for every task of the role, byte for byte, so that servers cache them.
    """
    return resources.files(__package__).joinpath(f"{role}.md").read_text("utf-8")

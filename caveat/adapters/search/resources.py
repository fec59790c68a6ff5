"""What a search engine is made with."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from caveat.adapters.http.client import Client
from caveat.adapters.search.failures import NO_KEY, failed

_LONGEST_FILE = 4096
"""Bytes; keys are some dozens of characters."""


def setting(name: str) -> str | None:
    """Return an environment variable, or the content of the file that `NAME_FILE` names.

    Read anew each time, so that a key that was changed in its file works at once.
    """
    value = os.environ.get(name, "").strip()
    file = os.environ.get(f"{name}_FILE", "").strip()
    if value or not file:
        return value or None
    try:
        with Path(file).open(encoding="utf-8") as opened:
            return opened.read(_LONGEST_FILE).strip() or None
    except (OSError, UnicodeDecodeError):
        return None


@dataclass(frozen=True)
class Resources:
    """What the factory of an engine may use.

    Attributes:
        client: sends requests; it says who asks.
        setting: returns a setting or a secret by its name, None where there is none. To be asked
            at every search, so that new credentials count at once.
    """

    client: Client
    setting: Callable[[str], str | None] = field(default=setting, repr=False)

    def key(self, engine: str, name: str) -> str:
        """Return a key.

        Raises:
            PortFailure: there is none, or it cannot be sent.
        """
        key = self.setting(name)
        if not key or not (key.isascii() and key.isprintable() and " " not in key):
            raise failed(engine, NO_KEY)
        return key

"""Where the key of the Messages API comes from."""

import asyncio
import re
from dataclasses import dataclass, field
from pathlib import Path

from caveat.adapters.claude.messages.problems import PROVIDER
from caveat.atomic import read_secret_file
from caveat.failures import forbidden

_KEY = re.compile(r"[!-~]+")
"""Printable and without white space: anything else cannot stand in a header."""


@dataclass(frozen=True)
class ApiKey:
    """The key of this moment."""

    fixed: str = field(default="", repr=False)
    file: Path | None = None  # holds it instead, and is read for each call: a rotated one works

    async def read(self) -> str:
        """Return what to call with."""
        name, key, why = "The API key", self.fixed.strip(), ""
        if self.file is not None:
            name = f"The API key in {self.file}"
            try:
                key = await asyncio.to_thread(read_secret_file, self.file)
            except ValueError as error:
                why = str(error)
        if not why and _KEY.fullmatch(key) is None:
            why = "it holds characters that no key has" if key else "it is empty"
        if why:
            sentence = f"{name} cannot be used: {why}."
            raise forbidden(sentence, resource="API key", provider=PROVIDER)
        return key

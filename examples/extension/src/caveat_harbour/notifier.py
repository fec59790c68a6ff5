"""A notifier that hoists a flag: a file for each notice."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from caveat.contracts.notice import Notice
from caveat.extending import Resources, unavailable


def make(resources: Resources) -> "Signal":
    """Make it with what the environment says."""
    folder = resources.setting("SIGNAL_FOLDER")
    if folder is None:
        raise ValueError("set SIGNAL_FOLDER to a folder for the flags")
    return Signal(Path(folder))


@dataclass(frozen=True)
class Signal:
    """Writes each notice to a file of its id, so that one that comes again is seen once.

    Attributes:
        folder: for the files.
    """

    folder: Path

    async def notify(self, notice: Notice) -> None:
        """Write it.

        Raises:
            PortFailure: the folder cannot be written now.
        """
        name = f"{notice.id.replace('/', '_')}.json"
        try:
            await asyncio.to_thread(
                (self.folder / name).write_text, notice.model_dump_json(), encoding="utf-8"
            )
        except OSError:
            raise unavailable("The flags cannot be hoisted now.", resource="signal") from None

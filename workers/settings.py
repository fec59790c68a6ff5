"""Where Caveat keeps things, which ports it uses: everything the environment may say.

Imported by every command, `--help` included, so it imports nothing of Temporal or of the domain.
"""

import os
from pathlib import Path
from typing import Annotated

from platformdirs import user_cache_path, user_state_path
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

_PREFIX = "CAVEAT_"


class SettingsProblem(Exception):  # noqa: N818  # it is shown as a sentence, not as an error type
    """A setting has a value that it cannot have; the message is one sentence for people."""


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100  # keeps symlinks, as typed


def _split(value: object) -> object:
    return [part for part in value.split(os.pathsep) if part] if isinstance(value, str) else value


Folder = Annotated[Path, AfterValidator(_absolute)]
Folders = Annotated[tuple[Folder, ...], NoDecode, BeforeValidator(_split)]
Port = Annotated[int, Field(ge=1, le=65_535)]


class Settings(BaseSettings):
    """The settings of one process, read from `CAVEAT_...` variables.

    Attributes:
        state_dir: what must last: the server's database, snapshots, payloads, reports, memory.
        cache_dir: what can be made again: the index.
        port: of the embedded server; 7233 is Temporal's own default.
        ui_port: of its Web UI; 1000 above `port`, as Temporal does it.
        corpus: folders to search when a request names none, separated as in `PATH`.
        corpus_roots: folders that a requested corpus must lie in, separated as in `PATH`; empty
            means anywhere.
    """

    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_ignore_empty=True, frozen=True)

    state_dir: Folder = Field(default_factory=lambda: user_state_path("caveat", appauthor=False))
    cache_dir: Folder = Field(default_factory=lambda: user_cache_path("caveat", appauthor=False))
    port: Port = 7233
    ui_port: Port = Field(
        default_factory=lambda known: known.get("port", 0) + 1000, validate_default=True
    )
    corpus: Folders = ()
    corpus_roots: Folders = ()

    @property
    def server_folder(self) -> Path:
        """The embedded server's database, log, record and locks."""
        return self.state_dir / "server"

    @property
    def server_database(self) -> Path:
        """The embedded server's SQLite file."""
        return self.server_folder / "temporal.db"

    @property
    def server_log(self) -> Path:
        """The embedded server's log, begun anew at each of its starts."""
        return self.server_folder / "server.log"

    @property
    def payloads_folder(self) -> Path:
        """Payloads too large for the history, by content."""
        return self.state_dir / "payloads"

    @property
    def snapshots_folder(self) -> Path:
        """Texts of sources, by content."""
        return self.state_dir / "snapshots"

    @property
    def reports_folder(self) -> Path:
        """Reports, a folder a run."""
        return self.state_dir / "reports"

    @property
    def memory_database(self) -> Path:
        """What is remembered of runs: a SQLite file."""
        return self.state_dir / "memory.db"

    @property
    def index_folder(self) -> Path:
        """Indexes of corpora."""
        return self.cache_dir / "index"


def load() -> Settings:
    """Read the settings from the environment.

    Raises:
        SettingsProblem: a variable has a value that it cannot have.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = _PREFIX + str(first["loc"][0]).upper()
        raise SettingsProblem(
            f"{name} cannot be {first['input']!r}: {first['msg'].lower()}."
        ) from None

"""Where Caveat keeps things, which ports it uses: everything the environment may say.

Imported by every command, `--help` included, so it imports nothing of Temporal or of the domain.
"""

import os
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from platformdirs import user_cache_path, user_config_path, user_state_path
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

_PREFIX = "CAVEAT_"


class SettingsProblem(Exception):
    """A setting has a value that it cannot have; the message is one sentence for people."""


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100  # keeps symlinks, as typed


def _split(value: object) -> object:
    return [part for part in value.split(os.pathsep) if part] if isinstance(value, str) else value


def _receiver(url: str) -> str:
    # No sentence repeats the URL: a part of it may be a token.
    if not _plain(url):
        raise ValueError(
            "CAVEAT_WEBHOOK_URL must be an http or https URL with a host, in ASCII without spaces."
        )
    if "@" in urlsplit(url).netloc:
        raise ValueError(
            "CAVEAT_WEBHOOK_URL must not hold a user name or a password: receivers check the "
            "signature that CAVEAT_WEBHOOK_SECRET makes."
        )
    return url


def _plain(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")  # what every look-up does with a name
        numbered = parts.port is None or parts.port > 0
    except ValueError:
        return False
    printable = all("!" <= mark <= "~" for mark in url)
    return printable and parts.scheme in {"http", "https"} and 0 < len(host) <= 253 and numbered


Folder = Annotated[Path, AfterValidator(_absolute)]
File = Folder
Folders = Annotated[tuple[Folder, ...], NoDecode, BeforeValidator(_split)]
Port = Annotated[int, Field(ge=1, le=65_535)]
Receiver = Annotated[str, AfterValidator(_receiver)]


def _teams_beside(state_dir: Path | None) -> Path:
    """The user's configuration folder; without a home, as in a container, the state folder."""
    try:
        return user_config_path("caveat", appauthor=False) / "teams"
    except RuntimeError:
        if state_dir is None:
            raise
        return state_dir / "teams"


class Settings(BaseSettings):
    """The settings of one process, read from `CAVEAT_...` variables.

    Attributes:
        state_dir: what must last: the server's database, snapshots, payloads, reports, memory.
        cache_dir: what can be made again: the index.
        teams_dir: the user's own teams (docs/teams.md); it need not exist.
        port: of the embedded server; 7233 is Temporal's own default.
        ui_port: of its Web UI; 1000 above `port`, as Temporal does it.
        corpus: folders to search when a request names none, separated as in `PATH`.
        corpus_roots: folders that a requested corpus must lie in, separated as in `PATH`; empty
            means anywhere.
        memory_url: the database that remembers runs, `postgresql://user:password@host/name`; None
            means a SQLite file in `state_dir`.
        webhook_url: where notices are posted (docs/notifications.md); None means that they only
            stand in the log.
        webhook_secret: what deliveries are signed with.
        webhook_secret_file: the same as a file, read anew at each delivery.
    """

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_ignore_empty=True, frozen=True, hide_input_in_errors=True
    )

    state_dir: Folder = Field(default_factory=lambda: user_state_path("caveat", appauthor=False))
    cache_dir: Folder = Field(default_factory=lambda: user_cache_path("caveat", appauthor=False))
    teams_dir: Folder = Field(default_factory=lambda data: _teams_beside(data.get("state_dir")))
    port: Port = 7233
    ui_port: Port = Field(
        default_factory=lambda known: known.get("port", 0) + 1000, validate_default=True
    )
    corpus: Folders = ()
    corpus_roots: Folders = ()
    memory_url: SecretStr | None = None
    webhook_url: Receiver | None = Field(default=None, repr=False)
    webhook_secret: SecretStr | None = None
    webhook_secret_file: File | None = None

    @model_validator(mode="after")
    def _secret_fits_webhook(self) -> Self:
        given = [
            name
            for name in ("webhook_secret", "webhook_secret_file")
            if getattr(self, name) is not None
        ]
        if len(given) == 2:
            raise ValueError(
                "CAVEAT_WEBHOOK_SECRET and CAVEAT_WEBHOOK_SECRET_FILE are both set: keep one."
            )
        if given and self.webhook_url is None:
            raise ValueError(
                f"{_PREFIX}{given[0].upper()} signs nothing without CAVEAT_WEBHOOK_URL: set both."
            )
        return self

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
        """What is remembered of runs, without `memory_url`: a SQLite file."""
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
        raise SettingsProblem(_sentence(error.errors()[0])) from None
    except RuntimeError:  # platformdirs looked for a home folder and there is none
        raise SettingsProblem(
            "There is no home folder to keep things in: set CAVEAT_STATE_DIR and CAVEAT_CACHE_DIR."
        ) from None


def _sentence(error: Any) -> str:
    if error["type"] == "value_error":  # our own, and a sentence already
        return str(error["ctx"]["error"])
    name = _PREFIX + str(error["loc"][0]).upper()
    return f"{name} cannot be {error['input']!r}: {error['msg'].lower()}."

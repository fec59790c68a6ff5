"""Where Caveat keeps things, which ports it uses: everything the environment may say.

Imported by every command, `--help` included, so it imports nothing of Temporal and, of the domain,
what a problem is alone.
"""

import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self
from urllib.parse import quote, urlsplit

from platformdirs import user_cache_path, user_config_path, user_state_path
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    HttpUrl,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from caveat.atomic import read_secret_file
from caveat.problem import ExitCode, Problem

_PREFIX = "CAVEAT_"
_PAGE_ABOVE = 1001  # the port of the page, above that of the embedded server

WEB_UI = "/temporal"  # below which the page has the Web UI of the embedded server

_READ_ELSEWHERE = frozenset({"CAVEAT_CORPUS_DIR", "CAVEAT_AGENT_KEY"})
"""Variables that are no settings of Caveat: docker-compose.yml and agents elsewhere read these."""


class SettingsProblem(Problem):
    exit_code: ClassVar[ExitCode] = ExitCode.WRONG_INPUT


def _make_absolute(path: Path) -> Path:
    return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100  # keeps symlinks, as typed


def _split(value: object) -> object:
    return [part for part in value.split(os.pathsep) if part] if isinstance(value, str) else value


def _split_words(value: object) -> object:
    return value.replace(",", " ").split() if isinstance(value, str) else value


def _check_host(host: str) -> str:
    if host.count(":") == 1 or "/" in host:
        raise ValueError(
            "CAVEAT_WEB_HOST takes an address without a port, such as 127.0.0.1 or ::1; "
            "CAVEAT_PORT moves the ports."
        )
    return host


def _check_bucket(url: str) -> str:
    # Neither a user nor a query: credentials are the environment's, and a URL is shown.
    bucket = r"(s3|gs|az)://[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9_=+-][A-Za-z0-9._=+-]*)*/?"
    if not re.fullmatch(bucket, url):
        raise ValueError(
            "CAVEAT_BLOBS takes s3://bucket/prefix, gs://bucket/prefix or az://container/prefix; "
            "credentials stay in the variables of their vendor."
        )
    return url.rstrip("/")


Folder = Annotated[Path, AfterValidator(_make_absolute)]
Folders = Annotated[tuple[Folder, ...], NoDecode, BeforeValidator(_split)]
Name = Annotated[str, AfterValidator(str.lower)]
Names = Annotated[tuple[Name, ...], NoDecode, BeforeValidator(_split_words)]
Port = Annotated[int, Field(ge=1, le=65_535)]
Addresses = Annotated[tuple[HttpUrl, ...], NoDecode, BeforeValidator(_split_words)]
Bucket = Annotated[str, AfterValidator(_check_bucket)]


def _find_config_folder(state_dir: Path | None) -> Path:
    """The user's configuration folder; without a home, as in a container, the state folder."""
    try:
        return user_config_path("caveat", appauthor=False)
    except RuntimeError:
        if state_dir is None:
            raise
        return state_dir


class _In:
    def __init__(self, folder: str, name: str) -> None:
        self._folder, self._name = folder, name

    def __get__(self, settings: object, owner: type) -> Path:
        folder: Path = getattr(settings, self._folder)
        return folder / self._name


class _Places:
    web_token = _In("state_dir", "web.token")  # opens the page, and signs its cookies
    uploads_folder = _In("state_dir", "uploads")  # dropped onto the page, a folder a time
    answers_folder = _In("state_dir", "answers")  # of models, by what was asked
    signing_key = _In("state_dir", "signing.key")  # of this user's commands
    server_folder = _In("state_dir", "server")  # database, log, record and locks
    server_database = _In("server_folder", "temporal.db")  # the embedded server's
    worker_log = _In("state_dir", "worker.log")  # what workers of commands warn of
    server_log = _In("server_folder", "server.log")  # begun anew at each of its starts
    payloads_folder = _In("state_dir", "payloads")  # too large for a history, by content
    snapshots_folder = _In("state_dir", "snapshots")  # texts of sources, by content
    reports_folder = _In("state_dir", "reports")  # a folder a run
    written_folder = _In("state_dir", "written")  # which run's files commands wrote where
    messages_folder = _In("state_dir", "messages")  # what receivers have taken, a file each
    memory_database = _In("state_dir", "memory.db")  # SQLite, without `memory_url`
    index_folder = _In("cache_dir", "index")  # indexes of corpora
    teams_dir = _In("config_dir", "teams")  # the user's own teams (docs/teams.md)
    capabilities = _In("config_dir", "models.json")  # what `caveat models check` found out
    mcp_servers = _In("config_dir", "mcp.toml")  # that `search` may name (docs/mcp.md)


class Settings(_Places, BaseSettings):
    """The settings of one process, read from `CAVEAT_...` variables."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_ignore_empty=True, frozen=True, hide_input_in_errors=True
    )

    # what must last: the server's database, snapshots, payloads, reports, memory
    state_dir: Folder = Field(default_factory=lambda: user_state_path("caveat", appauthor=False))
    # what can be made again: the index
    cache_dir: Folder = Field(default_factory=lambda: user_cache_path("caveat", appauthor=False))
    # a bucket for what workers and clients of a server share (docs/operations.md):
    # `s3://bucket/prefix`, `gs://…` or `az://…`
    blobs: Bucket | None = None
    # the user's own teams (docs/teams.md), `models.json` (docs/models.md), `mcp.toml`
    # (docs/mcp.md); it need not exist
    config_dir: Folder = Field(
        default_factory=lambda data: _find_config_folder(data.get("state_dir"))
    )
    # of the embedded server, as Temporal's own
    port: int = Field(default=7233, ge=1, le=65_535 - _PAGE_ABOVE)
    corpus: Folders = ()  # folders to search when a request names none, separated as in `PATH`
    # folders that anybody may name, with what lies in them, separated as in `PATH`
    corpus_roots: Folders = ()
    # encrypts what the server keeps, 64 bytes in base64 (docs/confidential.md)
    encryption_key: SecretStr | None = None
    encryption_key_file: Folder | None = None  # the same as a file
    # the database that remembers rulings, `postgresql://user:password@host/name`; None means a
    # SQLite file in `state_dir`
    memory_url: SecretStr | None = None
    # the password of that database, in place of one in its address
    memory_password_file: Folder | None = None
    # who is told beside the log, with spaces (docs/notifications.md)
    notify: SecretStr | None = None
    # turns the reasoner into Claude
    anthropic_api_key: SecretStr | None = Field(default=None, validation_alias="ANTHROPIC_API_KEY")
    # the same as a file, read anew at each call
    anthropic_api_key_file: Folder | None = Field(
        default=None, validation_alias="ANTHROPIC_API_KEY_FILE"
    )
    # another server of the Messages API, such as llama.cpp or Ollama
    anthropic_base_url: str | None = Field(default=None, validation_alias="ANTHROPIC_BASE_URL")
    # the cloud that serves Claude: `bedrock`, `vertex` or `foundry` (docs/models.md)
    provider: Literal["bedrock", "vertex", "foundry"] | None = None
    # `extractive` for no model although there is a key
    reasoner: Literal["claude", "extractive"] | None = None
    models: str | None = None  # one name for all roles, or `role=name` with commas
    # bound on all workers' model calls together
    requests_per_minute: float | None = Field(default=None, gt=0)
    # engines, with commas: corpus, claude, arxiv, brave, openalex, searxng, tavily,
    # wikipedia and mcp:NAME
    search: Names = ()
    # what carries messages (docs/messages.md), `amqp://user:password@host/vhost`
    messages: SecretStr | None = None
    # where Prometheus finds the metrics, `127.0.0.1:9464`; health is one port above, and the log is
    # lines of JSON (docs/operations.md)
    metrics: Annotated[str, Field(pattern=r"^[^ ]+:[0-9]{1,5}$")] | None = None
    # address that the page listens on (docs/page.md)
    web_host: Annotated[str, AfterValidator(_check_host)] = "127.0.0.1"
    # of the page; 1001 above `port`
    web_port: Port = Field(default_factory=lambda known: known.get("port", 0) + _PAGE_ABOVE)
    web_url: Addresses = ()  # the page's address as people open it; with commas, further ones
    # of Web UIs that the page decodes for, with commas, where the server is your own:
    # `https://temporal.example.org`
    codec_origins: Names = ()

    @property
    def open_folders(self) -> tuple[Path, ...]:
        """The folders that strangers may choose, with whatever lies in them."""
        return tuple(dict.fromkeys((*self.corpus, *self.corpus_roots)))

    @property
    def memory_address(self) -> str | None:
        """The database that remembers rulings, with its password; None for the file."""
        if self.memory_url is None:
            return None
        address = self.memory_url.get_secret_value()
        if self.memory_password_file is None:
            return address
        scheme, _, rest = address.partition("://")
        who, _, where = rest.rpartition("@")
        password = read_secret_file(self.memory_password_file)
        return f"{scheme}://{who.partition(':')[0]}:{quote(password, safe='')}@{where}"

    @property
    def health(self) -> str | None:
        """Where process managers ask what serves runs how it is, one port above its metrics."""
        if self.metrics is None:
            return None
        host, _, port = self.metrics.rpartition(":")
        return f"{host}:{int(port) + 1}"

    @model_validator(mode="after")
    def _claude_has_a_key(self) -> Self:
        if self.reasoner == "claude" and not self._reaches_models:
            raise ValueError(
                "CAVEAT_REASONER is claude and there is no key: set ANTHROPIC_API_KEY, or "
                "ANTHROPIC_BASE_URL for a server of your own, or CAVEAT_PROVIDER for a cloud."
            )
        return self

    @property
    def _reaches_models(self) -> bool:
        credentials = (self.anthropic_api_key, self.anthropic_api_key_file, self.anthropic_base_url)
        return self.provider is not None or credentials != (None, None, None)

    @property
    def uses_claude(self) -> bool:
        return self._reaches_models and self.reasoner in (None, "claude")

    @property
    def searches_web(self) -> bool:
        """Whether runs without a corpus can search the web, and read it."""
        return any(name != "corpus" for name in self.search) or (
            self.uses_claude and not self.search and self.is_anthropic
        )

    @property
    def is_anthropic(self) -> bool:
        """Whether it is Anthropic's own server, with everything that it can do."""
        if self.provider is not None:
            return False
        host = urlsplit(self.anthropic_base_url or "https://api.anthropic.com").hostname or ""
        return host == "anthropic.com" or host.endswith(".anthropic.com")

    @property
    def web_address(self) -> str:
        """The page as people open it, without a slash at its end: what notices link to."""
        host = f"[{self.web_host}]" if ":" in self.web_host else self.web_host
        return (
            str(self.web_url[0]).rstrip("/") if self.web_url else f"http://{host}:{self.web_port}"
        )


def load() -> Settings:
    _require_known(os.environ)
    try:
        settings = Settings()
    except ValidationError as error:
        wrong = error.errors()[0]
        if wrong["type"] == "value_error":  # our own, and a sentence already
            raise SettingsProblem(str(wrong["ctx"]["error"])) from None
        name = _PREFIX + str(wrong["loc"][0]).upper()
        raise SettingsProblem(
            f"{name} cannot be {wrong['input']!r}: {wrong['msg'].lower()}."
        ) from None
    except RuntimeError:  # platformdirs looked for a home folder and there is none
        raise SettingsProblem(
            "There is no home folder to keep things in: set CAVEAT_STATE_DIR and CAVEAT_CACHE_DIR."
        ) from None
    # Look for the files of secrets and prices at once, and not only where a run needs them.
    needed = {
        "ANTHROPIC_API_KEY_FILE": settings.anthropic_api_key_file if settings.uses_claude else None,
        "CAVEAT_MEMORY_PASSWORD_FILE": settings.memory_password_file,
        "CAVEAT_ENCRYPTION_KEY_FILE": settings.encryption_key_file,
    }
    for variable, file in needed.items():
        if file is not None:
            _require_file(variable, file)
    return settings


def require_package(package: str, extra: str, setting: str) -> None:
    """Look whether a package of an extra is installed that a setting needs."""
    if find_spec(package) is None:
        raise SettingsProblem(
            f"{setting} needs the package {package}: install Caveat with the extra "
            f"`caveat[{extra}]`."
        )


def _require_known(names: Iterable[str]) -> None:
    """Refuse an unknown variable: a misspelt CAVEAT_REASONER would send texts to a model."""
    fields = Settings.model_fields.items()
    known = {str(field.validation_alias or f"{_PREFIX}{name.upper()}") for name, field in fields}
    for name in sorted(names):
        upper = name.upper()
        if upper.startswith(_PREFIX) and upper not in known | _READ_ELSEWHERE:
            nearest = get_close_matches(upper, known, n=1, cutoff=0)
            raise SettingsProblem(
                f"{name} is not a setting (the nearest is {nearest[0]}): correct or unset it."
            )


def _require_file(variable: str, file: Path) -> None:
    try:
        read_secret_file(file)
    except ValueError as error:
        raise SettingsProblem(
            f"{variable} names {file}, which cannot be used ({error}): name a file that can, or "
            f"unset {variable}."
        ) from None

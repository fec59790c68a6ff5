"""Which MCP servers are sources: a TOML file, a table a server."""

import tomllib
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from caveat.contracts.base import Contract
from caveat.rendering.mistakes import first_mistake

_EXAMPLE = '[papers]\ncommand = ["papers-server", "--read-only"]'


class ServersProblem(Exception):
    """The file cannot be used; the text says why, in one sentence."""


class McpServer(Contract):
    """One server.

    Attributes:
        command: what starts it, to be spoken to over its input and output.
        url: where it is, for streamable HTTP.
        token_file: a file with what is sent there as `Authorization: Bearer`.
        search: the tool that finds, given `query`.
        fetch: the tool that brings one text, given `id`.
    """

    command: tuple[str, ...] = ()
    url: str | None = None
    token_file: Path | None = None
    search: str = Field(default="search", min_length=1)
    fetch: str = Field(default="fetch", min_length=1)

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if bool(self.command) == (self.url is not None):
            raise ValueError("it needs either a command or a url")
        if self.url is not None and urlsplit(self.url).scheme not in {"http", "https"}:
            raise ValueError("its url must begin with http:// or https://")
        if self.token_file is not None and self.url is None:
            raise ValueError("a token_file is for a server with a url")
        return self


_SERVERS = TypeAdapter(dict[str, McpServer])


def servers(file: Path) -> dict[str, McpServer]:
    """Read the servers by name.

    Raises:
        ServersProblem: the file cannot be read, or has a mistake.
    """
    try:
        with file.open("rb") as opened:
            found = _SERVERS.validate_python(tomllib.load(opened))
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise ServersProblem(
            f"{file} cannot be read ({reason}): name there each server, for example {_EXAMPLE!r}"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise ServersProblem(f"{file} is no TOML: {error}") from None
    except ValidationError as error:
        raise ServersProblem(f"{file} has a mistake: {first_mistake(error)}") from None
    return found

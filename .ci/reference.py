"""Writes the reference that the code itself knows: commands, settings, and two JSON Schemas.

`make reference` writes it; a test holds the files to the code.
"""

import inspect
import io
import json
import os
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from unittest.mock import patch

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import PydanticUndefined
from pydantic_core.core_schema import ModelSchema

from caveat.clients.cli.app import EXAMPLES
from caveat.clients.cli.boundary import run_app
from caveat.contracts.base import Contract
from caveat.contracts.message import Message
from caveat.contracts.report import SCHEMA_VERSION, Report
from caveat.workers.settings import Settings

DOCS = Path(__file__).resolve().parents[1] / "docs"
MADE = "<!-- Written by `make reference`: change the code, not this page. -->"

EXIT_CODES = """\
| code | meaning |
| --- | --- |
| 0 | done |
| 1 | the work failed by name, or the report does not answer the question |
| 2 | wrong usage or input |
| 3 | no server or provider could be reached |
| 130 | Ctrl-C; the run stays on the server |
"""

_WHOLE = ("", "research")
COMMON = re.compile(
    r"(?:\nArguments:\n)?  RUN <str>  An id[^\n]*\n|  --json +Print JSON[^\n]*\n"
    r"|  --out DIR +Where to write it\.[^\n]*\n|  --wait +Wait for people[^\n]*\n"
    r"|(?:\nOptions:\n)?(?:  --json +Print JSON[^\n]*\n)?  -h, --help +Show this[^\n]*\n"
)
"""What most commands take, which is said once."""


def write_commands() -> str:
    """Write the page of all commands: what each says with --help."""
    taken = (
        "Every command takes `--help`, and most take `--json`: JSON on standard output, nothing "
        "else.\n`RUN` is an id, a unique beginning of one, or `latest`. `--out DIR` and `--wait` "
        "are as for `research`.\n"
    )
    parts = [f"# Commands\n\n{MADE}\n\n{taken}", f"## Exit codes\n\n{EXIT_CODES}", _help("")]
    return "\n".join(parts + [_help(path) for path in EXAMPLES])


def _help(path: str) -> str:
    said = io.StringIO()
    with redirect_stdout(said), patch.dict(os.environ, COLUMNS="80"):
        run_app([*path.split(), "--help"])
    text = (
        said.getvalue()
        if path in _WHOLE
        else COMMON.sub("", said.getvalue()).replace("\nOptions:\n\n", "\n")
    )
    return f"## caveat {path}".rstrip() + f"\n\n```text\n{text.rstrip()}\n```\n"


def write_settings() -> str:
    """Write the page of all settings."""
    said = read_comments(Settings)
    page = re.compile(r"\(docs/([\w-]+\.md)\)")
    linked = {name: page.sub(r"([more](\1))", words) for name, words in said.items()}
    rows = {
        variable(name, field): f"| {linked[name]}.{_default(field)} |"
        for name, field in Settings.model_fields.items()
    }
    own = [name for name in rows if name.startswith("CAVEAT_") and not name.endswith("_FILE")]
    others = [name for name in rows if not name.startswith("CAVEAT_")]
    files = ", ".join(f"`{name}`" for name in rows if name.endswith("_FILE"))
    head = ["| variable | meaning |", "| --- | --- |"]
    intro = (
        "Nothing needs to be set. Caveat refuses a variable that begins with `CAVEAT_` and is none "
        f"of these.\nSecrets are read from files too: {files} name them."
    )
    ending = (
        "## Variables of Anthropic and Temporal\n\nCaveat reads them as their own tools do. Your "
        "own Temporal server comes from `TEMPORAL_ADDRESS` or `TEMPORAL_PROFILE`, as for every "
        "Temporal tool. `TEMPORAL_DEPLOYMENT_NAME` and `TEMPORAL_WORKER_BUILD_ID` "
        "[pin runs to versions](operations.md#upgrades).\n"
    )
    listed = [*head, *(f"| `{name}` {rows[name]}" for name in own), "", ending]
    listed += [*head, *(f"| `{name}` {rows[name]}" for name in others)]
    return "\n".join((f"# Settings\n\n{MADE}\n\n{intro}\n", *listed)) + "\n"


def variable(name: str, field: FieldInfo) -> str:
    """Name the variable of a setting."""
    return str(field.validation_alias or f"CAVEAT_{name.upper()}")


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None or field.default in (None, (), PydanticUndefined):
        return ""
    return f" Default: `{field.default}`."


def read_comments(model: type[BaseModel]) -> dict[str, str]:
    """Read what the code says of each field: in the comments above it, and behind it."""
    told: dict[str, str] = {}
    for kind in reversed(model.__mro__):
        if not kind.__module__.startswith("caveat.") or "[" in kind.__name__:
            continue  # an envelope of one sort of result has no code of its own
        above: list[str] = []
        for line in inspect.getsourcelines(kind)[0]:
            if comment := re.match(r" {4}# (?!noqa)(.+)", line):
                above.append(comment[1])
                continue
            if name := re.match(r" {4}(\w+): (?:.*?  # (?!fmt|noqa)(.+))?", line):
                words = " ".join(filter(None, (*above, name[2])))
                told |= {name[1]: words} if words else {}
            above = []
    return told


class _Described(GenerateJsonSchema):
    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        written = super().model_schema(schema)
        for name, words in read_comments(schema["cls"]).items():
            if name in written["properties"]:
                written["properties"][name]["description"] = words
        return written


def write_schema(contract: type[Contract], version: str = "") -> str:
    """Write the JSON Schema of a contract (draft 2020-12) with a stable order of keys."""
    named = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"{version}Written by `make reference`.",
        **contract.model_json_schema(mode="serialization", schema_generator=_Described),
    }
    return json.dumps(named, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": write_commands,
    "settings.md": write_settings,
    "report.schema.json": lambda: write_schema(Report, f"Version {SCHEMA_VERSION}. "),
    "message.schema.json": lambda: write_schema(Message),
}

if __name__ == "__main__":
    for name, write in PAGES.items():
        (DOCS / name).write_text(write(), encoding="utf-8")

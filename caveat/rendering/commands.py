"""Commands as people can paste them."""

import json
import re
import shlex

from caveat.rendering.visible import sanitize_line
from caveat.rules.contradictions.choices import PAIR, format_choice, format_options, list_letters


def format_command(name: str, *arguments: str, options: str = "") -> str:
    """Format a command, for example `caveat status research-x-3fa9c1`."""
    quoted, chosen = map(quote_for_shell, arguments), [options] if options else []
    if any(each.startswith("-") for each in arguments):
        return " ".join(("caveat", name, *chosen, "--", *quoted))
    return " ".join(("caveat", name, *quoted, *chosen))


def format_code(written: str) -> str:
    fence = "`" * (1 + max(map(len, re.findall("`+", written)), default=0))
    return f"{fence}{written}{fence}"


def format_ruling_input(values: int) -> str:
    """Format the input of a ruling for the Temporal CLI and the Web UI."""
    every = format_choice((True,) * values)
    return json.dumps({"ruling": every, "reason": "why", "decided_by": "your name"})


DEFAULT_NAMESPACE = "default"  # where the Temporal CLI looks without being told


def format_ruling_command(arbitration: str, values: int) -> str:
    choices = format_options(values)  # unquoted: one of them is typed
    if arbitration.startswith("-"):  # what follows `--` is no option, whatever it begins with
        return f"caveat rule --because TEXT -- {quote_for_shell(arbitration)} {choices}"
    return f"caveat rule {quote_for_shell(arbitration)} {choices} --because TEXT"


def format_update_command(arbitration: str, values: int, namespace: str = DEFAULT_NAMESPACE) -> str:
    place = "" if namespace == DEFAULT_NAMESPACE else f" --namespace {quote_for_shell(namespace)}"
    return (
        f"temporal workflow update execute{place} --workflow-id {quote_for_shell(arbitration)} "
        f"--name rule --input {shlex.quote(format_ruling_input(values))}"
    )


def list_choices(values: int) -> str:
    names = list_letters(values)
    if values == PAIR:
        return "`a`, `b`, `both` or `neither`"
    return (
        f"a letter from `{names[0]}` to `{names[-1]}`, several such as `{names[0]},{names[-1]}`, "
        "`all` (each in its own scope) or `none`"
    )


def quote_for_shell(text: str) -> str:
    """Quote a text for a shell, without the signs that a terminal obeys."""
    return shlex.quote(sanitize_line(text))

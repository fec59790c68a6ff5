"""Commands as people can paste them, whatever the ids in them are made of."""

import json
import re
import shlex

from caveat.rendering.visible import is_control
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
    # `$'...'` is how bash, ksh and zsh write such characters.
    if not any(map(is_control, text)):
        return shlex.quote(text)
    plain = text.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + "".join(_escape_sign(sign) if is_control(sign) else sign for sign in plain) + "'"


def _escape_sign(sign: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in sign.encode(errors="surrogatepass"))

"""Commands as people can paste them, whatever the ids in them are made of."""

import shlex
import unicodedata

from caveat.rules import choices


def command(name: str, *given: str, options: str = "") -> str:
    """Write a command of ours, for example `caveat status research-x-3fa9c1`.

    Args:
        name: of the command.
        given: its arguments, quoted here.
        options: as they are typed.
    """
    words = ["caveat", name, *map(quoted, given)]
    if any(each.startswith("-") for each in given):
        words = ["caveat", name, *([options] if options else []), "--", *map(quoted, given)]
    elif options:
        words.append(options)
    return " ".join(words)


def answer(arbitration: str, values: int) -> str:
    """Write the command that answers an arbitration, with the choices that there are."""
    if arbitration.startswith("-"):
        return f"caveat rule --because TEXT -- {quoted(arbitration)} {choices.options(values)}"
    return f"caveat rule {quoted(arbitration)} {choices.options(values)} --because TEXT"


def quoted(text: str) -> str:
    """Quote a text for a shell; what a terminal would obey is written in signs that it shows.

    `$'...'` is how bash, ksh and zsh write such characters.
    """
    if not any(map(is_control, text)):
        return shlex.quote(text)
    plain = text.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + "".join(_escaped(sign) if is_control(sign) else sign for sign in plain) + "'"


def is_control(sign: str) -> bool:
    """Say whether a terminal may obey a character instead of showing it."""
    # Cc are the control characters, escape among them; Cf turn the direction of writing. Lone
    # surrogates (Cs) cannot be written at all, and Zl and Zp begin a new line.
    return unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _escaped(sign: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in sign.encode(errors="surrogatepass"))

"""Files of TOML that people write, read as what they describe."""

import tomllib
from importlib.resources.abc import Traversable
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from caveat.failures import invalid
from caveat.rendering.mistakes import describe_mistakes

T = TypeVar("T")


def read_table(file: Traversable, what: str, kind: type[T]) -> T:
    """Read a file.

    Args:
        what: it is, for people: `The team file`.

    Raises:
        PortFailure: it cannot be used; the sentence names the file, and what is wrong in it.
    """
    try:
        written = tomllib.loads(file.read_bytes().decode("utf-8"))
        return TypeAdapter(kind).validate_python(written, extra="forbid")
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        why = "is not text in UTF-8"
    except tomllib.TOMLDecodeError as error:
        why = f"is not valid TOML: {error}"
    except ValidationError as error:
        why = f"is wrong: {describe_mistakes(error)}"
    raise invalid(f"{what} {file} {why}.", resource=str(file))

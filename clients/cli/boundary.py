"""From any exception to one sentence and an exit code."""

import io
import sys
import tempfile
import traceback
from collections.abc import Sequence

from typer.exceptions import TyperException
from typer.main import get_command

from clients.cli.app import app
from clients.cli.exits import ExitCode, Stopped
from clients.problems import BadInput, OutOfReach, Problem


def run_app(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; every problem is a sentence on stderr."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A file name that is not text must not end a run whose work is done.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        returned = get_command(app).main(list(arguments), prog_name="caveat", standalone_mode=False)
    except Stopped as stopped:
        return stopped.exit_code
    except TyperException as error:
        return _wrong_usage(error)
    except Exception as error:  # noqa: BLE001  # the last boundary
        return _told(error)
    return int(returned or ExitCode.DONE)


def _open_closed_streams() -> None:
    """Write into nothing where a shell closed a stream, as with `>&-`: Python has none then."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))


def _wrong_usage(error: TyperException) -> int:
    message = error.format_message()
    # Without a command it is the help text, which typer has printed already.
    if message.endswith("?"):
        _say(message)
    elif message:
        _say(f"{message.rstrip('.')}: `caveat --help` shows what can be typed.")
    return ExitCode.WRONG_INPUT


def _told(error: Exception) -> int:
    code = _code(error)
    if code is None:
        return _unforeseen(error)
    _say(str(error))
    return code


def _code(error: Exception) -> ExitCode | None:
    if isinstance(error, Problem):
        return _problem_code(error)
    # Imported by whoever raised them, and by nobody who only wants help.
    match f"{type(error).__module__}.{type(error).__name__}":
        case "workers.settings.SettingsProblem":
            return ExitCode.WRONG_INPUT
        case "workers.problem.ServerProblem":
            return ExitCode.OUT_OF_REACH
        case "caveat.failures.PortFailure":
            return ExitCode.FAILED
        case _:
            return None


def _problem_code(problem: Problem) -> ExitCode:
    if isinstance(problem, BadInput):
        return ExitCode.WRONG_INPUT
    if isinstance(problem, OutOfReach):
        return ExitCode.OUT_OF_REACH
    return ExitCode.FAILED


def _unforeseen(error: Exception) -> int:
    with tempfile.NamedTemporaryFile(
        "w", prefix="caveat-", suffix=".log", delete=False, encoding="utf-8", errors="replace"
    ) as log:
        traceback.print_exception(error, file=log)
    _say(
        f"Something unforeseen happened ({type(error).__name__}); runs on the server are not "
        f"touched by it, and the details are in {log.name}."
    )
    return ExitCode.FAILED


def _say(sentence: str) -> None:
    from clients.cli.console import say, stderr  # noqa: PLC0415  # only when there is something

    say(stderr(), sentence)

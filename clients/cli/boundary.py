"""From any exception to one sentence and an exit code."""

import io
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence

import typer
from pydantic import ValidationError
from typer.exceptions import TyperException
from typer.main import get_command

from caveat.clients.cli.app import EXAMPLES, app
from caveat.problem import ExitCode, Problem, Stopped
from caveat.rendering.mistakes import describe_first_mistake


def run_app(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; every problem is a sentence on stderr."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A file name that is not text must not end a run whose work is done.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        return _run_command(arguments)
    finally:  # write out what is left, or nothing where nobody reads it any more
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BrokenPipeError:
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run_command(arguments: Sequence[str]) -> int:
    match list(arguments):
        case ["help", *command]:
            typed = [*command, "--help"]
        case ["version"]:
            typed = ["--version"]
        case typed:
            pass
    try:
        returned = get_command(app).main(typed, prog_name="caveat", standalone_mode=False)
    except Stopped as stopped:
        return stopped.exit_code
    except SystemExit:  # what prints help leaves so where its reader has left, as `head` does
        return ExitCode.DONE
    except TyperException as error:
        return _report_wrong_usage(error, typed)
    except Problem as problem:
        _say(str(problem))
        return problem.exit_code
    except Exception as error:  # noqa: BLE001  # the last boundary
        return _report_unforeseen(error)
    return int(returned or ExitCode.DONE)


def _open_closed_streams() -> None:
    """Write into nothing where a shell closed a stream, as with `>&-`: Python has none then."""
    # This takes its number: else a file or the server's lock would, and be written to.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  # until the process ends


def _report_wrong_usage(error: TyperException, typed: Sequence[str]) -> int:
    context = getattr(error, "ctx", None)  # None where an option came without its value
    named = [each for each in typed[:1] if each in EXAMPLES]
    command = context.command_path if context else " ".join(("caveat", *named))
    message = error.format_message()
    parameter = getattr(error, "param", None)
    if parameter and isinstance(error.__cause__, ValidationError):  # as of a number that is none
        message = describe_first_mistake(error.__cause__, parameter.opts[0])
    if type(error).__name__ == "NoArgsIsHelpError":  # which typer hands out by no public name
        typer.echo(message, err=True)
    elif message.endswith("?"):
        _say(message)
    else:
        _say(f"{message.rstrip('.')}: `{command} --help` shows what can be typed.")
    return ExitCode.WRONG_INPUT


def _report_unforeseen(error: Exception) -> int:
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
    from caveat.clients.cli.console import get_stderr, say  # noqa: PLC0415  # only when there is something

    say(get_stderr(), sentence)

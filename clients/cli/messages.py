"""The commands that show what could not be delivered, send it again, and hand out keys."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from caveat.clients.cli.console import get_stderr, get_stdout, print_json, say
from caveat.clients.cli.session import keep_quiet, run
from caveat.clients.cli.tables import build_plain_table, format_local_time
from caveat.clients.problems import BadInput, NoResult
from caveat.contracts.message import AgentName, DeadLetter
from caveat.ports import Messages
from caveat.rendering.visible import sanitize_line
from caveat.workers.messages import create_messages, read_master_key
from caveat.workers.settings import load

T = TypeVar("T")

_HEADINGS = ("id", "agent", "kind", "died", "reason")


def dead_letters(*, agent: str | None, as_json: bool) -> None:
    """Carry the command out."""
    letters = _ask_carrier(lambda carrier: carrier.list_dead_letters(agent))
    if as_json:
        print_json([letter.model_dump(mode="json") for letter in letters])
    elif letters:
        get_stdout().print(build_plain_table(_HEADINGS, map(_render_row, letters)))
        say(get_stderr(), "`caveat admin resend ID` sends one again.")
    else:
        say(get_stderr(), "No message is dead.")


def dead_letter(letter_id: str, *, agent: str | None) -> None:
    """Carry the command out."""
    found = _ask_carrier(lambda carrier: _find_letter(carrier, letter_id, agent))
    print_json(found.model_dump(mode="json"))


def resend(letter_id: str, *, agent: str | None, as_json: bool) -> None:
    """Carry the command out."""
    to = _ask_carrier(lambda carrier: _resend_letter(carrier, letter_id, agent))
    if as_json:
        print_json({"id": letter_id, "agent": to})
    else:
        say(get_stdout(), f"{letter_id} is sent to {to} again.")


def agent_key(agent: str) -> None:
    """Carry the command out."""
    try:
        TypeAdapter[str](AgentName).validate_python(agent)
    except ValidationError:
        raise BadInput(
            f"“{sanitize_line(agent)}” is no agent's name: it begins with a letter, and has small "
            "letters, digits and dashes, 40 at most."
        ) from None
    say(get_stdout(), read_master_key(load()).format_keys(agent))


def _ask_carrier(question: Callable[[Messages], Awaitable[T]]) -> T:
    carrier = create_messages(load())

    async def ask_and_close() -> T:
        try:
            return await question(carrier)
        finally:
            await carrier.close()

    keep_quiet()
    return run(ask_and_close())


async def _resend_letter(carrier: Messages, letter_id: str, agent: str | None) -> str:
    letter = await _find_letter(carrier, letter_id, agent)
    if letter.message is None:
        raise NoResult(f"{letter_id} is no message, and cannot be sent again.")
    await carrier.resend(letter)
    return letter.agent


async def _find_letter(carrier: Messages, letter_id: str, agent: str | None) -> DeadLetter:
    found = [letter for letter in await carrier.list_dead_letters(agent) if letter.id == letter_id]
    if not found:
        raise NoResult(
            f"No dead message has the id {letter_id}: `caveat admin dead-letters` lists them."
        )
    if len(found) > 1:
        agents = ", ".join(sorted(letter.agent for letter in found))
        raise BadInput(f"{letter_id} died at several agents ({agents}): add --agent NAME.")
    return found[0]


def _render_row(letter: DeadLetter) -> tuple[str, ...]:
    message = letter.message
    kind = f"{message.kind} from {message.sender}" if message else "no message"
    died = format_local_time(letter.died) if letter.died else ""
    return letter.id, letter.agent, kind, died, letter.reason

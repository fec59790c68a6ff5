"""The commands that show what could not be delivered, send it again, and hand out keys."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from caveat.clients.cli.console import print_json, say, stderr, stdout
from caveat.clients.cli.session import keep_quiet, run
from caveat.clients.cli.tables import local, plain_table
from caveat.clients.problems import BadInput, NoResult
from caveat.contracts.message import AgentName, DeadLetter
from caveat.ports import Messages
from caveat.rendering.visible import visible_line
from caveat.workers.messages import master_key, messages
from caveat.workers.settings import load

T = TypeVar("T")

_HEADINGS = ("id", "agent", "kind", "died", "reason")


def dead(*, agent: str | None, as_json: bool) -> None:
    """Carry the command out."""
    letters = _asked(lambda carrier: carrier.dead(agent))
    if as_json:
        print_json([letter.model_dump(mode="json") for letter in letters])
    elif letters:
        stdout().print(plain_table(_HEADINGS, map(_row, letters)))
        say(stderr(), "`caveat messages resend ID` sends one again.")
    else:
        say(stderr(), "No message is dead.")


def show(letter_id: str, *, agent: str | None) -> None:
    """Carry the command out."""
    found = _asked(lambda carrier: _found(carrier, letter_id, agent))
    print_json(found.model_dump(mode="json"))


def resend(letter_id: str, *, agent: str | None, as_json: bool) -> None:
    """Carry the command out."""
    to = _asked(lambda carrier: _resent(carrier, letter_id, agent))
    if as_json:
        print_json({"id": letter_id, "agent": to})
    else:
        say(stdout(), f"{letter_id} is sent to {to} again.")


def key(agent: str) -> None:
    """Carry the command out."""
    try:
        TypeAdapter[str](AgentName).validate_python(agent)
    except ValidationError:
        raise BadInput(
            f"“{visible_line(agent)}” is no agent's name: it begins with a letter, and has small "
            "letters, digits and dashes, 40 at most."
        ) from None
    say(stdout(), master_key(load()).printed(agent))


def _asked(question: Callable[[Messages], Awaitable[T]]) -> T:
    carrier = messages(load())

    async def answered() -> T:
        try:
            return await question(carrier)
        finally:
            await carrier.close()

    keep_quiet()
    return run(answered())


async def _resent(carrier: Messages, letter_id: str, agent: str | None) -> str:
    letter = await _found(carrier, letter_id, agent)
    if letter.message is None:
        raise NoResult(f"{letter_id} is no message, and cannot be sent again.")
    await carrier.resend(letter)
    return letter.agent


async def _found(carrier: Messages, letter_id: str, agent: str | None) -> DeadLetter:
    found = [letter for letter in await carrier.dead(agent) if letter.id == letter_id]
    if not found:
        raise NoResult(
            f"No dead message has the id {letter_id}: `caveat messages dead` lists them."
        )
    if len(found) > 1:
        agents = ", ".join(sorted(letter.agent for letter in found))
        raise BadInput(f"{letter_id} died at several agents ({agents}): add --agent NAME.")
    return found[0]


def _row(letter: DeadLetter) -> tuple[str, ...]:
    message = letter.message
    kind = f"{message.kind} from {message.sender}" if message else "no message"
    died = local(letter.died) if letter.died else ""
    return letter.id, letter.agent, kind, died, letter.reason

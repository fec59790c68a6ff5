"""Asking the person at the terminal which values of a contradiction hold."""

import asyncio
import getpass
import sys
from dataclasses import dataclass

from rich.console import Console

from caveat.contracts.contradiction import Contradiction, Ruling
from caveat.rules.choices import options
from clients.arbitrations import Arbitrations
from clients.cli.console import say
from clients.cli.hearings import hearing_table
from clients.problems import BadInput
from clients.rulings import ruling_of

LATER = "later"


def can_ask() -> bool:
    """Say whether somebody sits at a terminal who could answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def person() -> str:
    """Name whoever types, as the machine knows them."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without an entry, as in some containers
        return "somebody at the terminal"


@dataclass(frozen=True)
class Bench:
    """Where a person rules.

    Attributes:
        arbitrations: of the server that asks.
        console: where it is shown.
    """

    arbitrations: Arbitrations
    console: Console

    async def ask(self, contradiction: Contradiction) -> bool:
        """Show one contradiction and take a ruling; `later` and the end of input leave it open.

        Returns:
            Whether it is settled now, here or elsewhere.
        """
        name = contradiction.arbitration or ""
        hearing = await self.arbitrations.hearing(name)
        if hearing is None:
            return False
        self.console.print(hearing_table(hearing))
        settled = asyncio.create_task(self._settled_elsewhere(name))
        try:
            if await self._answered(name, len(hearing.case.sides), settled):
                return True
        finally:
            settled.cancel()
        if not settled.done():
            return False
        settled.result()  # raises what kept us from hearing of it
        say(self.console, f"{contradiction.id} was settled meanwhile.")
        return True

    async def _answered(self, name: str, values: int, settled: "asyncio.Task[None]") -> bool:
        """Ask until an answer is accepted; False when none is given, or somebody else gave it."""
        while not settled.done():
            ruling = await self._ruling(values, settled)
            if ruling is None:
                return False
            if await self._accepted(name, ruling):
                return True
        return False

    async def _ruling(self, values: int, settled: "asyncio.Task[None]") -> Ruling | None:
        offered = ", ".join((*options(values).split("|"), LATER))
        while True:
            choice = await self._line(f"Which holds? ({offered}) ", settled)
            if choice is None or choice.strip().casefold() in {LATER, ""}:
                return None
            reason = await self._line("Why? ", settled)
            if reason is None:
                return None
            try:
                return ruling_of(choice, reason, person(), values)
            except BadInput as wrong:
                say(self.console, str(wrong), "yellow")

    async def _accepted(self, name: str, ruling: Ruling) -> bool:
        try:
            await self.arbitrations.rule(name, ruling)
        except BadInput as refused:
            say(self.console, str(refused), "yellow")
            return False
        return True

    async def _settled_elsewhere(self, name: str) -> None:
        await self.arbitrations.outcome(name)

    async def _line(self, prompt: str, settled: "asyncio.Task[None]") -> str | None:
        """Read a line; None at the end of input, and when somebody else has answered."""
        self.console.print(prompt, end="", style="bold")
        typed: asyncio.Task[str] = asyncio.create_task(_typed())
        try:
            await asyncio.wait({typed, settled}, return_when=asyncio.FIRST_COMPLETED)
            if not typed.done():
                self.console.print()
                return None
            return typed.result() or None
        finally:
            typed.cancel()


async def _typed() -> str:
    """Read a line from the terminal without a thread, which nothing could interrupt."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(sys.stdin, ready.set)
    try:
        await ready.wait()
        return sys.stdin.readline()
    finally:
        loop.remove_reader(sys.stdin)

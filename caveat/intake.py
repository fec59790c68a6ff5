"""Intake: what one agent has taken, so that it takes every message once, and each in its turn."""

import asyncio
import datetime as dt
import heapq
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from pydantic import ValidationError

from caveat.contracts.message import MOST_BYTES, TTL, Message
from caveat.problem import InternalError
from caveat.rendering.mistakes import describe_mistakes

_LOGGER = logging.getLogger(__name__)

PATIENCE = dt.timedelta(seconds=60)
"""How long a missing number is waited for: a broker that restarts takes 10 to 20 s, and a message
that is tried again 7."""

FIRST_MET = dt.timedelta(seconds=8)
"""How long a receiver that does not know a series waits for its beginning: what came before may be
on the ladder of retries, which is 7 s, or was taken by an earlier receiver."""

_LOOK = dt.timedelta(seconds=1)  # Between two checks of a waiting message

Stream = tuple[str, str, str, str]


class Fate(StrEnum):
    TAKE = "take"
    DUPLICATE = "duplicate"
    DEAD = "dead"  # it goes to the dead letter queue with its reason


@dataclass(frozen=True)
class Decision:
    verdict: Fate
    reason: str = ""


class NoMessageError(InternalError):
    """It is no valid message; the text says why."""


def renew_message(message: Message) -> Message:
    facts = {"resent": message.resent + 1, "expires": now() + TTL}
    return message.model_copy(update=facts)


def now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


@dataclass
class Intake:
    agent: str
    # where it is remembered what was taken, so that a receiver that was killed takes nothing twice;
    # None remembers it for as long as the process lives
    file: Path | None = None
    # says whether a message was written by whom it names
    trusted: Callable[[Message], bool] = lambda _: True
    patience: dt.timedelta = PATIENCE  # how long a missing number is waited for
    # whether numbers matter; several that receive as one know nothing of each other's
    ordered: bool = True
    # told of each gap that is not waited for any longer, in a sentence
    on_gap: Callable[[str], None] = lambda gap: _LOGGER.warning("%s", gap)
    _database: sqlite3.Connection = field(init=False)
    _waiting: dict[Stream, dict[int, asyncio.Event]] = field(default_factory=dict)
    _since: dict[str, dt.datetime] = field(default_factory=dict)
    _stirred: dict[Stream, dt.datetime] = field(default_factory=dict)
    _queue: list[tuple[int, int, asyncio.Event]] = field(default_factory=list)
    _arrived: int = 0
    _busy: bool = False

    def __post_init__(self) -> None:
        self._database = sqlite3.connect(self.file or ":memory:", isolation_level=None)
        self._database.executescript(
            """
            PRAGMA journal_mode = wal;
            PRAGMA synchronous = normal;
            CREATE TABLE IF NOT EXISTS position (lane TEXT PRIMARY KEY, number INTEGER NOT NULL);
            CREATE TABLE IF NOT EXISTS gone (lane TEXT, number INTEGER, PRIMARY KEY (lane, number));
            CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY, until REAL NOT NULL);
            CREATE TABLE IF NOT EXISTS begun (id TEXT PRIMARY KEY, times INTEGER NOT NULL);
            """
        )
        self._database.execute("DELETE FROM seen WHERE until < ?", (now().timestamp(),))

    def close(self) -> None:
        self._database.close()

    def read(self, raw: bytes) -> Message:
        if len(raw) > MOST_BYTES:
            raise NoMessageError(f"It has {len(raw):,} bytes, and {MOST_BYTES:,} are allowed.")
        try:
            message = Message.model_validate_json(raw)
        except ValidationError as error:
            raise NoMessageError(f"It is invalid: {describe_mistakes(error, 'message')}.") from None
        if message.recipient not in {None, self.agent}:
            raise NoMessageError(f"It is for {message.recipient} and came to {self.agent}.")
        if not self.trusted(message):
            raise NoMessageError(f"Its signature is not {message.sender}'s.")
        return message

    async def admit(self, message: Message) -> Decision:
        """Wait for a message's turn in its stream, and decide its fate."""
        while (decision := self.decide_now(message)) is None:
            await self._wait(message)
        return decision

    def decide_now(self, message: Message) -> Decision | None:
        """Decide the fate of a message that need not wait."""
        # It may come several times before its turn does.
        settled = self._decide(message, self._since.setdefault(_build_key(message), now()))
        if settled is not None:
            del self._since[_build_key(message)]
        return settled

    def _decide(self, message: Message, since: dt.datetime) -> Decision | None:
        """Decide its fate now; None if it must wait."""
        if self.has_taken(message):
            return Decision(Fate.DUPLICATE)
        if message.expires <= now():
            self.pass_by(message)
            return Decision(Fate.DEAD, f"It expired at {message.expires:%H:%M:%S} UTC.")
        last = self._read_position(message.stream)
        if message.resent or not self.ordered or message.number == (last or 0) + 1:
            return self._admit(message)
        if last is not None and message.number <= last:
            return Decision(Fate.DEAD, f"It came after number {last}, when its gap was closed.")
        if not self._is_out_of_patience(message, last, since):
            return None
        if last is not None:
            first, behind = last + 1, message.number - 1
            numbers = f"number {first}" if first == behind else f"numbers {first} to {behind}"
            self.on_gap(
                f"From {message.sender}, {numbers} of priority {message.priority} (series "
                f"{message.series}) did not come within {self.patience.total_seconds():.0f} s."
            )
        self._advance(message.stream, message.number - 1)
        return self._admit(message)

    def _admit(self, message: Message) -> Decision:
        if not message.resent:
            # Its stream is known from now on, and what comes behind waits while it is tried again.
            self._stirred[message.stream] = now()
            self._place(message.stream, message.number - 1)
        return Decision(Fate.TAKE)

    def _is_out_of_patience(self, message: Message, last: int | None, since: dt.datetime) -> bool:
        """Whether the missing numbers before it are given up, and it is next."""
        patience = min(FIRST_MET, self.patience) if last is None else self.patience
        others = self._waiting.get(message.stream, {})
        since = max(since, self._stirred.get(message.stream, since))
        return now() - since >= patience and not any(each < message.number for each in others)

    async def _wait(self, message: Message) -> None:
        turn = self._waiting.setdefault(message.stream, {}).setdefault(
            message.number, asyncio.Event()
        )
        try:
            async with asyncio.timeout(_LOOK.total_seconds()):
                await turn.wait()
        except TimeoutError:
            pass
        finally:
            waiting = self._waiting.get(message.stream, {})
            waiting.pop(message.number, None)
            if not waiting:
                self._waiting.pop(message.stream, None)

    @asynccontextmanager
    async def take_turn(self, message: Message) -> AsyncIterator[None]:
        """Handle one message at a time, the most urgent first."""
        if self._busy:
            turn = asyncio.Event()
            self._arrived += 1
            heapq.heappush(self._queue, (message.priority.rank, self._arrived, turn))
            try:
                await turn.wait()
            except asyncio.CancelledError:
                if turn.is_set():
                    self._hand_on()
                else:
                    self._queue = [each for each in self._queue if each[2] is not turn]
                    heapq.heapify(self._queue)
                raise
        self._busy = True
        try:
            yield
        finally:
            if not message.resent:
                self._stirred[message.stream] = now()
            self._hand_on()

    def _hand_on(self) -> None:
        if self._queue:
            heapq.heappop(self._queue)[2].set()
        else:
            self._busy = False

    def record_taken(self, message: Message) -> None:
        self._database.execute("BEGIN")
        self._database.execute(
            "INSERT OR IGNORE INTO seen VALUES (?, ?)",
            (_build_key(message), message.expires.timestamp()),
        )
        if not message.resent:
            self._advance(message.stream, message.number)
        self._database.execute("COMMIT")

    def pass_by(self, message: Message) -> None:
        """Skip a dead message: nothing waits for its number."""
        if message.resent:
            return
        self._database.execute(
            "INSERT OR IGNORE INTO gone VALUES (?, ?)",
            (_name_stream(message.stream), message.number),
        )
        last = self._read_position(message.stream)
        if last is not None or message.number == 1:
            self._advance(message.stream, last or 0)

    def count_redelivery(self, message_id: str) -> int:
        """Count redeliveries, since a receiver may have died of the message."""
        self._database.execute(
            "INSERT INTO begun VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET times = times + 1",
            (message_id,),
        )
        row = self._database.execute("SELECT times FROM begun WHERE id = ?", (message_id,))
        return int(row.fetchone()[0])

    def _advance(self, stream: Stream, number: int) -> None:
        """Advance to a number, and past dead ones behind it."""
        name = _name_stream(stream)
        while self._database.execute(
            "DELETE FROM gone WHERE lane = ? AND number = ?", (name, number + 1)
        ).rowcount:
            number += 1
        self._place(stream, number)
        for waiting, turn in self._waiting.get(stream, {}).items():
            if waiting <= number + 1:
                turn.set()

    def _place(self, stream: Stream, number: int) -> None:
        self._database.execute(
            "INSERT INTO position VALUES (?, ?) ON CONFLICT (lane) DO UPDATE SET number = "
            "max(number, excluded.number)",
            (_name_stream(stream), number),
        )

    def _read_position(self, stream: Stream) -> int | None:
        row = self._database.execute(
            "SELECT number FROM position WHERE lane = ?", (_name_stream(stream),)
        )
        cell = row.fetchone()
        return None if cell is None else int(cell[0])

    def has_taken(self, message: Message) -> bool:
        row = self._database.execute("SELECT 1 FROM seen WHERE id = ?", (_build_key(message),))
        return row.fetchone() is not None


def _build_key(message: Message) -> str:
    return f"{message.id}#{message.resent}" if message.resent else message.id


def _name_stream(stream: Stream) -> str:
    return "\n".join(stream)

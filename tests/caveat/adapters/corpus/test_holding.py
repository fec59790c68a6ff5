"""Passages that hold most of a query are found as if each one had been looked at."""

import random
import sqlite3
from itertools import chain

import pytest

from caveat.adapters.corpus import holding
from caveat.adapters.corpus.holding import Form, Holding, Weighing

WORDS = ("mast", "hull", "keel", "sail", "rope", "tide")
WANTED, LEAST = 40, 0.35


@pytest.fixture
def connection() -> sqlite3.Connection:
    """An index of 3,000 passages, in which the first word is rarest and the last commonest."""
    drawn = random.Random(7)  # the same in every process
    made = sqlite3.connect(":memory:")
    made.execute("CREATE VIRTUAL TABLE passages USING fts5(title, heading, text)")
    for row in range(1, 3_001):
        held = [word for place, word in enumerate(WORDS) if drawn.random() < 0.004 * 3**place]
        heading = drawn.choice(held) if held and drawn.random() < 0.03 else ""
        made.execute(
            "INSERT INTO passages(rowid, title, heading, text) VALUES (?, '', ?, ?)",
            (row, heading, " ".join(["sea", *held])),
        )
    return made


def held_by(connection: sqlite3.Connection, word: str) -> set[int]:
    found = connection.execute("SELECT rowid FROM passages WHERE passages MATCH ?", (word,))
    return set(chain.from_iterable(found))


@pytest.mark.parametrize("rare", [10, 200, 100_000])
@pytest.mark.parametrize(
    "words",
    [
        WORDS,
        ("tide",),
        ("rope", "tide"),
        ("sail", "rope", "tide"),
        ("mast", "tide", "sail"),
        ("anchor", "rope", "tide"),
    ],
)
def test_none_is_missed_that_holds_more(
    connection: sqlite3.Connection,
    words: tuple[str, ...],
    rare: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(holding, "_RARE", rare)
    rows = {word: held_by(connection, word) for word in words}
    weights = {place: 10.0 / (1 + len(rows[word])) + 1 for place, word in enumerate(words)}
    forms = [Form(place, 1.0, (word,), len(rows[word])) for place, word in enumerate(words)]
    sought = Holding(connection, forms, Weighing(weights, sum(weights.values())))
    sought.look_up(WANTED, LEAST)
    share = sought.shares(sought.weighing)

    everywhere = {
        row: sum(weights[place] for place, word in enumerate(words) if row in rows[word])
        / sum(weights.values())
        for row in range(1, 3_001)
    }
    best = sorted((each for each in everywhere.values() if each >= LEAST), reverse=True)[:WANTED]
    found = sorted((share(mask) for mask in sought.masks.values()), reverse=True)[: len(best)]
    assert found == pytest.approx(best)
    assert all(share(mask) <= everywhere[row] + 1e-9 for row, mask in sought.masks.items())


def test_what_stands_in_counts_less_than_the_word_itself(connection: sqlite3.Connection) -> None:
    forms = [
        Form(0, 1.0, ("mast",), len(held_by(connection, "mast"))),
        Form(0, 0.6, ("hull", "keel"), len(held_by(connection, "hull OR keel"))),
    ]
    sought = Holding(connection, forms, Weighing({0: 2.0}, 2.0))
    sought.look_up(WANTED, LEAST)
    share = sought.shares(sought.weighing)
    masts, others = held_by(connection, "mast"), held_by(connection, "hull OR keel")
    assert sought.masks.keys() == masts | others
    assert {share(sought.masks[row]) for row in masts} == {1.0}
    assert {share(sought.masks[row]) for row in others - masts} == {0.6}

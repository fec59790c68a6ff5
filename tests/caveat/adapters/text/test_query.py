import sqlite3
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.adapters.text.question import TERM_LIMIT, build_near_expression, list_terms

pytestmark = pytest.mark.xdist_group("query")  # one process makes its fixtures


@pytest.fixture(scope="module")
def table() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
    yield connection
    connection.close()


@given(text=st.text(max_size=200))
def test_any_text_makes_a_valid_expression(table: sqlite3.Connection, text: str) -> None:
    terms = list_terms(text)
    assert len(terms) <= TERM_LIMIT
    for pair in pairwise([*terms, *terms[:1]]):
        table.execute("SELECT * FROM t WHERE t MATCH ?", (build_near_expression(*pair),)).fetchall()


@pytest.mark.parametrize(
    "text",
    ['"unbalanced', "a AND OR NOT NEAR(", "x* ^y col:z {a b}", "🙂 🙃", "word " * 400, "-- ; DROP"],
)
def test_operators_are_words(table: sqlite3.Connection, text: str) -> None:
    """SQLite raises where an operator is left in the expression."""
    test_any_text_makes_a_valid_expression.hypothesis.inner_test(table, text)  # type: ignore[attr-defined]  # of hypothesis


def test_stop_words_go() -> None:
    question = "What is the Universe's Hubble constant, and why do the measurements differ?"
    assert list_terms(question) == ["universe", "hubble", "constant", "measurements", "differ"]
    assert list_terms("🙂 …") == []

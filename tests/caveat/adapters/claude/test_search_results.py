"""Whatever a server puts into a result block, harvesting it tells results from failures."""

import json
from typing import Any

import pytest
from anthropic import BaseModel
from anthropic.types import Message
from hypothesis import given
from hypothesis import strategies as st

from caveat.adapters.claude.messages.problems import ProblemKind
from caveat.adapters.claude.search import NOT_SEARCHED, harvest
from caveat.adapters.results import Result
from tests.fakes.messages_api import page, searched

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
URL = st.sampled_from(["https://one.example/", "https://two.example/a?b", "ftp://three.example"])
PAGE = st.builds(page, URL, st.text(max_size=9), st.none() | st.just("May 4, 2026"))
ODD_PAGE = st.fixed_dictionaries({}, optional={"url": URL | JSON, "title": JSON, "page_age": JSON})
CODE = st.sampled_from(["unavailable", "query_too_long", "max_uses_exceeded", "new_error"])
CONTENT = st.one_of(
    st.lists(PAGE, max_size=3),
    st.lists(PAGE | ODD_PAGE | JSON, max_size=3),
    st.builds(lambda code: {"type": "web_search_tool_result_error", "error_code": code}, CODE),
    JSON,
)


def said(*contents: Any, query: str = "moons") -> Message:
    """Build a message as the SDK does, which checks nothing."""
    blocks: list[Any] = []
    for number, content in enumerate(contents):
        use, outcome = searched(query, [], number)
        blocks += [use, {**outcome, "content": content}]
    message = {"id": "m", "type": "message", "role": "assistant", "content": blocks}
    built: BaseModel = Message.construct(**message)  # type: ignore[arg-type]  # as a server sends it
    assert isinstance(built, Message)
    return built


def harvested(*contents: Any) -> tuple[Result, ...] | ProblemKind:
    return harvest([said(*contents)], "moons")


@given(st.lists(CONTENT, max_size=4))
def test_whatever_arrives_is_results_or_a_failure(contents: list[Any]) -> None:
    came = harvested(*contents)
    for result in came if isinstance(came, tuple) else ():
        assert json.dumps(result.url) in json.dumps(contents)
        assert "ENCRYPTED" not in f"{result}"


@given(st.lists(PAGE, max_size=3), st.lists(CONTENT, max_size=3), st.integers(0, 3))
def test_results_stay_whatever_stands_beside_them(
    pages: list[dict[str, Any]], others: list[Any], place: int
) -> None:
    came = harvested(*others[:place], pages, *others[place:])
    assert isinstance(came, tuple)
    urls = [result.url for result in came]
    assert all(each["url"] in urls for each in pages)


@pytest.mark.parametrize("content", [None, "text", [None], [{"type": "text"}], [{}], {}], ids=str)
def test_a_message_of_no_known_shape(content: Any) -> None:
    message = Message.construct(content=content)
    assert harvest([message], "moons") is NOT_SEARCHED

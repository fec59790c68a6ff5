"""A line while it is typed."""

import pytest

from caveat.clients.cli.keyboard import Line


def typed(*keys: bytes) -> Line:
    line = Line()
    for each in keys:
        line.take(each)
    return line


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (b"both\r", "both"),
        (b"bots\x7fh\n", "both"),
        (b"a reason\x17\n", "a"),
        (b"nonsense\x15a\n", "a"),
        (b"\x1b[Aa\x1bOP\n", "a"),
        ("größer\n".encode(), "größer"),
        (b"a\x00b\n", "ab"),
    ],
)
def test_a_line_is_edited_until_enter(keys: bytes, text: str) -> None:
    line = typed(keys)
    assert (line.text, line.is_complete, line.is_ended) == (text, True, False)


def test_a_character_may_come_in_two_pieces() -> None:
    assert typed("ö".encode()[:1], "ö".encode()[1:], b"\n").text == "ö"


def test_what_is_typed_ahead_is_kept_for_the_next_line() -> None:
    assert typed(b"a\nbecause\n").rest == "because\n"


@pytest.mark.parametrize("keys", [[b"\x04"], [b""], [b"ab", b""]])
def test_the_end_of_input_is_no_answer(keys: list[bytes]) -> None:
    line = typed(*keys)
    assert (line.is_complete, line.is_ended) == (False, True)

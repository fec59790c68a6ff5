"""What strangers write is shown, and obeyed by nothing that shows it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.rendering.visible import is_control, sanitize_line, sanitize_text

HIDDEN = st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"])
TEXT = st.text(st.one_of(st.characters(), HIDDEN))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("می\u200cخواهم", "می\u200cخواهم"),  # Persian is misspelt without its joiners
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("a\u00adb", "ab"),
        ("a\x9bc", "a c"),
        ("a\x1b[31mb", "a [31mb"),
        ("exe.\u202egnp", "exe.gnp"),
        ("a\u2028b", "a b"),
        ("a\ud800b", "a\ufffdb"),
        ("two\n\tlines", "two\n\tlines"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert sanitize_text(text) == shown


@given(TEXT)
def test_a_line_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    line = sanitize_line(text)
    assert not [sign for sign in line if is_control(sign) and sign not in "\u200c\u200d"]
    line.encode()


@given(TEXT)
def test_what_people_see_stays(text: str) -> None:
    def seen(words: str) -> list[str]:
        return [sign for sign in words if unicodedata.category(sign)[0] in "LNPSM"]

    assert [sign for sign in seen(sanitize_text(text)) if sign != "\ufffd"] == [
        sign for sign in seen(text) if sign != "\ufffd"
    ]
    assert sanitize_text(sanitize_text(text)) == sanitize_text(text)

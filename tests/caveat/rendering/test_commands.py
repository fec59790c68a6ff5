"""Commands that are printed can be pasted, whatever the ids in them are made of."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.rendering.commands import (
    format_choice_command,
    format_command,
    format_ruling_command,
    quote_for_shell,
)
from caveat.rendering.visible import is_control

IDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash reads them back")
@given(st.lists(IDS, min_size=1, max_size=40))
def test_a_shell_reads_back_what_was_quoted(ids: list[str]) -> None:
    script = "printf '%s\\0' " + " ".join(map(quote_for_shell, ids))
    said = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert said.stdout.decode().split("\0")[:-1] == ids


@given(IDS)
def test_nothing_that_a_terminal_obeys_is_printed(text: str) -> None:
    assert not any(map(is_control, quote_for_shell(text)))


@pytest.mark.parametrize(
    ("run_id", "written"),
    [
        ("research-x-3fa9c1", "caveat status research-x-3fa9c1"),
        ("a`b$(c)", "caveat status 'a`b$(c)'"),
        ("-rf", "caveat status -- -rf"),
        ("a\x1b[31mb", "caveat status $'a\\x1b[31mb'"),
        ("it's\t", "caveat status $'it\\'s\\x09'"),
    ],
)
def test_commands(run_id: str, written: str) -> None:
    assert format_command("status", run_id) == written


def test_options_stand_before_what_may_look_like_one() -> None:
    assert format_command("resume", "-x", options="--wait") == "caveat resume --wait -- -x"


def test_an_answer_to_what_begins_with_a_dash_is_no_option() -> None:
    assert format_ruling_command("-x/c-1", "a") == "caveat rule --because 'why' -- -x/c-1 a"
    assert (
        format_choice_command("-x/c-1", 2)
        == "caveat rule --because TEXT -- -x/c-1 a|b|both|neither"
    )
    assert format_choice_command("x/c-1", 2) == "caveat rule x/c-1 a|b|both|neither --because TEXT"

"""Amounts, progress, mistakes and commands in words, and what of them is shown."""

import datetime as dt
import shutil
import subprocess
import unicodedata
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from caveat.contracts.outcome import Progress
from caveat.contracts.phase import Entered, Phase
from caveat.contracts.plan import ResearchRequest
from caveat.rendering.amounts import format_money, format_span
from caveat.rendering.commands import format_command, format_ruling_command, quote_for_shell
from caveat.rendering.mistakes import describe_first_mistake, describe_mistakes
from caveat.rendering.progress import describe_progress, list_phase_times
from caveat.rendering.visible import is_control, sanitize_line, sanitize_text
from caveat.rendering.words import name_source
from tests.fakes.reports import a_report


@pytest.mark.parametrize(
    ("dollars", "written"),
    [
        (0.0, "$0.00"),
        (0.000_1, "less than $0.01"),
        (0.01, "$0.01"),
        (2.756, "$2.76"),
        (1_234.5, "$1,234.50"),
    ],
)
def test_no_amount_is_written_as_nothing_that_is_not(dollars: float, written: str) -> None:
    assert format_money(dollars) == written


HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (6 * HOUR, "6 h"),
        (24 * HOUR, "1 day"),
        (49 * HOUR, "2 days 1 h"),
        (timedelta(milliseconds=1), "1 s"),
    ],
)
def test_spans_in_words(span: timedelta, words: str) -> None:
    assert format_span(span) == words


def test_a_run_in_words() -> None:
    progress = Progress(
        run_id="r", topic="t", phase=Phase.TAKING_STOCK, started=dt.datetime.now(dt.UTC)
    )
    assert describe_progress(progress) == "step 1 of 8: taking stock"
    known = progress.model_copy(update={"phase": Phase.INVESTIGATING, "documents": 1})
    assert describe_progress(known) == "step 3 of 8: searching and reading · 1 document"


def test_a_time_line_says_how_long_each_phase_took_but_of_the_last_one_that_goes_on() -> None:
    began = dt.datetime(2026, 3, 14, 9, 0, tzinfo=dt.UTC)
    steps = (Phase.PLANNING, 0), (Phase.INVESTIGATING, 2), (Phase.AWAITING_RULINGS, 90)
    phases = [Entered(phase=each, at=began + dt.timedelta(seconds=at)) for each, at in steps]
    first = [("planning", "2.0 s"), ("searching and reading", "1 min 28 s")]
    waiting = "waiting for a ruling"
    assert list(list_phase_times(phases, None)) == [*first, (waiting, None)]
    over = began + dt.timedelta(hours=1, seconds=90)
    assert list(list_phase_times(phases, over)) == [*first, (waiting, "1 h")]
    phases.append(Entered(phase=Phase.CANCELLED, at=over))
    assert list(list_phase_times(phases, over)) == [*first, (waiting, "1 h")]
    assert list(list_phase_times((), None)) == []


def error_of(value: Any) -> ValidationError:
    with pytest.raises(ValidationError) as raised:
        ResearchRequest.parse_sent(value)
    return raised.value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({}, "topic is missing"),
        ({"topic": "x", "formats": ["planted"]}, "formats.0 must be "),
        ({"topic": "x", "p" * 99: 1}, "p" * 60 + " is not known"),
        ({"topic": "x", "query": "y"}, "query is not known: docs/temporal-cli.md lists"),
        ({"topic": "x", "output_format": "md"}, "output_format is not known: write formats"),
        ({"topic": "x", "search_depth": "deep"}, "search_depth is not known: write depth"),
        ({"topic": "x", "max_tokens": 9}, "max_tokens is not known: write budget.tokens"),
        ({"topic": "x", "max_cost": 2}, "max_cost is not known: write budget.cost_usd"),
        ({"topic": "x", "detph": "deep"}, "detph is not known: write depth"),
        ({"topic": "x", "budget": {"tokens": 1e300}}, "budget.tokens is too large"),
        ({"topic": "x", "max_sources": 1e12}, "max_sources must be 1,000 or less"),
        ({"topic": "x", "budget": {"cost_usd": 1e9}}, "budget.cost_usd must be 1,000,000 or less"),
        (7, "request must be "),
    ],
)
def test_a_mistake_is_named_with_its_place(value: Any, said: str) -> None:
    assert describe_mistakes(error_of(value), "request").startswith(said)
    assert "planted" not in describe_mistakes(error_of(value), "request")


def test_every_mistake_is_named_or_the_first() -> None:
    error = error_of({"max_sources": 0})
    assert describe_mistakes(error).count("; ") == 1
    assert describe_mistakes(error).split("; ")[0] == describe_first_mistake(error)


IDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash reads them back")
@given(st.lists(IDS.map(sanitize_line), min_size=1, max_size=40))
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
        ("a\x1b[31mb", "caveat status 'a [31mb'"),
    ],
)
def test_commands(run_id: str, written: str) -> None:
    assert format_command("status", run_id) == written


def test_options_stand_before_what_may_look_like_one() -> None:
    assert format_command("resume", "-x", options="--wait") == "caveat resume --wait -- -x"


def test_an_answer_to_what_begins_with_a_dash_is_no_option() -> None:
    assert (
        format_ruling_command("-x/c-1", 2)
        == "caveat rule --because TEXT -- -x/c-1 a|b|both|neither"
    )
    assert format_ruling_command("x/c-1", 2) == "caveat rule x/c-1 a|b|both|neither --because TEXT"


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


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("Bericht vom 3. Mai 2024", "Bericht vom 3. Mai 2024"),
        ("Report of 2024-05-03", "Report of 2024-05-03"),
        ("Report of May 2024", "Report of May 2024 (3 May 2024)"),
        ("Report", "Report (3 May 2024)"),
    ],
)
def test_a_day_that_a_title_states_is_told_once(title: str, named: str) -> None:
    changes = {"title": title, "published": dt.date(2024, 5, 3), "authors": ()}
    assert name_source(a_report().sources[0].model_copy(update=changes)) == named

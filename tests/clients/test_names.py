import re

from hypothesis import given
from hypothesis import strategies as st

from clients.names import new_run_id, slug


def test_a_run_is_named_after_its_topic() -> None:
    named = new_run_id("How fast is the universe expanding, and why do we disagree?")
    assert re.fullmatch(r"research-how-fast-is-the-universe-expanding-and-[0-9a-f]{6}", named)


def test_two_runs_of_a_topic_have_different_names() -> None:
    assert new_run_id("x") != new_run_id("x")


def test_a_topic_without_latin_letters_still_has_a_name() -> None:
    assert slug("宇宙の膨張") == "topic"


def test_accents_become_plain_letters() -> None:
    assert slug("Énergie électrique à Zürich") == "energie-electrique-a-zurich"


@given(st.text(max_size=300))
def test_a_slug_is_short_and_safe_in_addresses_and_folders(topic: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug(topic))
    assert len(slug(topic)) <= 40

"""Every task ends before its activity is taken for lost."""

from typing import Any

import pytest

from caveat.adapters.claude.messages.connection import CONNECT_S, SILENCE_S
from caveat.roles.detector import DETECT, SECOND_LOOK
from caveat.roles.models import ROLES, SETTINGS
from caveat.roles.role import Role
from caveat.roles.verifier import SECOND_READER, VERIFY
from caveat.workflows import options


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_deadlines_are_shorter_than_start_to_close(role: Role[Any, Any, Any]) -> None:
    second = {DETECT.name: SECOND_LOOK, VERIFY.name: SECOND_READER}.get(role.name)
    looks = second.bounds.deadline_s if second else 0
    spare_s = role.start_to_close.total_seconds() - role.settings.bounds.deadline_s - looks
    assert 10 <= spare_s <= 30, "time to report the failure, and no more"


def test_a_search_ends_before_its_activity() -> None:
    spare_s = options.SEARCH.start_to_close.total_seconds() - SETTINGS["search"].bounds.deadline_s
    assert 10 <= spare_s <= 30


def test_silence_ends_before_the_shortest_long_task() -> None:
    assert CONNECT_S < SILENCE_S < SETTINGS["analysis"].bounds.deadline_s

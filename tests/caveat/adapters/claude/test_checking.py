"""What a server can do is found out, whatever its model makes of the questions."""

from dataclasses import replace
from typing import Any

import pytest

from caveat.adapters.claude.checking import LONGEST, QUESTIONS, Checking
from caveat.adapters.claude.messages.capabilities import Capabilities
from caveat.adapters.claude.messages.connection import ModelConnection
from tests.fakes.completions import Completions
from tests.fakes.messages_api import StandIn
from tests.fakes.probed import Probed

ALL = Capabilities()
NO_SCHEMA = replace(ALL, structured_outputs=False, thinking=False)

LIMITS: dict[str, tuple[dict[str, Any], Probed, Capabilities]] = {
    "everything": ({}, Probed(), ALL),
    "a schema ignored": ({}, Probed(heeds_schema=False), NO_SCHEMA),
    "settings of answers refused": ({"structured_outputs": False}, Probed(), NO_SCHEMA),
    "nothing beside calls": ({"catalogue": False}, Probed(), replace(ALL, catalogue=False)),
    "a cut called an end": ({}, Probed(admits=False), replace(ALL, stop_reasons=False)),
    "schemas by the other endpoint": (
        {"beside": Completions(Probed())},
        Probed(heeds_schema=False),
        replace(ALL, messages=False, thinking=False),
    ),
    "the OpenAI form alone": (
        {"beside": Completions(Probed(), has_messages=False), "catalogue": False},
        Probed(),
        replace(ALL, messages=False, thinking=False, catalogue=False),
    ),
    "a short context, cut": ({}, Probed(reads=100_000), replace(ALL, longest=LONGEST // 4)),
    "a short context, refused": ({}, Probed(holds=100_000), replace(ALL, longest=LONGEST // 4)),
    "next to no context": ({}, Probed(reads=LONGEST // 25), replace(ALL, longest=0)),
    "a weak model": ({}, Probed(remembers=False), ALL),
}


@pytest.mark.parametrize("name", LIMITS)
async def test_what_a_server_can_do_is_found(
    name: str, api: StandIn, connection: ModelConnection
) -> None:
    features, api.model, expected = LIMITS[name]
    for feature, value in features.items():
        setattr(api, feature, value)
    found = await Checking(connection, "some-model").check()
    assert found.capabilities == expected
    assert {each.feature for each in found.findings if not each.has} == {
        feature
        for feature, value in vars(expected).items()
        if value is False or (feature == "longest" and value is not None)
    }
    others = api.beside.asked if isinstance(api.beside, Completions) else ()
    assert found.usage.model_calls <= len(api.requests) + len(others) <= QUESTIONS + 2

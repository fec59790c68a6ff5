import pytest

from caveat.failures import PortFailure
from caveat.teams.catalogue import team, team_names


def test_the_general_team_needs_half_and_takes_a_tenth() -> None:
    assert team("general").quorum.minimum_share == 0.5
    assert team("general").quorum.penalty == 0.1


@pytest.mark.parametrize("name", team_names())
def test_every_team_that_ships_is_valid(name: str) -> None:
    assert team(name)


@pytest.mark.parametrize("name", ["nobody", "", "../general", "general.toml"])
def test_an_unknown_team_is_named_with_those_that_exist(name: str) -> None:
    with pytest.raises(PortFailure, match="choose one of: general"):
        team(name)

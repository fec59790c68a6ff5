from pathlib import Path

import pytest

from caveat.contracts.failure import FailureCategory
from caveat.failures import PortFailure
from caveat.teams.team import TeamCatalogue

MINE = """
[quorum]
minimum_share = 1
penalty = 0.25
"""


def refused(catalogue: TeamCatalogue, name: str) -> str:
    with pytest.raises(PortFailure) as caught:
        catalogue.read_team(name)
    assert caught.value.failure.category is FailureCategory.VALIDATION
    return str(caught.value)


def test_two_teams_ship() -> None:
    assert TeamCatalogue().list_names() == ("general", "investment")


def test_the_general_team_needs_half_and_takes_a_tenth() -> None:
    general = TeamCatalogue().read_team("general")
    assert (general.quorum.minimum_share, general.quorum.penalty) == (0.5, 0.1)
    assert general.specialists == ()


def test_users_add_teams_and_replace_those_that_ship(tmp_path: Path) -> None:
    for name in ("general", "mine"):
        (tmp_path / f"{name}.toml").write_text(MINE, encoding="utf-8")
    catalogue = TeamCatalogue((tmp_path,))
    assert catalogue.list_names() == ("general", "investment", "mine")
    assert catalogue.read_team("general").quorum.penalty == 0.25
    assert catalogue.read_team("mine").quorum.penalty == 0.25


def test_a_file_is_read_each_time(tmp_path: Path) -> None:
    catalogue = TeamCatalogue((tmp_path / "teams",))
    assert catalogue.list_names() == ("general", "investment")
    (tmp_path / "teams").mkdir()
    (tmp_path / "teams" / "mine.toml").write_text(MINE, encoding="utf-8")
    assert catalogue.read_team("mine").quorum.minimum_share == 1


@pytest.mark.parametrize("name", ["nobody", "", "..", "../secret", "secret", "/etc/passwd"])
def test_a_name_never_leads_out_of_the_folders(name: str, tmp_path: Path) -> None:
    (tmp_path / "teams").mkdir()
    (tmp_path / "secret.toml").write_text(MINE, encoding="utf-8")
    (tmp_path / "teams" / ".hidden.toml").write_text(MINE, encoding="utf-8")
    folder = tmp_path / "teams"
    said = refused(TeamCatalogue((folder,)), name)
    assert said == (
        f"There is no team “{name}”; choose one of: general, investment, or describe your own in "
        f"{folder}."
    )


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said = refused(TeamCatalogue((tmp_path / "file",)), "general")
    assert said == f"The folder of teams {tmp_path / 'file'} cannot be read: Not a directory."

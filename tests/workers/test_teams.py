"""The worker knows the teams of the folder that the settings name."""

from activities.planning import Planner
from caveat.teams.catalogue import TeamCatalogue
from workers.settings import Settings
from workers.wiring import crew


def test_the_planner_knows_the_users_teams(settings: Settings) -> None:
    serving = crew(settings).reasoning
    (planner,) = {
        activity.__self__
        for activity in serving
        if hasattr(activity, "__self__") and isinstance(activity.__self__, Planner)
    }
    assert planner.teams == TeamCatalogue((settings.teams_dir,))

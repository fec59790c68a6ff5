"""The worker knows the teams of the folder that the settings name."""

from caveat.activities.reasoning import ReasoningActivities
from caveat.teams.catalogue import TeamCatalogue
from caveat.workers.settings import Settings
from caveat.workers.wiring import registry


def test_the_planner_knows_the_users_teams(settings: Settings) -> None:
    serving = registry(settings).reasoning
    (planner,) = {
        activity.__self__
        for activity in serving
        if hasattr(activity, "__self__") and isinstance(activity.__self__, ReasoningActivities)
    }
    assert planner.teams == TeamCatalogue((settings.teams_dir,))

from clients.kinds import ARBITRATION, RESEARCH
from workflows.arbitration import Arbitration
from workflows.research import Research


def test_they_are_called_what_their_classes_are_called() -> None:
    assert (Research.__name__, Arbitration.__name__) == (RESEARCH, ARBITRATION)

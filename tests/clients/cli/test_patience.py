import pytest

from clients.cli.patience import patience_of
from clients.problems import BadInput


@pytest.mark.parametrize(
    ("provisional", "wait", "at_a_terminal", "elsewhere"),
    [(False, False, True, False), (True, False, False, False), (False, True, True, True)],
)
def test_people_are_waited_for_where_somebody_is_there_or_said_so(
    provisional: bool, wait: bool, at_a_terminal: bool, elsewhere: bool
) -> None:
    patience = patience_of(provisional=provisional, wait=wait)
    assert patience.lasts(somebody_is_here=True) is at_a_terminal
    assert patience.lasts(somebody_is_here=False) is elsewhere


def test_returning_at_once_and_waiting_contradict_each_other() -> None:
    with pytest.raises(BadInput, match="keep one of them"):
        patience_of(provisional=True, wait=True)

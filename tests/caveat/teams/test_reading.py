from pathlib import Path

import pytest

from caveat.contracts.failure import FailureCategory, FailureType
from caveat.failures import PortFailure
from caveat.tables import read_table
from caveat.teams.team import Team

QUORUM = "[quorum]\nminimum_share = 0.5\npenalty = 0.1\n"
WHOLE = (
    QUORUM
    + '[[specialists]]\nname = "one"\ntitle = "The one"\nbrief = "What of {topic}?"\n'
    + 'queries = ["one {topic}", "two"]\ncritical = true\n'
    + '[[specialists]]\nname = "two"\ntitle = "The two"\nbrief = "What?"\nqueries = ["three"]\n'
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.toml"


def parsed(file: Path, text: str) -> Team:
    file.write_text(text, encoding="utf-8")
    return read_table(file, "The team file", Team)


def refused(file: Path, text: str) -> str:
    with pytest.raises(PortFailure) as caught:
        parsed(file, text)
    failure = caught.value.failure
    assert failure.category is FailureCategory.VALIDATION
    assert failure.failure_type is FailureType.PERMANENT
    assert failure.resource == str(file)
    return failure.message


def test_a_team_file(file: Path) -> None:
    one, two = parsed(file, WHOLE).specialists
    assert (one.name, one.title, one.brief) == ("one", "The one", "What of {topic}?")
    assert one.queries == ("one {topic}", "two")
    assert (one.critical, two.critical) == (True, False)


def test_line_breaks_in_a_file_are_not_line_breaks_in_a_question(file: Path) -> None:
    text = WHOLE.replace('"What?"', '"""\nWhat\n  of it?\n"""')
    assert parsed(file, text).specialists[1].brief == "What of it?"


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("penalty = 0.1\n", "", "quorum.penalty is missing"),
        ("penalty = 0.1", "penalty = nan", "quorum.penalty must be 1 or less"),
        ("share = 0.5", "share = 0", "quorum.minimum_share must be more than 0"),
        ("penalty =", "penality =", "quorum.penality is not known"),
        (WHOLE, "", "quorum is missing"),
        (WHOLE, "quorum = 3", "quorum must be an object"),
        (WHOLE, QUORUM + "[specialists]", "specialists must be a list"),
        ("[[specialists]]", "[[experts]]", "experts is not known"),
        ('["three"]', "[]", "specialists.1.queries: tuple should have at least 1 item"),
        ('"two"\ntitle', '"ONE"\ntitle', "specialists: has “ONE” (The two), which another"),
        ('"The two"', '"the  one"', "specialists: has “two” (the one), which another"),
        ("critical = true", "critical = 'no'", "specialists.0.critical must be true or false"),
    ],
)
def test_a_mistake_is_one_sentence_that_names_file_and_field(
    right: str, wrong: str, said: str, file: Path
) -> None:
    assert right in WHOLE
    message = refused(file, WHOLE.replace(right, wrong))
    assert message.startswith(f"The team file {file} is wrong: ")
    assert said in message
    assert "\n" not in message


def test_what_is_not_toml_is_named_with_its_line(file: Path) -> None:
    said = refused(file, "[quorum]\nminimum_share 0.5\n")
    assert said.startswith(f"The team file {file} is not valid TOML: ")
    assert "line 2" in said

from pathlib import Path

import pytest

from caveat.contracts.failure import FailureCategory, FailureType
from caveat.failures import PortFailure
from caveat.teams.team import Team, read

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
    return read(file)


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
        ("penalty = 0.1", "penalty = 1.1", "quorum.penalty should be less than or equal to 1"),
        ("penalty = 0.1", "penalty = nan", "quorum.penalty should be less than or equal to 1"),
        ("share = 0.5", "share = 0", "quorum.minimum_share should be greater than 0"),
        ("share = 0.5", "share = 'half'", "quorum.minimum_share should be a valid number"),
        ("penalty =", "penality =", "quorum.penality is no field of a team file"),
        (QUORUM, QUORUM + "needed = 3\n", "quorum.needed is no field of a team file"),
        (QUORUM, "", "quorum is missing"),
        (WHOLE, "", "quorum is missing"),
        (WHOLE, "quorum = 3", "quorum should be a table"),
        (WHOLE, QUORUM + "[specialists]", "specialists should be a list"),
        (WHOLE, "specialists = [3]\n" + QUORUM, "specialist 1 should be a table"),
        ("[[specialists]]", "[[experts]]", "experts is no field of a team file"),
        ('["three"]', "[]", "queries of specialist “two” is empty"),
        ('["three"]', '"three"', "queries of specialist “two” should be a list"),
        ('["three"]', '["three", " "]', "queries[2] of specialist “two” is empty"),
        ('["three"]', '["a", "b", "c", "d", "e"]', "queries of specialist “two” should have at m"),
        ('["three"]', '["{subject}"]', "queries[1] of specialist “two” has an unknown placeholder"),
        ('"What?"', '"What of {0}?"', "brief of specialist “two” has an unknown placeholder"),
        ('"What?"', '"What of {topic?"', "brief of specialist “two” has an unknown placeholder"),
        ('"What?"', '""', "brief of specialist “two” is empty"),
        ('"What?"', '"' + "x" * 1_001 + '"', "brief of specialist “two” should have at most 1000"),
        ('brief = "What?"\n', "", "brief of specialist “two” is missing"),
        ('"The two"', '"On {topic}"', "title of specialist “two” cannot hold a placeholder"),
        ('name = "two"\n', "", "name of specialist 2 is missing"),
        ('"two"\ntitle', '"ONE"\ntitle', "specialists has “ONE” (The two) with a name or title"),
        ('"The two"', '"the  one"', "specialists has “two” (the one) with a name or title"),
        ('"The two"', '"One"', "specialists has “two” (One) with a name or title"),
        ("critical = true", "critical = 'no'", "critical of specialist “one” should be a valid bo"),
    ],
)
def test_a_mistake_is_one_sentence_that_names_file_and_field(
    right: str, wrong: str, said: str, file: Path
) -> None:
    assert right in WHOLE
    message = refused(file, WHOLE.replace(right, wrong))
    assert message.startswith(f"The team file {file} is wrong: {said}")
    assert "\n" not in message
    assert ". " not in message.removeprefix(f"The team file {file}")


def test_nine_specialists_are_too_many(file: Path) -> None:
    member = '[[specialists]]\nname = "n{0}"\ntitle = "t{0}"\nbrief = "b"\nqueries = ["q"]\n'
    nine = QUORUM + "".join(member.format(number) for number in range(9))
    assert "specialists should have at most 8 items" in refused(file, nine)


def test_what_is_not_toml_is_named_with_its_line(file: Path) -> None:
    said = refused(file, "[quorum]\nminimum_share 0.5\n")
    assert said.startswith(f"The team file {file} is not valid TOML: ")
    assert "line 2" in said


def test_what_is_not_text(file: Path) -> None:
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(PortFailure, match="is not text in UTF-8"):
        read(file)


def test_what_cannot_be_read(file: Path) -> None:
    file.mkdir()
    with pytest.raises(PortFailure, match="cannot be read: Is a directory"):
        read(file)

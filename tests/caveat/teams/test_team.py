"""Teams: their files, where they are found, and the assignments that follow."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.envelope import FailureCategory, FailureType
from caveat.contracts.plan import Assignment, QuorumPolicy, ResearchRequest
from caveat.failures import PortFailure
from caveat.tables import read_table
from caveat.teams.team import Specialist, Team, TeamCatalogue, build_assignments, mark_critical

MINE = "[quorum]\nminimum_share = 1\npenalty = 0.25\n"


def refused_name(catalogue: TeamCatalogue, name: str) -> str:
    with pytest.raises(PortFailure) as caught:
        catalogue.read_team(name)
    assert caught.value.failure.category is FailureCategory.VALIDATION
    return str(caught.value)


def test_two_teams_ship() -> None:
    assert TeamCatalogue().list_names() == ("general", "investment")


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
    said = refused_name(TeamCatalogue((folder,)), name)
    assert said == (
        f"There is no team “{name}”; choose one of: general, investment, or describe your own in "
        f"{folder}."
    )


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said = refused_name(TeamCatalogue((tmp_path / "file",)), "general")
    assert said == f"The folder of teams {tmp_path / 'file'} cannot be read: Not a directory."


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


INVESTMENT = TeamCatalogue().read_team("investment")
GENERAL = TeamCatalogue().read_team("general")
PLANNED = tuple(
    Assignment(id=f"a{number}", title=title, question="?", queries=("q",))
    for number, title in enumerate(("Direct answers", "Fresnel lens"), start=1)
)


def team(brief: str, query: str) -> Team:
    member = Specialist(name="one", title="The one", brief=brief, queries=(query,))
    quorum = QuorumPolicy(minimum_share=0.5, penalty=0.1)
    return Team(quorum=quorum, specialists=(member,))


def critical_of(assignments: tuple[Assignment, ...]) -> list[str]:
    return [assignment.id for assignment in assignments if assignment.critical]


def test_the_investment_team_has_five_specialists_and_needs_three_of_them() -> None:
    assert [(each.name, each.critical) for each in INVESTMENT.specialists] == [
        ("business", True), ("financial", True), ("strategy", False), ("valuation", False),
        ("news", False),
    ]  # fmt: skip
    assert INVESTMENT.quorum == QuorumPolicy(minimum_share=0.6, penalty=0.1)
    assert Team(quorum=QuorumPolicy(minimum_share=0.5, penalty=0.1)) == GENERAL


def test_each_specialist_has_an_assignment_about_the_topic() -> None:
    assignments = build_assignments(INVESTMENT, "Is Acme Corp. worth its price?")
    assert [each.id for each in assignments] == ["a1", "a2", "a3", "a4", "a5"]
    assert [each.title for each in assignments] == [each.title for each in INVESTMENT.specialists]
    assert critical_of(assignments) == ["a1", "a2"]
    for each in assignments:
        assert "“Is Acme Corp. worth its price?”" in each.question
        assert all(query.endswith(" Is Acme Corp. worth its price") for query in each.queries)


@given(st.text(min_size=1, max_size=20), st.integers(1, 100), st.integers(0, 8))
def test_every_topic_fits_every_brief(words: str, repeated: int, times: int) -> None:
    try:
        topic = ResearchRequest(topic=words * repeated).topic
    except ValueError:
        return  # white space alone is no topic
    brief = "x" * (1_000 - len(" {topic}") * times) + " {topic}" * times
    (only,) = build_assignments(team(brief, "own words {topic}"), topic)
    assert only.question.startswith("x" * 900)
    assert len(only.queries[0]) <= len("own words ") + 200


@pytest.mark.parametrize("wanted", ["valuation", "VALUATION", " Valuation "])
def test_a_request_makes_a_specialist_critical_beside_the_teams_own(wanted: str) -> None:
    assignments = build_assignments(INVESTMENT, "Acme")
    assert critical_of(mark_critical(assignments, (wanted,), INVESTMENT)) == ["a1", "a2", "a4"]


def test_a_specialist_answers_to_name_and_title() -> None:
    assignments = build_assignments(INVESTMENT, "Acme")
    by_name = mark_critical(assignments, ("strategy",), INVESTMENT)
    assert by_name == mark_critical(assignments, ("strategy and Competition",), INVESTMENT)
    assert critical_of(by_name) == ["a1", "a2", "a3"]


def test_who_is_not_there_is_refused_with_those_who_are() -> None:
    with pytest.raises(PortFailure) as caught:
        mark_critical(build_assignments(INVESTMENT, "Acme"), ("valuation", "legal"), INVESTMENT)
    assert str(caught.value) == (
        "Nothing is called “legal”; those that can be critical are: “business”, “financial”, "
        "“strategy”, “valuation”, “news”."
    )
    with pytest.raises(PortFailure, match="are: “Direct answers”, “Fresnel lens”"):
        mark_critical(PLANNED, ("fresnel",), GENERAL)

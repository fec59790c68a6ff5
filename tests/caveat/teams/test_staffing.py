import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.plan import Assignment, QuorumPolicy, ResearchRequest
from caveat.failures import PortFailure
from caveat.teams.team import Specialist, Team, TeamCatalogue, build_assignments, mark_critical

QUORUM = QuorumPolicy(minimum_share=0.5, penalty=0.1)
INVESTMENT = TeamCatalogue().read_team("investment")
GENERAL = TeamCatalogue().read_team("general")
PLANNED = tuple(
    Assignment(id=f"a{number}", title=title, question="?", queries=("q",))
    for number, title in enumerate(("Direct answers", "Fresnel lens"), start=1)
)


def team(brief: str, query: str) -> Team:
    member = Specialist(name="one", title="The one", brief=brief, queries=(query,))
    return Team(quorum=QUORUM, specialists=(member,))


def critical_of(assignments: tuple[Assignment, ...]) -> list[str]:
    return [assignment.id for assignment in assignments if assignment.critical]


def test_the_investment_team_has_five_specialists_and_needs_three_of_them() -> None:
    assert [(each.name, each.critical) for each in INVESTMENT.specialists] == [
        ("business", True), ("financial", True), ("strategy", False), ("valuation", False),
        ("news", False),
    ]  # fmt: skip
    assert INVESTMENT.quorum == QuorumPolicy(minimum_share=0.6, penalty=0.1)


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

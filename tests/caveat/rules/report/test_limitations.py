from caveat.contracts.envelope import AgentType
from caveat.contracts.report import ReportedFailure
from caveat.contracts.source import Unread, UnreadSort
from caveat.failures import PortFailure, not_found, timed_out
from caveat.rules.report import describe_unread_files
from caveat.rules.report.limitations import CONSEQUENCE, SUBJECT, describe_failures
from caveat.rules.sources import list_unread_sentences
from tests.fakes.reports import reported

GONE = not_found("It is gone.", resource="page")
SLOW = timed_out("It is slow.", resource="page")


def failed(
    number: int, agent: AgentType, failure: PortFailure, attempts: int = 1
) -> ReportedFailure:
    return reported(failure, agent, task_id=f"t{number}", attempts=attempts)


def test_one_entry_a_role_and_sort_with_every_task_named() -> None:
    reader, searcher = AgentType.READER, AgentType.SEARCHER
    found = describe_failures(
        [failed(1, reader, GONE), failed(2, searcher, SLOW, 4), failed(3, reader, GONE)]
    )
    assert [limit.task_ids for limit in found] == [("t1", "t3"), ("t2",)]
    assert found[0].why == "Business failure (not found), tried once. It is gone."
    assert found[1].why == "Transient failure (timeout), tried up to 4 times. It is slow."


def test_a_long_list_is_cut_and_counted() -> None:
    failures = [
        failed(number, AgentType.LIBRARIAN, not_found(f"No {number}.", resource="page"))
        for number in range(12)
    ]
    (limit,) = describe_failures(failures)
    assert limit.why.endswith("No 0. No 1. No 2. No 3. No 4. And 7 more.")
    assert len(limit.task_ids) == 12


def test_every_role_has_a_consequence() -> None:
    assert set(CONSEQUENCE) == set(SUBJECT) == set(AgentType)


def test_what_was_not_looked_at_is_a_limitation_and_reports_are_set_aside_apart() -> None:
    own = Unread(sort=UnreadSort.OWN_REPORT, count=1, examples=("reports/r/report.md",))
    table = (
        own,
        Unread(sort=UnreadSort.FORMAT, ending=".docx", count=1_012, examples=("a.docx",)),
        Unread(sort=UnreadSort.HIDDEN_FOLDER, count=1, examples=(".git",)),
    )
    set_aside, unlooked = describe_unread_files(table)
    assert set_aside.area == "1 report of Caveat's own was set aside"
    assert "reports/r/report.md" in set_aside.why
    assert "1,012 .docx, 1 hidden folder (.git)" in unlooked.why
    assert list_unread_sentences(table) == (
        "1 report of Caveat's own was set aside.",
        "Not looked at: 1,012 .docx, 1 hidden folder (.git).",
    )
    assert describe_unread_files(()) == ()
    assert list_unread_sentences(()) == ()
    assert len(describe_unread_files((own,))) == 1

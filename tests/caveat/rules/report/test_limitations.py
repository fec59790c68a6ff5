import pytest

from caveat.contracts.envelope import AgentType
from caveat.contracts.plan import Answerers, ReasonerCard
from caveat.contracts.report import ReportedFailure
from caveat.contracts.source import Unread, UnreadSort
from caveat.contracts.synthesis import SectionDraft, Synthesis, Verification
from caveat.failures import PortFailure, not_found, timed_out
from caveat.rules.report.disclosure import build_reasoner_card, write_disclosure
from caveat.rules.report.limitations import (
    CONSEQUENCE,
    SUBJECT,
    describe_failures,
    describe_unread_files,
)
from caveat.rules.sources.unread import list_unread_sentences
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


# What a report says of who reasoned: by what answered, whatever was planned.


CLAUDE = ReasonerCard(
    name="claude", disclosure=write_disclosure(["planned-model"]), uses_language_model=True
)
EXTRACTIVE = ReasonerCard(
    name="extractive", disclosure="Extractive, no language model.", uses_language_model=False
)
MODELS = Answerers(models=("m-1", "m-2"), with_model=("claude",))
RULES = Answerers(without_model=("extractive",))
QUOTES = Synthesis(summary="", sections=(SectionDraft(assignment_id="a1", title="x", summary=""),))


@pytest.mark.parametrize(
    ("card", "answered", "name", "uses", "says", "says_not"),
    [
        (EXTRACTIVE, RULES, "extractive", False, ("no language model",), ("m-1",)),
        (EXTRACTIVE, Answerers(), "extractive", False, ("no language model",), ()),
        (CLAUDE, MODELS, "claude", True, ("m-1, m-2",), ("planned-model", "mixture")),
        # What Claude's adapter needs no model for is no other reasoner's.
        (
            *(CLAUDE, MODELS + Answerers(without_model=("claude",)), "claude", True),
            *(("m-1, m-2",), ("mixture",)),
        ),
        (
            *(EXTRACTIVE, RULES + MODELS, "claude and extractive", True),
            *(("mixture", "m-1, m-2", "extractive, without"), ("no language model.",)),
        ),
        (
            *(CLAUDE, RULES + MODELS, "claude and extractive", True),
            *(("mixture", "m-1, m-2", "extractive, without"), ()),
        ),
        # It began without a model, and one answered nevertheless.
        (EXTRACTIVE, MODELS, "claude", True, ("m-1, m-2",), ("no language model",)),
    ],
)
def test_what_answered_is_disclosed(
    card: ReasonerCard,
    answered: Answerers,
    name: str,
    uses: bool,
    says: tuple[str, ...],
    says_not: tuple[str, ...],
) -> None:
    made = build_reasoner_card(card, answered, QUOTES)
    assert (made.name, made.uses_language_model, made.models) == (name, uses, answered.models)
    for words in says:
        assert words in made.disclosure
    for words in says_not:
        assert words not in made.disclosure


def test_only_what_was_done_is_said_to_be_a_models() -> None:
    written = QUOTES.model_copy(update={"verdict": True})
    verified = written.model_copy(update={"verification": Verification()})
    said = [
        build_reasoner_card(CLAUDE, MODELS, each).disclosure.partition(" (")[0]
        for each in (QUOTES, written, verified)
    ]
    assert said == [
        "Language models planned and read",
        "Language models planned, read and wrote",
        "Language models planned, read, wrote and verified",
    ]

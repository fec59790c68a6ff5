"""What the benchmark of reading takes for read, for shown and for said."""

import json

import pytest

from benchmarks.reading.__main__ import Ended, passed, prose, read
from benchmarks.reading.model import CORPUS, DOCUMENTS, GOLD, SAID, Reader, plain
from caveat.adapters.claude.messages.schema import build_schema
from caveat.roles.analyst import Statements
from caveat.roles.data import format_block, format_json_block
from standins.messages_api import Recorded

BUDGET = "What were the budget and the final cost of the refurbishment of Thornwick Baths, and who paid for it?"  # noqa: E501  # as it was asked


def test_every_recorded_quote_stands_in_its_document_and_every_side_in_some() -> None:
    for claim in SAID["claims"]:
        assert plain(claim["quote"]) in DOCUMENTS[claim["source"]]
    assert len(GOLD["contradictions"]) == len(SAID["disputes"])


def asked(*content: str) -> Recorded:
    schema = build_schema(Statements)
    body = {
        "messages": [{"role": "user", "content": "\n".join(content)}],
        "output_config": {"format": {"type": "json_schema", "schema": schema}},
    }
    return Recorded("/v1/messages", {}, body)


@pytest.mark.parametrize(
    "facts", [{"question": BUDGET}, {"questions": [{"name": "a1", "question": BUDGET}]}]
)
def test_claims_are_found_by_document_and_question_in_any_prompt(facts: dict[str, object]) -> None:
    reader = Reader()
    source = (CORPUS / "10-audit-report.md").read_text("utf-8")
    said = json.loads(
        reader(asked(format_json_block({"topic": "x", **facts}), format_block(source))).text
    )
    assert len(said["claims"]) >= 4
    assert all(claim["quote"] in source for claim in said["claims"])
    assert dict(reader.read) == {"10-audit-report.md": 1}


REPORT = "# T\n\n## Answer\nIt cost £5.1 million.\n\n## Contradictions\nOr £5.84 million.\n"


def test_prose_is_what_the_report_states() -> None:
    assert "5.1" in prose(REPORT)
    assert "5.84" not in prose(REPORT)
    assert "5.1" in prose(REPORT, "Answer")


def test_a_side_that_is_not_shown_is_lost() -> None:
    reader = Reader(disputes={0})
    lost = read(reader, Ended(0, {}, REPORT.replace("Or £5.84 million.", "")))
    assert (lost["contradictions"], lost["both_sides"]) == (1, [])
    shown = read(reader, Ended(0, {}, REPORT))
    assert shown["both_sides"] == ["cost, all in"]
    assert (shown["both_in_prose"], shown["both_in_answer"]) == ([], [])
    kept = {
        "ruling": {"report": True, "overruled_statements": []},
        "unanswerable": {"asked": 0, "named": []},
    }
    assert passed({"runs": {"t": shown}, **kept})
    assert not passed({"runs": {"t": lost}, **kept})


def test_a_claim_that_the_synthesiser_was_not_shown_is_lost() -> None:
    first, second = ((each["source"], plain(each["quote"])) for each in SAID["claims"][:2])
    reader = Reader(found={first: 1.0, second: 1.0}, shown=f"… {first[1]} …")
    found = read(reader, Ended(0))
    assert (found["best"], found["best_reached"]) == (2, 1)

"""Contradictions as people meet them: a provisional report, an inbox, a ruling, a revision."""

import json
from typing import Any

import pytest

from tests.fakes.home import IN_A_SECOND, TOPIC, Home

pytestmark = pytest.mark.system


@pytest.fixture
def home(disputed_home: Home) -> Home:
    return disputed_home


def written(home: Home, folder: str) -> Any:
    return json.loads((home.folder / folder / "report.json").read_text())


def test_a_contradiction_is_answered_from_the_inbox(home: Home) -> None:
    # Nobody sits at a terminal here, so that nobody is waited for.
    facts = home.json("research", TOPIC, "--corpus", "papers", "--out", "mine")
    run_id = facts["run_id"]
    assert facts["status"] == "provisional"
    assert written(home, "mine")["status"] == "provisional"

    with home.keeping_server():
        (waiting,) = home.json("inbox")
        assert facts["open_contradictions"] == [waiting["arbitration"]]
        assert "67.4 ± 0.5" in waiting["about"]
        assert "73.0 ± 1.0" in waiting["about"]

        for wrong, why in (
            (("maybe", "--because", "x"), "no ruling “maybe”"),
            (("a", "--because", "  "), "reason"),
        ):
            refused = home.caveat("rule", waiting["arbitration"], *wrong)
            assert refused.returncode == 2
            assert why in refused.stderr
        for unknown, why in (("nothing", "caveat inbox"), (f"{run_id}/contradiction-9", "it has")):
            refused = home.caveat("rule", unknown, "a", "--because", "x")
            assert refused.returncode == 2
            assert why in refused.stderr

    ruled = home.caveat(
        *("rule", waiting["arbitration"], "both"),
        *("--because", "Different epochs."),
        "--by",
        "Ada",
    )
    assert ruled.returncode == 0, ruled.stderr
    assert "both hold" in ruled.stderr
    report = written(home, "mine")
    assert report["status"] == "final"
    assert [each["decided_by"] for each in report["contradictions"]] == ["Ada"]
    assert [each["signed"] for each in report["contradictions"]] == [True]
    assert home.caveat("audit", "mine/report.json").returncode == 0
    with home.keeping_server():
        assert home.json("inbox") == []
        again = home.caveat("rule", waiting["arbitration"], "a", "--because", "No.")
        assert again.returncode == 2
        assert "ruled on by Ada" in again.stderr
        _change_and_withdraw(home, waiting["arbitration"])


def _change_and_withdraw(home: Home, arbitration: str) -> None:
    """Change a ruling by its run and by a revision, reuse it, and take it back."""
    bob = ("--by", "Bob", "--json", "--out")
    changed = home.json(
        *("rule", arbitration, "a", "--because", "The later table.", "--replace", *bob, "second")
    )
    (found,) = written(home, "second")["contradictions"]
    assert (found["ruling"], found["decided_by"], found["signed"]) == ("a", "Bob", True)
    again = home.caveat("research", f"{TOPIC[:-1]} now?", "--corpus", "papers")
    assert ", as Bob ruled in an earlier run." in again.stdout
    for wrong, why in (((), "says which value holds"), (("a", "--withdraw"), "chooses nothing")):
        refused = home.caveat("rule", arbitration, *wrong, "--because", "x")
        assert (refused.returncode, why in refused.stderr) == (2, True), refused.stderr
    named = f"{changed['run_id']}/contradiction-1"
    same = home.caveat("rule", named, "a", "--because", "The later table.", "--replace", *bob[:2])
    assert (same.returncode, "was ruled on that way already" in same.stderr) == (2, True), (
        same.stderr
    )
    # It leaves with 1: no value is left that could answer.
    home.json("rule", named, "--withdraw", "--because", "Both are wrong.", *bob, "third")
    (found,) = written(home, "third")["contradictions"]
    assert (found["state"], found["requires_human_review"]) == ("provisional", True)
    assert [each["choice"] for each in found["rulings"]] == ["both", "a", None]
    failures = home.caveat("status", written(home, "third")["run_id"]).stdout
    assert "Ada ruled that both hold. “Different epochs.”" in failures
    assert "Bob ruled that A holds, and no longer that both hold." in failures
    assert "Bob withdrew the ruling that A holds. “Both are wrong.”" in failures
    asked = home.json("research", f"{TOPIC[:-1]} today?", "--corpus", "papers")
    assert asked["status"] == "provisional", "what was withdrawn settles nothing"


def test_a_ruling_after_the_deadline_revises_the_report(home: Home) -> None:
    facts = home.json(*("research", TOPIC, "--corpus", "papers", *IN_A_SECOND, "--wait"))
    run_id = facts["run_id"]
    (found,) = written(home, f"reports/{run_id}")["contradictions"]
    assert (found["state"], found["confidence"]) == ("provisional", 0.5)
    same = home.json(*("research", TOPIC, "--corpus", "papers", *IN_A_SECOND, "--wait"))["run_id"]

    with home.keeping_server():
        assert [each["needs_review"] for each in home.json("runs")] == [1, 1]
        assert "needs review" in home.caveat("runs").stdout
        assert f"caveat rule {run_id}/contradiction-1 a|b" in home.caveat("status", run_id).stdout
        assert [each["needs_review"] for each in home.json("inbox")] == [True, True]

        late = home.json(
            *("rule", f"{run_id}/contradiction-1", "b"), *("--because", "Newer."), "--by", "Bo"
        )
        revised = written(home, f"reports/{late['run_id']}")
        assert revised["revision"]["of"] == run_id
        assert any("Bo" in change for change in revised["revision"]["changes"])
        assert [each["ruling"] for each in revised["contradictions"]] == ["b"]
        known = {run_id, same, late["run_id"]}
        (other,) = {each["run_id"] for each in home.json("runs")} - known
        also = home.json("resume", other)
        revised = written(home, f"reports/{also['run_id']}")
        assert (revised["revision"]["of"], revised["contradictions"][0]["ruling"]) == (same, "b")
        assert [each["needs_review"] for each in home.json("runs")] == [0] * 4
        assert home.json("inbox") == []


def test_a_question_is_asked_on_of_what_a_run_has_kept(home: Home) -> None:
    first = home.json("research", TOPIC, "--corpus", "papers", "--provisional")
    run_id = first["run_id"]
    question = "What is the Hubble constant of the ladder?"
    home.json("ask", run_id, question, "--out", "open")
    assert written(home, "open")["claims"], "a ruling that is waited for keeps nobody from asking"
    with home.keeping_server():
        waiting = {each["arbitration"] for each in home.json("inbox")}
    assert f"{run_id}/contradiction-1" in waiting
    home.json("rule", f"{run_id}/contradiction-1", "both", "--because", "Different epochs.")
    for document in home.corpus.iterdir():
        document.unlink()  # the texts are kept
    asked = home.json("ask", run_id, question, "--out", "on")
    assert asked["run_id"].startswith(f"{run_id}-ask-")
    report = written(home, "on")
    assert report["answered"] is None, "without a model it never says that it answers"
    assert report["claims"]
    assert home.caveat("audit", "on/report.json").returncode == 0

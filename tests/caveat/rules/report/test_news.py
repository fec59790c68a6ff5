"""What a scheduled run says has changed since the one before."""

from caveat.contracts.contradiction import ContradictionState
from caveat.contracts.report import Report
from caveat.rules.report.revision import news
from tests.fakes.reports import a_disputed_report, a_report

BEFORE = a_report().model_copy(update={"run_id": "research-moons-3fa9c1"})
CLAIM = BEFORE.claims[0]
SOURCE = next(each for each in BEFORE.sources if each.id == CLAIM.source_id)


def changed(report: Report, sha256: str | None = "f" * 64) -> Report:
    """The source of the first claim has another text."""
    sources = tuple(
        each.model_copy(update={"snapshot_sha256": sha256}) if each.id == SOURCE.id else each
        for each in report.sources
    )
    return report.model_copy(update={"sources": sources})


def saying(report: Report, quote: str) -> Report:
    """The first claim quotes something else."""
    claims = (CLAIM.model_copy(update={"quote": quote}), *report.claims[1:])
    return report.model_copy(update={"claims": claims})


def test_nothing_is_no_news() -> None:
    found = news(BEFORE, BEFORE.model_copy(update={"run_id": "research-moons-4fa9c1"}))
    assert (found.of, found.changes) == ("research-moons-3fa9c1", ())


def test_what_is_quoted_otherwise_of_the_same_text_is_no_news() -> None:
    assert news(BEFORE, saying(BEFORE, "Another sentence of the same text.")).changes == ()
    assert news(BEFORE, BEFORE.model_copy(update={"claims": BEFORE.claims[1:]})).changes == ()


def test_a_value_that_moved() -> None:
    assert any(sign.isdigit() for sign in CLAIM.quote)
    moved = "".join("9" if sign.isdigit() else sign for sign in CLAIM.quote)
    changes = news(BEFORE, changed(saying(BEFORE, moved))).changes
    assert changes[0] == f"The text of “{SOURCE.title}” has changed."
    assert f"“{SOURCE.title}”: “{CLAIM.quote}” is now “{moved}”." in changes


def test_a_claim_that_is_new_and_one_that_is_gone() -> None:
    changes = news(BEFORE, changed(saying(BEFORE, "Quite another sentence."))).changes
    assert f"New in “{SOURCE.title}”: “Quite another sentence.”." in changes
    assert f"Gone from “{SOURCE.title}”: “{CLAIM.quote}”." in changes


def test_sources_that_come_and_go() -> None:
    lost = changed(BEFORE, sha256=None).model_copy(update={"claims": BEFORE.claims[1:]})
    assert f"Not among the sources any more: “{SOURCE.title}”." in news(BEFORE, lost).changes
    found = news(lost, BEFORE).changes
    assert found[0] == f"New source: “{SOURCE.title}”."
    assert f"New in “{SOURCE.title}”: “{CLAIM.quote}”." in found


def test_contradictions_that_are_opened_and_settled() -> None:
    disputed = a_disputed_report()
    first = next(each for each in disputed.contradictions if each.ruling is not None)
    none = disputed.model_copy(update={"contradictions": ()})
    assert any(f"{first.id} is new" in each for each in news(none, disputed).changes)
    assert any("no longer found" in each for each in news(disputed, none).changes)
    provisional = first.model_copy(
        update={"state": ContradictionState.PROVISIONAL, "ruling": None, "settled_by": None}
    )
    before = disputed.model_copy(update={"contradictions": (provisional,)})
    after = disputed.model_copy(update={"contradictions": (first,)})
    (settled,) = news(before, after).changes
    assert settled.startswith(first.id)


def test_a_flood_is_cut() -> None:
    sources = tuple(
        SOURCE.model_copy(update={"id": f"s{number}", "path": f"{number}.md", "title": "x"})
        for number in range(60)
    )
    changes = news(BEFORE, BEFORE.model_copy(update={"sources": (*BEFORE.sources, *sources)}))
    assert len(changes.changes) == 41
    assert changes.changes[-1] == "20 more changes are not listed."

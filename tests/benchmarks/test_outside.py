"""What the benchmark of agents elsewhere counts."""

from typing import Any

from benchmarks.outside import FAULTS, SEATS, behaviour, found, stands, unnamed


def test_the_same_seed_draws_the_same_and_every_fault() -> None:
    drawn = [behaviour(1, f"outside-{number}", seat) for number in range(100) for seat in SEATS]
    again = [behaviour(1, f"outside-{number}", seat) for number in range(100) for seat in SEATS]
    assert drawn == again
    assert {how for how, _ in drawn} == {"answers", *FAULTS}


def test_what_is_invented_is_quoted_from_nowhere() -> None:
    for invented in (False, True):
        for document in found("news", 0.6, invented=invented).documents:
            assert (document.quotations[0].quote in document.text) is not invented


TITLES = (
    *("Business model", "Financial results", "Strategy and competition"),
    *("Valuation", "Recent news and guidance"),
)


def a_report(*lost: str, share: float = 0.0) -> dict[str, Any]:
    return {
        "sections": [{"title": title, "claims": ["c1"]} for title in TITLES],
        "failures": [
            {
                "task_description": f"Have somebody-0 look into “{title}”",
                "recovered": False,
                "completeness": share,
            }
            for title in lost
        ],
    }


def test_a_report_needs_three_seats_and_both_critical_ones() -> None:
    assert stands(a_report("Valuation", "Recent news and guidance"))
    assert not stands(a_report(*TITLES[2:]))
    assert not stands(a_report("Financial results"))
    assert stands(a_report("Financial results", share=0.75))


def test_a_lost_seat_must_be_told_of() -> None:
    run = next(
        f"outside-{number}"
        for number in range(100)
        if [behaviour(1, f"outside-{number}", seat)[0] for seat in SEATS].count("refuses") == 1
        and behaviour(1, f"outside-{number}", "news")[0] == "refuses"
    )
    report = a_report()
    assert "news" in unnamed(1, run, report)
    report["failures"] = [{"task_description": "Have news-3 look into “Recent news”"}]
    assert "news" not in unnamed(1, run, report)

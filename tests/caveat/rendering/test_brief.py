"""One page, and the sources for whoever cites them."""

import json
import re

from caveat.rendering import words
from caveat.rendering.bibliography import bibtex, csl
from caveat.rendering.brief import brief
from caveat.rendering.edition import Edition
from tests.fakes.reports import a_disputed_report, a_report

A_PAGE = 60
"""Lines of print, of 90 characters each."""


def test_a_brief_is_one_page_that_says_whether_it_answers() -> None:
    for report in (a_report(), a_disputed_report()):
        written = brief(report)
        lines = sum(1 + len(line) // 90 for line in written.splitlines())
        assert lines <= A_PAGE
        assert report.answered_because in written
        assert f"**Confidence: {words.confidence(report.confidence.value)}:** " in written
        assert report.run_id in written


def test_what_disagrees_stands_in_a_brief_with_both_values() -> None:
    report = a_disputed_report()
    sides = Edition(report).sides(Edition(report).disputed[0])
    assert len(sides) > 1
    assert all(f"- {side.letter}: “" in brief(report) for side in sides)


def test_every_cited_source_can_be_cited() -> None:
    report = a_report()
    numbers = [source.number for source in Edition(report).cited]
    assert numbers
    assert re.findall(r"^@\w+\{source-(\d+),$", bibtex(report), re.MULTILINE) == [
        str(number) for number in numbers
    ]
    assert [item["id"] for item in json.loads(csl(report))] == [f"source-{n}" for n in numbers]


def test_a_title_runs_no_command_of_tex() -> None:
    report = a_report()
    first, *others = report.sources
    hostile = first.model_copy(
        update={"title": r"\input{/etc/passwd} & 100% _of_ {it}", "number": 1}
    )
    written = bibtex(report.model_copy(update={"sources": (hostile, *others)}))
    assert r"\textbackslash{}input\{/etc/passwd\} \& 100\% \_of\_ \{it\}" in written

"""One page, and the sources for whoever cites them."""

import datetime as dt
import json
import re

from caveat.contracts.source import Precision
from caveat.contracts.synthesis import MissingPart
from caveat.rendering import words
from caveat.rendering.bibliography import render_bibtex, render_csl
from caveat.rendering.brief import render_brief
from caveat.rendering.edition import Edition
from caveat.rendering.gist import build_gist
from caveat.rules.sources import is_own_report
from tests.fakes.reports import a_disputed_report, a_report

A_PAGE = 60  # lines of print, of 90 characters each


def test_a_brief_is_one_page_that_says_whether_it_answers() -> None:
    for report in (a_report(), a_disputed_report()):
        written = render_brief(report)
        lines = sum(1 + len(line) // 90 for line in written.splitlines())
        assert lines <= A_PAGE
        assert report.answered_because in written
        assert "•" not in written
        assert f"Confidence {words.grade_confidence(report.confidence.value)} (" in written
        assert report.run_id in written


def test_a_brief_has_the_answer_what_it_lacks_and_the_sources_that_it_cites() -> None:
    lack = MissingPart(part="how much the insurer paid", why="No document says so.")
    report = a_report().model_copy(update={"missing": (lack,)})
    written = render_brief(report).replace("\\", "")
    answer = build_gist(report).answer
    assert answer
    assert all(each.removeprefix("• ")[:200] in written for each in answer)
    assert "- how much the insurer paid. No document says so." in written
    text, _, sources = written.partition("**Sources**")
    cited = set(re.findall(r"\[\d+\]", text))
    assert cited == set(re.findall(r"^- (\[\d+\])", sources, re.MULTILINE))


def test_every_cited_source_can_be_cited() -> None:
    report = a_report()
    numbers = [source.number for source in Edition(report).cited]
    assert numbers
    assert re.findall(r"^@\w+\{source-(\d+),$", render_bibtex(report), re.MULTILINE) == [
        str(number) for number in numbers
    ]
    assert [item["id"] for item in json.loads(render_csl(report))] == [
        f"source-{n}" for n in numbers
    ]


def test_a_title_runs_no_command_of_tex() -> None:
    report = a_report()
    first, *others = report.sources
    hostile = first.model_copy(
        update={"title": r"\input{/etc/passwd} & 100% _of_ {it}", "number": 1}
    )
    written = render_bibtex(report.model_copy(update={"sources": (hostile, *others)}))
    assert r"\textbackslash{}input\{/etc/passwd\} \& 100\% \_of\_ \{it\}" in written


def test_authors_and_no_more_of_a_date_than_is_known_are_cited() -> None:
    report = a_report()
    first, *others = report.sources
    facts = {"authors": ("Ann Lee", "Lock and Weir"), "published": dt.date(2019, 1, 1)}
    dated = first.model_copy(update={**facts, "precision": Precision.YEAR})
    known = report.model_copy(update={"sources": (dated, *others)})
    written = render_bibtex(known)
    assert "author = {Ann Lee and {Lock and Weir}}," in written
    assert "year = {2019}," in written
    item = next(
        each for each in json.loads(render_csl(known)) if each["id"] == f"source-{dated.number}"
    )
    assert item["issued"] == {"date-parts": [[2019]]}
    assert item["author"][0] == {"literal": "Ann Lee"}
    assert is_own_report(written)


def test_what_disagrees_stands_in_a_brief_with_both_values() -> None:
    report = a_disputed_report()
    sides = Edition(report).build_sides(Edition(report).disputed[0])
    assert len(sides) > 1
    quotes = [f"{each.letter}: “{each.claim.quote[:20]}" for each in sides if each.claim]
    assert len(quotes) == len(sides)
    assert all(quote in render_brief(report) for quote in quotes)

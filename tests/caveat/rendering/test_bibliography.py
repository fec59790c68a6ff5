"""The sources, for whoever cites them."""

import datetime as dt
import re

from caveat.contracts.source import Precision
from caveat.rendering.bibliography import render_bibtex
from caveat.rendering.edition import Edition
from caveat.rules.sources import is_own_report
from tests.fakes.reports import a_report


def test_every_cited_source_can_be_cited() -> None:
    report = a_report()
    numbers = [source.number for source in Edition(report).cited]
    assert numbers
    assert re.findall(r"^@\w+\{source-(\d+),$", render_bibtex(report), re.MULTILINE) == [
        str(number) for number in numbers
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
    assert is_own_report(written)

"""A report in a few plain lines."""

import datetime as dt

import pytest

from caveat.rendering.edition import Edition
from caveat.rendering.gist import build_dispute, build_gist
from caveat.rendering.markdown import render
from caveat.rendering.words import ONE_SOURCE, name_voice
from caveat.rules.report import DIRECT
from caveat.rules.report.derivation import derive_report
from tests.fakes.reports import a_disputed_report, a_report


@pytest.mark.parametrize(
    ("author", "voice"),
    [
        ("Adam Riess", "Adam Riess 2022"),  # alone, nobody can tell it from a body's
        ("E. Di Valentino", "Di Valentino 2022"),
        ("Saltreach Tide Authority", "Saltreach Tide Authority 2022"),
        ("Adam G. Riess", "Riess 2022"),
        ("Ruderverein e.V.", "Ruderverein e.V. 2022"),
        ("Ruderverein e. V.", "Ruderverein e. V. 2022"),
    ],
)
def test_a_person_is_called_by_surname_and_a_company_by_its_name(author: str, voice: str) -> None:
    source = a_report().sources[0]
    changed = source.model_copy(update={"authors": (author,), "published": dt.date(2022, 3, 1)})
    assert name_voice(changed) == voice


def test_what_is_said_of_terms_is_said_of_the_place_that_is_shown() -> None:
    made = a_report()
    claim = made.claims[0].model_copy(update={"location": "Diary of a keeper › Values"})
    section = made.sections[0].model_copy(
        update={"title": DIRECT, "summary": f"- “{claim.quote}” [{claim.id}]"}
    )
    changes = {
        "topic": "How is a diary kept?",
        "claims": (claim, *made.claims[1:]),
        "sections": (section, *made.sections[1:]),
        "reasoner": made.reasoner.model_copy(update={"uses_language_model": False}),
    }
    report = derive_report(made.model_copy(update=changes))
    assert report.answered_because.startswith("No passage names “diary”, “kept”: ")
    answer = render(report).partition("## Answer")[2].partition("\n## ")[0]
    for shown in ("\n".join(build_gist(report).lines), answer):
        assert "§ Values" in shown
        assert "Diary" not in shown


def test_the_first_passage_has_the_most_words_and_all_that_is_said_of_them_is_shown() -> None:
    made = a_report()
    filled = [f"Filler {number}." for number in range(16)]
    claims = tuple(
        made.claims[0].model_copy(
            update={
                "id": f"c{number}",
                "quote": f"Survey {number} measured it.",
                # the lamp stands where a window of sixty words has ended
                "after": f" {' '.join(filled)} {' '.join(filled)} A lamp was lit.",
                "before": "",
            }
        )
        for number in range(1, 4)
    )
    quotes = "\n".join(f"- “{claim.quote}” [{claim.id}]" for claim in claims)
    section = made.sections[0].model_copy(update={"title": DIRECT, "summary": quotes})
    changes = {
        "topic": "Which survey lit a lamp?",
        "claims": claims,
        "sections": (section, *made.sections[1:]),
        "reasoner": made.reasoner.model_copy(update={"uses_language_model": False}),
        "contradictions": (),
    }
    report = derive_report(made.model_copy(update=changes))
    first, *others = (each for each in build_gist(report).answer if "Survey" in each)
    assert "A lamp was lit." in first
    assert len(others) == 2
    assert not any("lamp" in each for each in others)
    assert "Passage 1 names every term asked. Passage 2 names 1 of 3" in report.answered_because
    answer = render(report).partition("## Answer")[2].partition("\n## ")[0]
    assert answer.count("A lamp was lit.") == 1


def test_where_nothing_differs_it_is_said_what_was_compared() -> None:
    report = a_report()
    assert not report.contradictions
    compared = build_gist(report).compared
    by_model = f"The language model compared {len(report.claims)} claims."
    assert compared == f"No contradiction was seen. {by_model}"
    assert compared in build_gist(report).lines
    rules = report.reasoner.model_copy(update={"uses_language_model": False})
    by_rules = build_gist(report.model_copy(update={"reasoner": rules})).compared
    assert f"Caveat compared figures, dates and names in {len(report.claims)} " in by_rules
    alone = tuple(c for c in report.claims if c.source_id == report.claims[0].source_id)
    assert build_gist(report.model_copy(update={"claims": alone})).compared == ONE_SOURCE
    assert not build_gist(report.model_copy(update={"claims": ()})).compared
    assert not build_gist(a_disputed_report()).compared


@pytest.mark.parametrize(
    ("values", "title"),
    [
        (("1968", "1972"), "The pool was opened, 1968 to 1972"),
        (("2 May 2024", "19 May 2024"), "The pool was opened, 2 or 19 May 2024"),
        (("11 Mitglieder", "7 Gäste"), "The pool was opened, 11 Mitglieder or 7 Gäste"),
    ],
)
def test_how_far_apart_values_are_is_said(values: tuple[str, str], title: str) -> None:
    report = a_disputed_report()
    found = report.contradictions[0]
    sides = tuple(
        side.model_copy(update={"value": value})
        for side, value in zip(found.sides, values, strict=True)
    )
    quotes = dict(zip((side.claim for side in sides), values, strict=True))
    claims = tuple(
        each.model_copy(update={"quote": f"It was opened on {quotes[each.id]}."})
        if each.id in quotes and " " in quotes[each.id]
        else each
        for each in report.claims
    )
    dated = {"about": "The pool was opened: one day in one, another there", "sides": sides}
    edition = Edition(report.model_copy(update={"claims": claims, "stated": ()}))
    dispute = build_dispute(edition, found.model_copy(update=dated))
    assert dispute.title.endswith(title)

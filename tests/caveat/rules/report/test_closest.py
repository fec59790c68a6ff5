"""What a report without a model opens with, and which words of its question a passage has."""

import pytest

from caveat.contracts.report import Report
from caveat.contracts.source import Claim, ClaimState
from caveat.rules.report.answering import DIRECT
from caveat.rules.report.appraisal import WHILE_DISPUTED
from caveat.rules.report.assembly import derive_report
from caveat.rules.report.closest import (
    WINDOW,
    cut_window,
    describe_counting,
    find_place,
    fit,
    format_pinpoint,
    select_closest,
)
from tests.fakes.reports import a_disputed_report, a_report


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("How fast is the X300 in 2023?", "The X300 is fast.", ("2023",)),
        ("How fast is the X300 in 2023?", "The X200 was fast in 2022.", ("X300", "2023")),
        ("Who built the castles?", "The castle was built by Ada.", ()),
        ("Wie lange ist die Kündigungsfrist?", "Kündigungsfristen: drei Monate.", ()),
        ("青石水库的总库容是多少？", "青石水库建于1978年。", ("总库容",)),
        ("What is C++ used for?", "C is used for the firmware.", ("C++",)),
        # No word is taken for another that is spelt much like it.
        ("Where does the work stand?", "The word stands in the index.", ("work",)),
        ("Which bank pays it back?", "The bank pays.", ("back",)),
        ("How is the tabel sorted?", "The table is sorted by name.", ("tabel",)),
    ],
)
def test_what_a_passage_lacks_is_named(question: str, text: str, lacks: tuple[str, ...]) -> None:
    assert fit(question, text).lacks == lacks
    assert (fit(question, text).share == 1) is not bool(lacks)


def located(topic: str, summary: str | None = None) -> Report:
    report = a_report()
    first, *others = report.sections
    section = first.model_copy(update={"title": DIRECT})
    if summary is not None:
        section = section.model_copy(update={"summary": summary})
    alone = report.reasoner.model_copy(update={"uses_language_model": False})
    changed = {"topic": topic, "sections": (section, *others), "reasoner": alone}
    return derive_report(report.model_copy(update=changed))


def test_without_a_model_no_report_says_that_it_answers() -> None:
    report = located("What is the value of the Hubble constant in 1875?")
    assert report.answered is None
    assert report.answer
    assert report.answered_because.startswith("Passage 1 names ")
    assert "“1875”" in report.answered_because
    assert report.confidence.value <= 0.60


def test_where_nothing_was_found_the_words_are_named() -> None:
    report = located("Who paints Skerry?", summary="")
    assert (report.answered, report.answer) == (None, "")
    assert report.answered_because == "Nothing was found on “paints”, “Skerry”."


def test_who_asks_for_a_count_is_told_what_caveat_does() -> None:
    report = located("How many keepers of the Hubble constant are there?")
    said = f"Caveat does not count; {report.basis.documents} documents were searched."
    assert said in report.answered_because


def test_a_count_that_is_shown_in_a_unit_is_one() -> None:
    assert describe_counting("How many bytes are in a char?", 2, "A char takes 4 bytes.") == ""
    assert describe_counting("How many bytes are in a char?", 2, "A char takes bytes.")
    assert describe_counting("How many of the crew were hurt?", 2, "Three crew members were.") == ""
    assert describe_counting("How many projects are there?", 2, "The project has a budget of €3.")
    row = "Court order · Number: 2"
    assert describe_counting("How many court orders were there in 2025?", 2, row) == ""


def test_items_of_a_list_are_told_apart_in_a_window() -> None:
    claim = placed("Fares rise by 4%", "Settled on Monday\n\n", "\n\nTrams run later. Ports close")
    said = "Settled on Monday · Fares rise by 4% · Trams run later. Ports close"
    assert cut_window(claim).text == said


def test_what_is_lacking_is_named_where_most_is_there() -> None:
    topic = "What is the value of the Hubble constant in 1875 at Skerry by lamplight of a keeper?"
    assert "“1875”" not in located(topic).answered_because


def test_the_place_of_a_cell_has_the_whole_caption_of_its_table() -> None:
    caption = "Range of projected total annual savings (£ millions) by department"
    cell = placed("430", "Works\t", "\t260", f"{caption} › Works, upper")
    assert find_place(cell) == f"§ {caption}"


def test_a_place_has_one_sign_of_a_section() -> None:
    assert format_pinpoint("Statutes › § 3 Fees") == "§ 3 Fees"


def test_each_part_of_a_question_has_a_passage_or_is_named() -> None:
    report = located("What is the Hubble constant, and who paints Skerry?")
    assert "“who paints Skerry”: no passage names any of its terms." in report.answered_because
    assert "“What is the Hubble constant”: passage 1 names every term" in report.answered_because


def test_a_part_whose_own_passage_names_nothing_of_it_has_the_best_of_the_others() -> None:
    report = located("What did the bridge cost and when did it reopen?")
    quotes = ["The bridge cost 9 million and reopened in May.", "A bridge may cost a lot."]
    claims = [
        placed(quote, "", "").model_copy(update={"id": f"c{number}", "start": number})
        for number, quote in enumerate(quotes)
    ]
    blocks = [f"- “{claim.quote}” [{claim.id}]" for claim in claims]
    closest = select_closest(report.model_copy(update={"claims": tuple(claims)}), blocks)
    assert "“when did it reopen”: passage 1 names every term" in closest[1]


def test_a_passage_that_states_a_disputed_value_of_what_is_asked_comes_first() -> None:
    report = a_disputed_report()
    (contradiction, *_) = report.contradictions
    (stating,) = (each for each in report.claims if each.id == contradiction.sides[0].claim)
    near = placed("The Hubble constant of Skerry is big.", "", "").model_copy(update={"id": "c99"})
    blocks = [f"“{claim.quote}” [{claim.id}]" for claim in (near, stating)]
    named = contradiction.model_copy(update={"about": "Hubble constant: 67.4 in one, 73.0 in two"})
    changed = {"claims": (near, *report.claims), "contradictions": (named,)}
    asked = report.model_copy(update=changed)
    for topic, first in (("How big is the Hubble constant?", 1), ("Is a constant constant?", 0)):
        closest = select_closest(asked.model_copy(update={"topic": topic}), blocks)
        assert closest[0].startswith(f"- {blocks[first]}")


def test_a_part_that_says_it_asks_for_what_the_other_parts_name() -> None:
    report = a_disputed_report()
    (contradiction, *_) = report.contradictions
    (stating,) = (each for each in report.claims if each.id == contradiction.sides[0].claim)
    first, near = (
        placed(words, "", "").model_copy(update={"id": name})
        for name, words in (("c98", "Ada reads the Hubble dial."), ("c99", "A constant is one."))
    )
    named = contradiction.model_copy(update={"about": "Hubble constant: 67.4 in one, 73.0 in two"})
    asked = report.model_copy(
        update={
            "topic": "Who reads the Hubble dial, and is it a constant?",
            "claims": (first, near, *report.claims),
            "contradictions": (named,),
        }
    )
    blocks = [f"“{claim.quote}” [{claim.id}]" for claim in (first, near, stating)]
    assert select_closest(asked, blocks)[0].split("\n")[1] == f"- {blocks[2]}"


def test_a_disputed_answer_is_moderate_at_most() -> None:
    assert a_disputed_report().disputed
    assert a_disputed_report().confidence.value <= WHILE_DISPUTED


def test_what_nobody_settled_is_shown_and_never_called_nothing() -> None:
    report = located("What is the value of the Hubble constant?")
    state = {"state": ClaimState.UNCERTAIN}
    claims = tuple(claim.model_copy(update=state) for claim in report.claims)
    doubted = derive_report(report.model_copy(update={"claims": claims}))
    assert doubted.answer
    assert "Nothing was found" not in doubted.answered_because
    section = doubted.sections[0].model_copy(update={"summary": ""})
    sections = (section, *doubted.sections[1:])
    unquoted = derive_report(doubted.model_copy(update={"sections": sections}))
    assert unquoted.answered_because == "Every passage on the question is overruled or disputed."


def placed(quote: str, before: str, after: str, location: str | None = None) -> Claim:
    return (
        a_report()
        .claims[0]
        .model_copy(update={"quote": quote, "before": before, "after": after, "location": location})
    )


def test_a_window_fills_sixty_words_and_marks_what_it_cuts() -> None:
    long = "This sentence stands beside the quote and has exactly twelve words in it. "
    window = cut_window(placed("It leaks.", long * 9, f" {long * 9}"))
    assert sum(word != "…" for word in window.text.split()) == WINDOW
    assert window.before.startswith("… ")
    assert window.after.endswith(long.strip())
    alone = cut_window(placed("The tank leaks.", "", f" {long * 9}"))
    assert (alone.before, alone.after.endswith(" …")) == ("", True)


def test_a_cell_stands_with_its_heads_and_the_longer_cells_of_its_row() -> None:
    row = "\tThe wait for an answer in seconds.\t7"
    cell = placed("30", "timeout\t", row, "Settings › timeout, Default")
    assert cut_window(cell).text == "timeout, Default: 30 | The wait for an answer in seconds."
    wrecks = placed("Albion\t390\t420", "", "\n\nBrig\t1\t2", "Wrecks › Name; Depth, m; Length, m")
    assert cut_window(wrecks).text == "Albion · Depth, m: 390 · Length, m: 420"
    assert find_place(wrecks) == "§ Wrecks"
    heading = placed("your rules.", "To mend it, check: ", " The port is open.", "Why, oh why?")
    assert cut_window(heading).text == "To mend it, check: your rules. The port is open."


def test_short_passages_make_room_for_more_and_those_that_name_nothing_for_others() -> None:
    report = located("What is the value of the Hubble constant?")
    quotes = [f"The Hubble constant of survey {number} is 7{number}." for number in range(5)]
    claims = [
        placed(quote, "", "").model_copy(update={"id": f"c{number}", "start": number})
        for number, quote in enumerate(("Lamps are lit.", *quotes), start=1)
    ]
    blocks = [f"- “{claim.quote}” [{claim.id}]" for claim in claims]
    closest = select_closest(report.model_copy(update={"claims": tuple(claims)}), blocks)
    assert "Lamps" not in closest[0]
    assert closest[0].count("Hubble") == len(quotes)
    twice = [
        each
        for claim in claims
        for each in (claim, claim.model_copy(update={"id": f"{claim.id}b"}))
    ]
    again = [f"- “{claim.quote}” [{claim.id}]" for claim in twice]
    assert select_closest(report.model_copy(update={"claims": tuple(twice)}), again) == closest
    alone = select_closest(report.model_copy(update={"claims": (claims[0],)}), blocks[:1])
    assert alone[1].startswith("No passage names “value”, “Hubble”, “constant”: ")

"""A sentence cites only what says the same as it does."""

from datetime import date

import pytest

from caveat.contracts.audit import Check
from caveat.contracts.claim import ClaimState
from caveat.contracts.contradiction import Side
from caveat.contracts.synthesis import Calculation, Operand
from caveat.rules.sentences import (
    Grounds,
    check_prose,
    find_text_flaws,
    find_unsupported_numbers,
    list_neighbours,
)
from caveat.rules.text import Piece
from tests.fakes.claims import a_claim

REDUCES = "Aspirin reduces the risk of heart attack."


def _cited_together(other: str, *, uses_language_model: bool = False) -> list[str]:
    claims = {"c1": a_claim("c1", REDUCES), "c2": a_claim("c2", other)}
    piece = Piece(f"- “{REDUCES}” [c1][c2]", claims)
    found = check_prose(piece, Grounds(claims), quotes_alone=not uses_language_model)
    return [finding.message for finding in found if finding.check is Check.CITATION]


@pytest.mark.parametrize(
    "other",
    ["Aspirin does not reduce the risk of heart attack.", "Aspirin reduces the risk of stroke."],
)
def test_a_quote_cites_no_other_statement(other: str) -> None:
    (message,) = _cited_together(other, uses_language_model=False)
    assert "claim c2, which is another statement" in message
    assert _cited_together(other, uses_language_model=True) == []


def test_the_same_statement_may_be_cited_with_it() -> None:
    other = "aspirin reduces risk of heart attack"
    assert _cited_together(other, uses_language_model=False) == []


@pytest.mark.parametrize(
    ("title", "quote"),
    [
        ("Sphinx 1.3", "Sphinx 1.3.0 was released after Sphinx 1.3.1."),
        ("Release 2", "Release 2,500 of Prerelease 2 came late."),
        ("Version 4", "Version 4 and Version 40 differ."),
    ],
)
def test_a_title_is_no_part_of_a_longer_number_or_word(title: str, quote: str) -> None:
    piece = Piece(f"- “{quote}” [c1]", {"c1": a_claim("c1", quote, source_id="s1")})
    grounds = Grounds(piece.claims, {"s1": title})
    assert not list(check_prose(piece, grounds, quotes_alone=True))


def test_naming_a_source_by_its_title_states_no_number() -> None:
    claim = a_claim("c1", REDUCES, source_id="s1")
    text = "Planck 2018 results (VI) says that aspirin reduces the risk. [c1]"
    piece = Piece(text, {"c1": claim})
    grounds = Grounds(piece.claims, {"s1": "Planck 2018 results (VI)"})
    found = check_prose(piece, grounds, quotes_alone=False)
    assert [finding for finding in found if finding.check is Check.NUMBER] == []


ROW = "passengers, thousands\t412\t437\t486"


@pytest.mark.parametrize(
    ("text", "quote", "flaws"),
    [
        ("It carried 486,000 passengers in 2024.", ROW, []),
        ("It carried 486 thousand passengers in 2024.", ROW, []),
        ("It carried 4,860,000 passengers in 2024.", ROW, ["4,860,000"]),
        ("The share is 61 per cent, down from 74.", "In 2023 61% came, a year earlier 74%.", []),
        ("It fell in February 2024.", "In January and February of this year it fell.", []),
        ("It saves 46 tonnes of soot a year.", "It saves soot, 46 tonnes a year.", []),
        ("It held 2,100 MiB.", "resident memory, MiB\t3,500\t2,100", []),
        ("It held 2,100 GiB.", "resident memory, MiB\t3,500\t2,100", ["2,100 GiB"]),
        ("The 5.1 releases came late.", "Late came 5.1.0 and then 5.1.1.", []),
        ("The 5.1 releases came late.", "Late came 5.10.0.", ["5.1"]),
        ("The share is 74 per cent against 61.", "It was 61% and then 74%.", []),
        ("More than 700 were lost.", "They lost 731.", []),
        ("More than 600 were lost.", "They lost 731.", ["600"]),
        ("Almost 2,500 stayed.", "There stayed 2,450.", []),
        ("It costs £85,000 a day.", "It costs £85,000 a year.", ["£85,000 a day"]),
        ("It costs £85,000.", "It costs £85,000 a year.", []),
        ("It costs £85,000 a year.", "The annual cost is £85,000.", []),
        ("It costs £85,000 a month.", "The annual cost is £85,000.", ["£85,000 a month"]),
        ("It emits 9,800 tonnes a year.", "9,800 tonnes of gas a year are emitted.", []),
        ("It closed for 11 weeks.", "Elf Wochen lang war sie zu.", []),
        ("It is paid after some 18 months.", "It is paid after 17.6 months.", []),
        ("One million saw it.", "Half a million saw it.", ["One million"]),
        ("Output tripled.", "Output doubled.", ["tripled"]),
        ("Es war ein Drittel höher.", "It was a quarter higher.", ["ein Drittel"]),
        ("Es war ein Viertel höher.", "It was a quarter higher.", []),
        ("The team has 298 radios.", "Its radio has the number 0298.", ["298"]),
        ("The tank was ¼ full.", "The tank was ½ full.", ["¼"]),
        ("Part XVI sets out the levy.", "The levy is set out in Part XIV.", ["XVI"]),
        ("It is paid after some 19 years.", "It is paid after some 19 months.", ["19 years"]),
        # the source is of 16 March 2024
        ("In December 2023 it stood still.", "En décembre, il était arrêté.", []),
        ("In December 2021 it stood still.", "En décembre, il était arrêté.", ["December 2021"]),
        ("It was granted on 15 March 2024.", "It was granted yesterday.", []),
        ("It was granted on 2 March 2024.", "It was granted yesterday.", ["2 March 2024"]),
        ("It had less than 9,000 trips.", "It had 8,600 trips.", []),
        ("It had more than 9,000 trips.", "It had 8,600 trips.", ["9,000"]),
        ("It had nearly 9,000 trips.", "It had 9,200 trips.", ["9,000"]),
    ],
)
def test_each_figure_stands_in_what_is_cited_with_its_unit(
    text: str, quote: str, flaws: list[str]
) -> None:
    place = "Traffic › 2022, 2023, 2024" if "\t" in quote else None
    claim = a_claim("c1", quote, source="s1", location=place)
    grounds = Grounds({"c1": claim}, {"s1": "A report"}, dates={"s1": date(2024, 3, 16)})
    found = [each.split(" stands")[0] for each in find_text_flaws(text, [claim], grounds)]
    assert found == flaws


@pytest.mark.parametrize(
    "text", ["The two stations cost 49 million.", "Twelve people saw the stations."]
)
def test_what_is_counted_in_words_is_for_a_reader(text: str) -> None:
    claim = a_claim("c1", "The stations cost 49 million, and three people saw them.")
    assert list(find_text_flaws(text, [claim], Grounds({"c1": claim}))) == []


def test_what_states_no_number_is_held_against_none(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = a_claim("c1", "The stations cost 49 million.")
    monkeypatch.delattr(Grounds, "list_excerpts")  # to list them took half of a run's processor
    assert list(find_text_flaws("The stations cost a lot.", [claim], Grounds({"c1": claim}))) == []


@pytest.mark.parametrize(
    ("said", "falls"),
    [
        ("2.4% of the silver eels that passed in autumn 2025 died.", False),
        ("Of the eels, 9.7% died.", True),
    ],
)
def test_what_fell_takes_nothing_with_it_that_another_quote_says(said: str, *, falls: bool) -> None:
    fallen = a_claim("c2", "9.7% of the eels died in autumn 2025.", "s2")
    fallen = fallen.model_copy(update={"state": ClaimState.OVERRULED})
    held = a_claim("c1", "Von den Blankaalen, die im Herbst 2025 kamen, starben 2,4 %.", "s1")
    grounds = Grounds(
        {"c1": held, "c2": fallen}, overruled=(Side(claim="c2", value="9.7%"),), wanted="en"
    )
    flaws = [*find_text_flaws(said, [held], grounds)]
    assert (flaws != []) is falls, flaws


@pytest.mark.parametrize(
    ("said", "falls"),
    [
        ("The span is 128.5 m.", True),
        ("The span is about 128 m.", True),
        ("The span is a hundred and twenty-eight metres.", True),
        ("The tower is 61 m.", False),
    ],
)
def test_what_fell_falls_rounded_as_well(said: str, *, falls: bool) -> None:
    claim = a_claim("c1", "The span is 128.46 m, and the tower is 61 m.")
    grounds = Grounds({"c1": claim}, overruled=(Side(claim="c1", value="128.46 m"),))
    flaws = [*find_text_flaws(said, [claim], grounds)]
    assert any("is overruled" in each for each in flaws) is falls, flaws


def test_a_number_beside_what_was_overruled_in_words_may_be_told() -> None:
    fallen = a_claim("c2", "The gravel in pools 3 to 6 holds salmon up.", "s2")
    fallen = fallen.model_copy(update={"state": ClaimState.OVERRULED})
    held = a_claim("c1", "Of 60 salmon 45 passed.", "s1")
    side = Side(claim="c2", value="holds salmon up")
    grounds = Grounds({"c1": held, "c2": fallen}, overruled=(side,))
    assert [*find_text_flaws("Of 60 salmon 6 passed.", [held], grounds)] == [
        "6 stands in nothing that it cites."
    ]


@pytest.mark.parametrize(
    ("said", "falls"), [("19145", True), ("19 thousand", False), ("took 19145 days", False)]
)
def test_a_value_that_fell_falls_without_its_unit(said: str, *, falls: bool) -> None:
    row = a_claim("c1", "All packages\t19145\t4", "s1", location="Total, Number")
    row = row.model_copy(update={"state": ClaimState.SCOPED})
    held = a_claim("c2", "The work cost 20.6 million euros, 19 thousand a day.", "s2")
    side = Side(claim="c1", value="19,145 thousand euros")
    grounds = Grounds({"c1": row, "c2": held}, overruled=(side,))
    flaws = [*find_text_flaws(f"It cost 20.6 million euros, and {said}.", [row, held], grounds)]
    assert any("is overruled" in each for each in flaws) is falls


def test_a_share_in_words_states_no_value_that_fell() -> None:
    shops = a_claim("c1", "Of 96 shops on the line 12 closed for good.", "s1")
    lost = a_claim("c2", "The work cost 19,145 thousand euros.", "s2")
    lost = lost.model_copy(update={"state": ClaimState.OVERRULED})
    side = Side(claim="c2", value="19,145 thousand euros")
    grounds = Grounds({"c1": shops, "c2": lost}, overruled=(side,))
    assert not [*find_text_flaws("A third of the 96 shops closed for good.", [shops], grounds)]


@pytest.mark.parametrize(("said", "flaws"), [("47 mm", 0), ("47 per cent", 1), ("83%", 0)])
def test_a_cell_has_the_unit_of_its_own_column(said: str, flaws: int) -> None:
    row = a_claim("c1", "A\t83\t47", location="Survival (%), Shell length (mm)")
    assert len([*find_text_flaws(f"It was {said}.", [row], Grounds({"c1": row}))]) == flaws


ROW = "2024\t402.7\t9,490"


@pytest.mark.parametrize(
    ("quote", "text", "lacking"),
    [
        (ROW, "Roughly 403,000 passengers travelled in 2024.", []),
        (ROW, "Roughly 412,000 passengers travelled in 2024.", ["412,000"]),
        ("Lines\t15,989,267,896\t31.359", "15,989 million travelled, departures were 31.4.", []),
        ("Lines\t15,989,267,896\t31.359", "15,990 million travelled.", ["15,990 million"]),
        ("Lines\t3,100,000\t31.359", "31 lines departed.", ["31"]),  # two digits count things
    ],
)
def test_what_is_rounded_has_the_scale_of_its_column(
    quote: str, text: str, lacking: list[str]
) -> None:
    claim = a_claim("c1", quote, location="Passengers (thousand), Departures")
    grounds = Grounds({"c1": claim})
    assert list(find_unsupported_numbers(text, [claim], grounds)) == lacking


@pytest.mark.parametrize(("month", "is_told"), [("May", True), ("June", False)])
def test_when_something_was_may_stand_in_the_next_sentence(month: str, is_told: bool) -> None:
    claim = a_claim("c1", "Of these, 72 per cent would come.").model_copy(
        update={"before": "They sold 900 cards. In May 2025 it asked 1,204 people. "}
    )
    flaws = list(
        find_text_flaws(f"In {month} 2025 72% would come.", [claim], Grounds({"c1": claim}))
    )
    assert (not flaws) is is_told
    assert any(find_text_flaws("It asked 1,204 people.", [claim], Grounds({"c1": claim})))


TAKINGS = "Box office (£k) › 2023, 2024, Capacity (seats), Music (mm:ss), Hire (p per copy)"


@pytest.mark.parametrize(
    ("sentence", "flawed", "doubted"),
    [
        ("In 2024 it took £12,310.", False, False),
        ("In 2024 it took £12.31.", False, True),  # a reader may know that it is told in thousands
        ("In 2024 it took £12.31 million.", True, True),
        ("It has 890 seats.", False, False),
        ("The music lasts 62 minutes and 15 seconds.", False, False),
        ("The music lasts 62 hours and 15 minutes.", True, True),
        ("A copy costs 60p.", False, False),
        ("A copy costs £60.", True, True),
        ("Tenors are 58 years old.", False, True),  # nothing names the unit
    ],
)
def test_a_cell_has_the_unit_and_scale_that_stand_above_it(
    sentence: str, *, flawed: bool, doubted: bool
) -> None:
    claims = {
        "c1": a_claim("c1", "Saturday\t12.7\t12.31\t890\t62:15\t60", location=TAKINGS),
        "c2": a_claim("c2", "Tenor\t7\t58", location="Voices › Members, Age"),
    }
    cited, grounds = [claims["c2" if "Tenors" in sentence else "c1"]], Grounds(claims)
    assert bool([*find_text_flaws(sentence, cited, grounds)]) is flawed
    strict = find_unsupported_numbers(sentence, cited, grounds, is_strict=True)
    assert bool([*strict]) is doubted


@pytest.mark.parametrize(
    ("row", "location", "sentence", "flaws"),
    [
        ("Log\t31\t1,000", "Duration (s), Fine (£)", "The fine was £1,000.", 0),  # scales no cell
        ("Log\t31\t1,000", "Duration (s), Fine (£)", "The fine was £1,000,000.", 1),
        ("Energie\t(253)\t4,1", "in Tsd. € › 2024, 2025", "2024 waren es -253.000 Euro.", 0),
        ("Výdaje\t171 093", "Kapitola 309 (v tis. Kč): › Rok", "It was CZK 171.1 million.", 0),
        ("Výdaje\t171 093", "Kapitola 309 (v tis. Kč): › Rok", "It was CZK 171.1 billion.", 1),
        ("Share\t58\t66", "per cent › 2024, 2025", "It rose by eight per cent.", 1),
        ("> 54 dB\t31.6\t22.4\t33.0", "2024, 2025", "It covers 33.0 km².", 0),  # a reader says
    ],
)
def test_numbers_of_cells_are_read_as_their_tables_write_them(
    row: str, location: str, sentence: str, flaws: int
) -> None:
    claim = a_claim("c1", row, location=location)
    grounds = Grounds({"c1": claim}, wanted="de" if "waren" in sentence else "en")
    assert len([*find_text_flaws(sentence, [claim], grounds)]) == flaws


def test_a_day_near_the_sources_is_none_that_a_quote_states_otherwise() -> None:
    grounds = Grounds({}, dates={"s1": date(2025, 1, 17)})
    for quote, flaws in (("It came yesterday.", 0), ("It came on 2025-01-14.", 1)):
        claim = a_claim("c1", quote, source="s1")
        assert len([*find_text_flaws("It came on 16 January 2025.", [claim], grounds)]) == flaws
    august = a_claim("c1", "It ended in August of 2024.", source="s1")
    assert [*find_text_flaws("It ended in December 2024.", [august], grounds)]


def test_the_heads_of_a_row_give_their_numbers() -> None:
    claim = a_claim("c1", "Madrid\t11,7\t10,3\t13,3", location="share, IC_95%_min, IC_95%_max")
    grounds = Grounds({"c1": claim})
    for interval, flaws in (("95%", 0), ("90%", 1)):
        said = f"La prevalencia fue del 11,7%, con un intervalo del {interval} de 10,3 a 13,3."
        assert len([*find_text_flaws(said, [claim], grounds)]) == flaws


def test_swedish_marks_set_a_quotation() -> None:
    claim = a_claim("c1", "Den som inte betalar får en tilläggsavgift.")
    for words, flaws in (("får en tilläggsavgift", 0), ("straff för den som smiter", 1)):
        said = f"Lagen säger ”{words}” om den som inte betalar."
        assert len([*find_text_flaws(said, [claim], Grounds({"c1": claim}))]) == flaws


def test_the_words_of_a_name_are_of_no_language() -> None:
    claim = a_claim("c1", "In 2025 Let's Encrypt answered 50,000 requests a second.")
    said = "Anfang 2025 beantwortete Let's Encrypt 50.000 Anfragen in der Sekunde."
    assert not [*find_text_flaws(said, [claim], Grounds({"c1": claim}, wanted="de"))]
    danish = "Ved ti fejl om dagen er pausetiden kort."  # looks like Swedish
    assert not [*find_text_flaws(danish, [claim], Grounds({"c1": claim}, wanted="da"))]
    said = "Let's Encrypt answered all of the requests that it had."
    assert [*find_text_flaws(said, [claim], Grounds({"c1": claim}, wanted="de"))]


def test_the_unit_of_a_computed_number_is_no_other_numbers() -> None:
    claim = a_claim("c1", "Requiem\t42\t60", location="Copies, Hire")
    hire = Calculation(
        expression="a * b / 100",
        operands=(
            Operand(name="a", claim_id="c1", value="42"),
            Operand(name="b", claim_id="c1", value="60"),
        ),
        result="£25.20",
    )
    grounds = Grounds({"c1": claim}, calculations=(hire,))
    assert not [*find_text_flaws("All of them cost £25.20.", [claim], grounds)]
    assert [*find_unsupported_numbers("One costs £60.", [claim], grounds, is_strict=True)]


@pytest.mark.parametrize(
    ("before", "near"),
    [
        ("It is hard. In 2019 you could:\n\n", "In 2019 you could:"),
        (
            "It is hard. In 2019 you could:\n\nread it;\n\nkeep it;\n\n",
            "In 2019 you could: keep it;",
        ),
        ("In 2019 you could:\n\nread it.\n\nThat is over. It is kept.\n\n", "It is kept."),
        ("It is hard.\n\nRead it.\n\n", "Read it."),
    ],
)
def test_what_leads_into_a_list_stands_before_each_item(before: str, near: str) -> None:
    assert list_neighbours(a_claim("c1", "erase it.", before=before)) == (near, "")

"""A sentence cites only what says the same as it does."""

from datetime import date

import pytest

from caveat.contracts.audit import Check
from caveat.contracts.contradiction import Side
from caveat.contracts.source import ClaimState
from caveat.contracts.synthesis import Calculation, Operand
from caveat.rules.sentences.checks import check_sentence, find_text_flaws
from caveat.rules.sentences.grounds import Grounds, list_neighbours
from caveat.rules.sentences.hints import find_text_hints
from caveat.rules.text.citations import Piece
from tests.fakes.claims import a_claim

REDUCES = "Aspirin reduces the risk of heart attack."


@pytest.mark.parametrize(
    ("other", "are_same"),
    [
        ("Aspirin does not reduce the risk of heart attack.", False),
        ("Aspirin reduces the risk of stroke.", False),
        ("aspirin reduces risk of heart attack", True),
    ],
)
def test_a_quote_cites_no_other_statement(other: str, *, are_same: bool) -> None:
    claims = {"c1": a_claim("c1", REDUCES), "c2": a_claim("c2", other)}
    piece = Piece(f"- “{REDUCES}” [c1][c2]", claims)
    (sentence,), grounds = piece.sentences, Grounds(claims)
    found = [check for check, _ in check_sentence(sentence, grounds, quotes_alone=True)]
    assert found == ([] if are_same else [Check.QUOTE])
    assert not [*check_sentence(sentence, grounds)]


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
    assert piece.sentences
    for sentence in piece.sentences:
        assert not list(check_sentence(sentence, grounds, quotes_alone=True))


def test_naming_a_source_by_its_title_states_no_number() -> None:
    claim = a_claim("c1", REDUCES, source_id="s1")
    text = "Planck 2018 results (VI) says that aspirin reduces the risk. [c1]"
    piece = Piece(text, {"c1": claim})
    grounds = Grounds(piece.claims, {"s1": "Planck 2018 results (VI)"})
    (sentence,) = piece.sentences
    found = check_sentence(sentence, grounds, quotes_alone=False)
    assert [check for check, _ in found if check is Check.NUMBER] == []


ROW = "passengers, thousands\t412\t437\t486"


@pytest.mark.parametrize(
    ("text", "quote", "flaws"),
    [
        ("It carried 486,000 passengers in 2024.", ROW, []),
        ("It carried 4,860,000 passengers in 2024.", ROW, ["4,860,000"]),
        ("The share is 61 per cent, down from 74.", "In 2023 61% came, a year earlier 74%.", []),
        ("It held 2,100 GiB.", "resident memory, MiB\t3,500\t2,100", ["2,100 GiB"]),
        ("The 5.1 releases came late.", "Late came 5.1.0 and then 5.1.1.", []),
        ("The 5.1 releases came late.", "Late came 5.10.0.", ["5.1"]),
        ("More than 700 were lost.", "They lost 731.", []),
        ("More than 600 were lost.", "They lost 731.", ["600"]),
        ("Almost 2,500 stayed.", "There stayed 2,450.", []),
        ("It costs £85,000 a day.", "It costs £85,000 a year.", ["£85,000 a day"]),
        ("It costs £85,000 a year.", "The annual cost is £85,000.", []),
        ("It closed for 11 weeks.", "Elf Wochen lang war sie zu.", []),
        ("It is paid after some 18 months.", "It is paid after 17.6 months.", []),
        ("One million saw it.", "Half a million saw it.", ["One million"]),
        ("Output tripled.", "Output doubled.", ["tripled"]),
        ("Es war ein Drittel höher.", "It was a quarter higher.", ["ein Drittel"]),
        ("The tank was ¼ full.", "The tank was ½ full.", ["¼"]),
        ("It was granted on 2 March 2024.", "It was granted yesterday.", []),  # a reader checks
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


SPAN = "The span is 128.46 m, and the tower is 61 m."
COST = "The work cost 20.6 million euros, 19 thousand a day."
TOTAL = "All packages\t19145\t4"
EELS = "Von den Blankaalen, die im Herbst 2025 kamen, starben 2,4 %."


@pytest.mark.parametrize(
    ("said", "cited", "of_side", "value", "falls"),
    [
        ("2.4% of the silver eels that passed in autumn 2025 died.", [EELS], "", "9.7%", False),
        ("The span is 128.5 m.", [SPAN], SPAN, "128.46 m", True),
        ("The span is about 128 m.", [SPAN], SPAN, "128.46 m", True),
        ("The span is a hundred and twenty-eight metres.", [SPAN], SPAN, "128.46 m", True),
        ("The tower is 61 m.", [SPAN], SPAN, "128.46 m", False),
        ("Of 60 salmon 45 passed.", ["Of 60 salmon 45 passed."], "", "holds salmon up", False),
        ("It cost 19145.", [TOTAL, COST], TOTAL, "19,145 thousand euros", True),
        ("It cost 19 thousand.", [TOTAL, COST], TOTAL, "19,145 thousand euros", False),
        ("It took 19145 days.", [TOTAL, COST], TOTAL, "19,145 thousand euros", False),
        ("Others say 1 June 2026.", ["It opened on 29 May 2026."], "", "1. Juni 2026", True),
        ("It opened in May 2026.", ["It opened on 29 May 2026."], "", "1. Juni 2026", False),
        ("A third of the 96 shops closed.", ["Of 96 shops 12 closed."], "", "19,145 euros", False),
    ],
)
def test_what_fell_falls_rounded_and_without_its_unit_and_takes_nothing_else_with_it(
    said: str, cited: list[str], of_side: str, value: str, *, falls: bool
) -> None:
    claims = {
        f"c{number}": a_claim(f"c{number}", quote, f"s{number}", location="Total, Number")
        for number, quote in enumerate(cited)
    }
    claims["c9"] = a_claim("c9", f"Others said {value}.", "s9").model_copy(
        update={"state": ClaimState.OVERRULED}
    )
    side = next((name for name, each in claims.items() if each.quote == of_side), "c9")
    grounds = Grounds(claims, overruled=(Side(claim=side, value=value),), wanted="en")
    flaws = [*find_text_flaws(said, [*claims.values()][:-1], grounds)]
    assert any("is overruled" in each for each in flaws) is falls, flaws


TAKINGS = "Box office (£k) › 2023, 2024, Capacity (seats), Hire (p per copy)"


@pytest.mark.parametrize(
    ("sentence", "flawed"),
    [
        ("In 2024 it took £12,310.", False),
        ("In 2024 it took £12.31.", False),  # a reader may know that it is told in thousands
        ("In 2024 it took £12.31 million.", True),
        ("It has 890 seats.", False),
        ("A copy costs 60p.", False),
        ("A copy costs £60.", True),
        ("Tenors are 58 years old.", False),  # nothing names the unit
    ],
)
def test_a_cell_has_the_unit_and_scale_that_stand_above_it(sentence: str, *, flawed: bool) -> None:
    claims = {
        "c1": a_claim("c1", "Saturday\t12.7\t12.31\t890\t60", location=TAKINGS),
        "c2": a_claim("c2", "Tenor\t7\t58", location="Voices › Members, Age"),
    }
    cited, grounds = [claims["c2" if "Tenors" in sentence else "c1"]], Grounds(claims)
    assert bool([*find_text_flaws(sentence, cited, grounds)]) is flawed


SURVIVAL = ("A\t83\t47", "Survival (%), Shell length (mm)")
TRIPS = "Passengers (thousand), Departures"
FINE = ("Log\t31\t1,000", "Duration (s), Fine (£)")
BUDGET = ("Výdaje\t171 093", "Kapitola 309 (v tis. Kč): › Rok")
MARGIN = ("Gross margin (%)\t31.4\t33.0", "Results › CHF million › 2024, 2023")
STAFF = ("Staff\t2,184\t−127", "Results › CHF million › 2024, Change")
LOSS = ("Net income\t$ (536)\t$ 171", "Results › In millions, except per share data › 2022, 2023")
LINES = (
    "(In millions, except percentages)\nBuyers (1)   132   138\nChange   (4) %   (12) %",
    "p. 9",
)
WHEAT = ("0\t3309.5h\t2381.0k\t41.77cd", "N, Straw (kg), Grain (kg), Index (%)")
MADRID = ("Madrid\t11,7\t10,3\t13,3", "share, IC_95%_min, IC_95%_max")


@pytest.mark.parametrize(
    ("row", "sentence", "flaws"),
    [
        (SURVIVAL, "It was 47 mm.", 0),
        (SURVIVAL, "It was 47 per cent.", 1),
        (("2024\t402.7\t9,490", TRIPS), "Roughly 403,000 passengers travelled in 2024.", 0),
        (("2024\t402.7\t9,490", TRIPS), "Roughly 412,000 passengers travelled in 2024.", 1),
        (("Lines\t15,989,267,896\t31.359", TRIPS), "15,989 million in 31.4 departures.", 0),
        (("Lines\t15,989,267,896\t31.359", TRIPS), "15,990 million travelled.", 1),
        (("Lines\t3,100,000\t31.359", TRIPS), "31 lines departed.", 1),  # two digits count things
        (FINE, "The fine was £1,000.", 0),  # scales no cell
        (FINE, "The fine was £1,000,000.", 1),
        (("Energie\t(253)\t4,1", "in Tsd. € › 2024, 2025"), "2024 waren es -253.000 Euro.", 0),
        (BUDGET, "It was CZK 171.1 million.", 0),
        (BUDGET, "It was CZK 171.1 billion.", 1),
        (("Share\t58\t66", "per cent › 2024, 2025"), "It rose by eight per cent.", 1),
        (("> 54 dB\t31.6\t22.4\t33.0", "2024, 2025"), "It covers 33.0 km².", 0),  # a reader says
        (MARGIN, "It slipped to 31.4 per cent.", 0),
        (MARGIN, "It came to CHF 31.4 million.", 1),
        (STAFF, "It had 127 fewer staff.", 0),
        (LOSS, "Its net income was -$536 million in 2022.", 0),
        (LOSS, "In 2022 it lost $536 billion.", 1),
        (LINES, "Its 132 million buyers are a change of -4%.", 0),
        (LINES, "Its 132 billion buyers are a change of -6%.", 2),
        (WHEAT, "It yielded 2,381 kg of grain, an index of 41.77%.", 0),
        (WHEAT, "It yielded 2,381,000 kg of grain.", 1),
        (MADRID, "It was 11.7%, with an interval of 95% from 10.3 to 13.3.", 0),
        (MADRID, "It was 11.7%, with an interval of 90% from 10.3 to 13.3.", 1),
    ],
)
def test_numbers_of_cells_are_read_as_their_tables_write_them(
    row: tuple[str, str], sentence: str, flaws: int
) -> None:
    claim = a_claim("c1", row[0], location=row[1])
    grounds = Grounds({"c1": claim}, wanted="de" if "waren" in sentence else "en")
    assert len([*find_text_flaws(sentence, [claim], grounds)]) == flaws


def test_times_that_no_quote_has_are_pointed_out_and_refuse_nothing() -> None:
    claim = a_claim("c1", "The hearing took an hour on 3 May 2025.", before="Set 14 June 2023. ")
    grounds = Grounds({"c1": claim})
    for said, hints in (
        ("On 3 May 2025 it was heard.", ()),
        ("On 4 May 2025 it was heard.", ("4 May 2025 stands in no quote",)),
        ("It was heard for 90 minutes.", ("90 minutes stands in no quote",)),
        ("It was heard in 2024.", ("2024 stands in no quote",)),  # of "last year"
        ("On 14 June 2023 it was set.", ()),  # stands before the quote, and so before a reader
        ("On 4 June 2023 it was set.", ("4 June 2023 stands in no quote",)),
    ):
        assert not [*find_text_flaws(said, [claim], grounds)]
        assert find_text_hints(said, [claim], grounds) == hints


def test_a_name_with_a_number_may_stand_for_it() -> None:
    claim = a_claim("c1", "96 of them came back, which is 7.3%.")
    grounds = Grounds({"c1": claim}, {"s1": "Terra 8: a manual"})
    assert not [*find_text_flaws("7.3% of the Terra 8 came back.", [claim], grounds)]


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
    claim = a_claim("c1", "Of the Requiem 42 copies are hired at 60.")
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
    assert [*find_text_flaws("One costs £60.", [claim], grounds)]


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


def test_what_a_quote_denies_is_pointed_out() -> None:
    claim = a_claim("c1", "The mill no longer grinds.")
    hints = find_text_hints("The mill grinds.", [claim], Grounds({"c1": claim}))
    assert hints == ("the quote says ‘no longer’",)


def test_another_sources_words_for_what_fell_are_pointed_out() -> None:
    claim = a_claim("c3", "At 16.80 m the tower outgrows every other one.", "s3")
    grounds = Grounds({"c3": claim}, overruled=(Side(claim="c1", value="16.8 metres"),))
    hints = find_text_hints("The tower is 16.80 m tall.", [claim], grounds)
    assert hints == ("‘16.8 metres’ was overruled",)
    assert not find_text_hints("The tower outgrows all others.", [claim], grounds)

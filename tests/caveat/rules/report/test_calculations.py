"""Code computes again what a model computed, from the words of the quotes."""

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from caveat.contracts.synthesis import Calculation, Operand
from caveat.rules.report import add_calculations, find_calculations, find_fault
from caveat.rules.sentences import Grounds
from tests.fakes.claims import a_claim
from tests.fakes.tasks import DRAFT, SYNTHESIS_INPUT

CLAIMS = {
    name: a_claim(name, quote)
    for name, quote in {
        "c1": "The bill is £5.1 million.",
        "c2": "It cost five million eight hundred and forty thousand pounds, fees included.",
        "c3": "The wind farm has 610 MW.",
        "c4": "Another has 240 MW.",
        "c5": "It closed on 30 June 2023.",
        "c6": "It opened on 9 September 2024.",
        "c7": "The grant is £3 million.",
        "c8": "We propose 15% as a target.",
        "c9b": "We measure around 10%.",
    }.items()
}
for name, columns in {
    "r1": "amount_gbp, n",
    "r2": "amount_gbp",
    "r3": "eur, gbp",
    "r4": "n, gbp",
}.items():
    CLAIMS[name] = a_claim(name, "Castell\t742000\t1", location=columns)


CLAIMS |= {
    name: a_claim(name, quote)
    for name, quote in {
        "c21": "In 2019 the ferry carried 7,300 passengers.",
        "c22": "In 2023 she carried 9,100 passengers.",
        "c23": "The tank holds 12 MWh of heat.",
        "c24": "The line is 84 km long.",
        "c25": "Two and a half hours are allowed for it.",
        "c26": "The twelve turbines were built at once.",
        "c27": "The warranty runs for 18 months.",
        "c28": "The share fell from 93 to 88 per cent.",
        "c29": "Sales rose from 3 to 5 million euros.",
        "c31": "In all 1,988 terawatt hours were used.",
        "c32": "In all 2,444 exabytes were sent.",
        "c33": "Eleven councillors voted for it and seven against.",
        "c34": "The ward has 5 beds, the annexe 7 and the tent 8.",
        **{f"g{gave}": f"It gave {gave}." for gave in (780, 300, 90, 165, 185)},
        "c36": "The baths open at 9:30 and close at 18:00, on Fridays at 9 pm.",
        "c37": "The night shift is from 22:00 to 6:00 and has a break of 45 minutes.",
        "c38": "Das Bad ist von 13 bis 18 Uhr offen.",
        "c30": "In all there were £15 million.",
        "c39": "Thirty-four point two million pounds, and that is every penny.",
        "c40": "The old boat needed an hour and five minutes, the new one 45 minutes.",
        "c41": "The tank takes 450 kWh at a time.",
        "c42": "Income rose by 1.2 per cent, costs by 14.1 per cent.",
        "c35": "The first eel passed on 9 April and the last on 22 November.",
    }.items()
}


def calculation(expression: str, result: str, *values: tuple[str, str]) -> Calculation:
    operands = tuple(
        Operand(name=letter, claim_id=name, value=value)
        for letter, (name, value) in zip("abcd", values, strict=False)
    )
    return Calculation(expression=expression, operands=operands, result=result)


FIVE_EIGHT = "five million eight hundred and forty thousand pounds"
BILL, COST, GRANT = ("c1", "£5.1 million"), ("c2", FIVE_EIGHT), ("c7", "£3 million")
SLOW, SPELT = ("c40", "an hour and five minutes"), "Thirty-four point two million pounds"
FARM, OTHER = ("c3", "610 MW"), ("c4", "240 MW")
TARGET, MEASURED = ("c8", "15%"), ("c9b", "10%")
CLOSED, OPENED = ("c5", "30 June 2023"), ("c6", "9 September 2024")
BEFORE, AFTER = ("c21", "7,300 passengers"), ("c22", "9,100 passengers")
ROW, PLACES = ("r1", "742000"), ("r4", "742000")


@pytest.mark.parametrize(
    ("given", "right"),
    [
        (calculation("a + b", "850 MW", FARM, OTHER), True),
        (calculation("a + b", "£1,484,000", ROW, ("r2", "742000")), True),
        (calculation("a + b", "€1,484,000", ROW, ("r2", "742000")), False),
        (calculation("a + b", "£1,484,000", ROW, ("r3", "742000")), False),
        (calculation("a + b", "742,001", PLACES, ("r1", "1")), True),  # another column has pounds
        (calculation("a + b", "£742,001", PLACES, ("r1", "1")), False),
        (calculation("a + b", "860 MW", FARM, OTHER), False),
        (calculation("a + b", "850 kW", FARM, OTHER), False),
        (calculation("a - b", "£740,000", COST, BILL), True),
        (calculation("b − a", "£740,000", COST, BILL), True),  # "less by"
        (calculation("a - b", "5 percentage points", TARGET, MEASURED), True),
        (calculation("a - b", "5 points", TARGET, MEASURED), True),
        (calculation("a - b", "5 points", FARM, OTHER), False),
        (calculation("a - b", "5 per cent", TARGET, MEASURED), False),
        (calculation("(a - b) / b", "50 per cent", TARGET, MEASURED), True),
        (calculation("(a - b) / b", "50 percentage points", TARGET, MEASURED), False),
        (calculation("100 - a", "85 per cent", TARGET), True),
        (calculation("a / b * 100", "59 per cent", GRANT, BILL), True),
        (calculation("1 - a", "85 per cent", TARGET), True),
        (calculation("100% - a", "85 per cent", TARGET), True),
        (calculation("a - b", "5 percentage points", ("c28", "93"), ("c28", "88 per cent")), True),
        (calculation("a - b", "2 million euros", ("c29", "5 million euros"), ("c29", "3")), True),
        (calculation("a / b", "59 per cent", GRANT, BILL), True),
        (calculation("(a - b) / b", "25 per cent", AFTER, BEFORE), True),
        (calculation("a ÷ (a + a + a)", "a third", BILL), True),
        (calculation("a / b", "2.5 times", FARM, OTHER), True),
        (calculation("a × b", "£765,000", BILL, TARGET), True),
        (calculation("a / b", "£425,000 per MWh", BILL, ("c23", "12 MWh")), True),
        (calculation("a / b", "£425,000 per MW", BILL, ("c23", "12 MWh")), False),
        (calculation("a / b", "£425,000", BILL, ("c26", "twelve turbines")), True),
        (calculation("a / b", "£425,000 per turbine", BILL, ("c26", "twelve turbines")), True),
        (calculation("a / b", "283,333 pounds a month", BILL, ("c27", "18 months")), True),
        (calculation("(a + b + c) / 3", "£4.65 million", BILL, COST, GRANT), True),
        (calculation("a - b", "14 months", OPENED, CLOSED), True),
        (calculation("a - b", "437 days", OPENED, CLOSED), True),
        (calculation("a - b", "6 hours", OPENED, OPENED), False),
        (calculation("a × b", "some £770,000", BILL, TARGET), True),
        (calculation("a - b", "227 days", ("c35", "22 November"), ("c35", "9 April")), True),
        (calculation("a - b", "4 years", ("c22", "2023"), ("c21", "2019")), True),
        (calculation("a - b", "eight and a half hours", ("c36", "18:00"), ("c36", "9:30")), True),
        (calculation("a - b", "3 hours", ("c36", "9 pm"), ("c36", "18:00")), True),
        (calculation("a - b", "8 hours", ("c37", "6:00"), ("c37", "22:00")), True),
        (calculation("a + b", "22:45", ("c37", "22:00"), ("c37", "45 minutes")), True),
        (calculation("a - b", "5 hours", ("c38", "18 Uhr"), ("c38", "13")), True),
        (calculation("a - b", "£4.7 million", ("c39", SPELT), ("c7", "£3 million")), False),
        (calculation("a - b", "£31.2 million", ("c39", SPELT), ("c7", "£3 million")), True),
        (calculation("a - b", "370", FARM, OTHER), True),  # megawatts, which stand with another
        (calculation("a / b", "25 per cent", FARM, BILL), False),
        (calculation("a / b", "12 times", ("c42", "14.1 per cent"), ("c42", "1.2 per cent")), True),
        (calculation("a / b", "one in five", ("c7", "£3 million"), ("c30", "£15 million")), True),
        (calculation("a / b", "fifth", GRANT, ("c30", "£15 million")), True),
        (calculation("a + b", "850 MW", FARM, ("c4", "250 MW")), False),
        (calculation("a + z", "£5.1 million", BILL, FARM), False),
        (calculation("a * 1,000", "610,000 kW", FARM), True),
        (calculation("a.real", "£5.1 million", BILL), False),
        (calculation("a + 1,000", "743,000", PLACES), False),
        (calculation("a * 2,000", "1,484,000,000", PLACES), False),
        (calculation("850", "850", FARM), False),  # made of nothing that is cited
    ],
)
def test_a_calculation_is_computed_again(given: Calculation, right: bool) -> None:
    assert (find_fault(given, Grounds(CLAIMS)) is None) == right


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (calculation("a - b", "18 months", OPENED, CLOSED), "It comes to 14.3576 in the unit"),
        (calculation("a + b", "£5.1 million", BILL, FARM), "different units"),
        (calculation("a / b", "£425,000 per MW", BILL, ("c23", "12 MWh")), "another unit"),
        (calculation("a + b", "850 MW", FARM, ("c9", "240 MW")), "“240 MW” does not stand"),
        (calculation("a ** 2", "£5.1 million", BILL), "letters, numbers, brackets"),
        (calculation("a * 1.37", "836 MW", FARM), "its readers judge"),
        (calculation("a * 0 + 850", "850", FARM), "adds a plain number"),
        (calculation("a / (b - b)", "1", BILL, COST), "divides by nothing"),
        (calculation("(" * 200, "1", BILL), "cannot be read"),
    ],
)
def test_why_a_calculation_fell_is_said(given: Calculation, fault: str) -> None:
    assert fault in (find_fault(given, Grounds(CLAIMS)) or "")


@pytest.mark.parametrize(
    ("result", "right"), [("£1,484 thousand", True), ("£1.484 million", True), ("£1,484", False)]
)
def test_a_cell_is_computed_in_the_scale_of_its_column(result: str, *, right: bool) -> None:
    row = a_claim("c1", "Wall\t1,164\t320", location="2023 (£ thousand), 2024 (£ thousand)")
    given = calculation("a + b", result, ("c1", "1,164"), ("c1", "320"))
    assert (find_fault(given, Grounds({"c1": row})) is None) is right


@pytest.mark.parametrize(
    ("expression", "result", "right"),
    [("a - b", "1.078 MWh", True), ("a - b", "1,078 MWh", False), ("c - d", "20,2 °C", True)],
)
def test_a_row_is_read_as_if_all_numbers(expression: str, result: str, *, right: bool) -> None:
    heads = "Abgabe (MWh), Verbrauch (MWh), Speichertemperatur (°C)"
    one = a_claim("c1", "Dezember 2025\t1.480\t402\t81,5", location=heads)
    other = a_claim("c2", "März 2026\t1.120\t310\t61,3", location=heads)
    values = (("c1", "1.480"), ("c1", "402"), ("c1", "81,5"), ("c2", "61,3"))
    given = calculation(expression, result, *values)
    assert (find_fault(given, Grounds({"c1": one, "c2": other}), "de") is None) is right


@pytest.mark.parametrize(
    ("language", "value", "expression", "result", "right"),
    [
        ("fr", "35 mètres par seconde", "a * 3.6", "126 kilomètres à l’heure", True),
        ("fr", "24 000 francs par an", "a / 12", "2000 francs par mois", True),
        ("en", "CHF 16.2m", "a", "16.2 million francs", True),
        ("en", "144 %", "a ** (1 / 2)", "1.2", True),
        ("en", "144 %", "a ** 9", "26.6", False),
        ("en", "144 %", "a ** (1 / 2) - 1", "20 per cent a year", True),
    ],
)
def test_a_result_may_be_in_another_unit_and_in_words(
    language: str, value: str, expression: str, result: str, *, right: bool
) -> None:
    told = {
        "fr": "Selon le rapport il avance dans la vallée de",
        "de": "Die Lawinen sperrten die Strasse",
    }
    claim = a_claim("c1", f"{told.get(language, 'They took')} {value}.")
    given = calculation(expression, result, ("c1", value))
    assert (find_fault(given, Grounds({"c1": claim}), language) is None) is right


@pytest.mark.parametrize(
    ("language", "quote", "whole", "part", "result"),
    [
        (
            "de",
            "Der Verein hat 1.240 Mitglieder, davon sind 310 unter 18 Jahren.",
            "1.240",
            "310",
            "25 Prozent",
        ),
        ("en", "The club has 1240 members, 310 of them children.", "1240", "310", "25 per cent"),
        ("en", "Of 1960 members 490 were new, and of 1470 none.", "1960", "490", None),
    ],
)
def test_a_count_of_four_digits_is_no_year(
    language: str, quote: str, whole: str, part: str, result: str | None
) -> None:
    claim = a_claim("c1", quote)
    given = calculation(
        "b / a" if result else "a - b", result or "1470", ("c1", whole), ("c1", part)
    )
    assert find_fault(given, Grounds({"c1": claim}), language) is None


def test_what_stands_behind_a_comma_of_a_label_is_no_unit() -> None:
    rows = ("Loan, to be repaid by 2031\t185", "Fund\t780")
    known = {f"c{at}": a_claim(f"c{at}", row, location="£ thousand") for at, row in enumerate(rows)}
    given = calculation("a + b", "£965,000", ("c0", "185"), ("c1", "780"))
    assert find_fault(given, Grounds(known)) is None


@pytest.mark.parametrize(("result", "right"), [("£188,000", True), ("£188", False)])
def test_a_cell_is_computed_in_what_its_table_counts(result: str, *, right: bool) -> None:
    heads = "All figures in thousands of pounds › Budget 2022, Outturn to 30 November 2024"
    row = a_claim("c1", "Staff\t70\t118", location=heads)
    given = calculation("a + b", result, ("c1", "70"), ("c1", "118"))
    assert (find_fault(given, Grounds({"c1": row})) is None) is right


@pytest.mark.parametrize(
    ("expression", "result"), [("a + b", "£10.9 million"), ("a - b", "£0.7 million")]
)
def test_contested_values_only_make_differences(expression: str, result: str) -> None:
    one = a_claim("c1", "It cost £5.1 million.").model_copy(update={"contested_by": ("c2",)})
    other = a_claim("c2", "It cost £5.8 million.").model_copy(update={"contested_by": ("c1",)})
    given = calculation(expression, result, ("c2", "£5.8 million"), ("c1", "£5.1 million"))
    assert (find_fault(given, Grounds({"c1": one, "c2": other})) is None) is (expression == "a - b")


@pytest.mark.parametrize(
    ("sentence", "expression"),
    [
        ("Together they have 850 MW [c3][c4].", "a + b"),
        ("The second bill is £740,000 higher [c1][c2].", "a - b"),
        ("Passengers grew by 24.7% [c21][c22].", "(a - b) / b"),
        ("It closed for 14 months [c5][c6].", "a - b"),
        ("The share fell by five percentage points [c28].", "a - b"),
        ("That is 0.81 kWh per gigabyte [c31][c32].", "a / b"),
        ("The majority was four [c33].", "a - b"),
        ("There are 20 beds in all [c34].", "a + b + c"),
        (
            "Of it 12 per cent is borrowed [g780][g300][g90][g165][g185].",
            None,
        ),  # nor is 90 of 780 meant by it
        ("Together they have 860 MW [c3][c4].", None),
        ("Together they have 850 MW [c3].", None),  # the other one is not cited
        ("It is 254% of the other [c3][c4].", "a / b"),
        ("It costs 154 pounds [c3][c4].", None),
    ],
)
def test_unexplained_numbers_are_computed(sentence: str, expression: str | None) -> None:
    (angle, *_) = SYNTHESIS_INPUT.angles
    angle = angle.model_copy(update={"claims": tuple(CLAIMS.values())})
    evidence = SYNTHESIS_INPUT.model_copy(update={"angles": (angle,)})
    made = add_calculations(DRAFT.model_copy(update={"summary": sentence}), evidence).calculations
    assert [each.expression for each in made] == ([expression] if expression else [])


ROW_TEXT = "resident memory, MiB\t3,500\t2,100"


@pytest.mark.parametrize(
    ("quote", "number", "language", "expression"),
    [
        ("Start-up took 1.4 seconds, and 0.6 seconds before.", "0.8 seconds", "en", "a - b"),
        ("Start-up took 1.4 seconds, and 0.6 seconds before.", "5 hours", "en", None),
        (
            "Die Pumpe kostet 1,71 Euro je Tonne, die alte 1,38 Euro je Tonne.",
            "0,33 Euro je Tonne",
            "de",
            "a - b",
        ),
        (
            "Die Pumpe kostet 1,71 Euro je Tonne, die alte 1,38 Euro je Tonne.",
            "0,33 Euro je Monat",
            "de",
            None,
        ),
        ("It began on 6 May 2026. It ended on 13 May 2026.", "7 days", "en", "a - b"),
        (ROW_TEXT, "1,400 MiB", "en", "a - b"),
        (ROW_TEXT, "1.400 MiB", "de", "a - b"),
        (ROW_TEXT, "40 Prozent", "de", "(a - b) / b"),
        ("cars, thousands\t158\t189", "31,000", "en", "a - b"),
        ("97 per cent of the capacity was left.", "3 per cent", "en", "1 - a"),
        ("point reads per second\t91,000\t136,000", "45,000", "en", "a - b"),
        ("It is 2,900 euros a year, or 7,400 euros.", "4,500 euros a year", "en", "a - b"),
        ("It takes 305 kilowatt-hours, at most 420.", "115 kilowatt-hours", "en", "a - b"),
        ("Of 1,240 hectares, 868 are wet.", "70 per cent", "en", "a / b"),
        ("It cost 7.4 million kroner, then 19.8 million.", "12,4 Millionen", "de", "a - b"),
        ("Die Bahn hatte 16,3 %, davor 12,1 % der Fahrten.", "4,2 Prozentpunkte", "de", "a - b"),
    ],
)
def test_numbers_follow_in_the_units_of_rows_and_the_words_of_languages(
    quote: str, number: str, language: str, expression: str | None
) -> None:
    claim = a_claim("c1", quote, location="4.2, 5.0" if "\t" in quote else None)
    known = {"c1": claim}
    angle = SYNTHESIS_INPUT.angles[0].model_copy(update={"claims": (claim,)})
    evidence = SYNTHESIS_INPUT.model_copy(update={"angles": (angle,), "language": language})
    draft = DRAFT.model_copy(update={"summary": f"{SAYS[language]} {number} [c1]."})
    made = add_calculations(draft, evidence).calculations
    assert [each.expression for each in made] == ([expression] if expression else [])
    assert all(find_fault(each, Grounds(known), language) is None for each in made)


SAYS = {"en": "The difference between them is", "de": "Der Unterschied zwischen beiden beträgt"}


@pytest.mark.parametrize(
    ("note", "values", "result", "right"),
    [
        ("Temperatures in °C, humidity in per cent", ("14.3", "14.7"), "0.4 degrees", True),
        ("Temperatures in °C, humidity in per cent", ("14.3", "14.7"), "0.4 °C", True),
        ("Temperatures in °C, humidity in per cent", ("14.3", "14.7"), "0.4 %", False),
        ("Temperatures in °C, humidity in per cent", ("61", "66"), "5 percentage points", True),
        ("Percentage of drivers", ("61", "66"), "5 percentage points", True),
        ("All figures in °C", ("14.3", "14.7"), "0.4 metres", False),
    ],
)
def test_a_value_of_a_cell_has_the_unit_that_the_note_above_gives_its_column(
    note: str, values: tuple[str, str], result: str, right: bool
) -> None:
    place = f"Weather › {note} › temperature, humidity"
    claims = {
        name: a_claim(name, f"{month}\t{row}", location=place)
        for name, month, row in (("c1", "May", "14.3\t61"), ("c2", "June", "14.7\t66"))
    }
    given = calculation("b - a", result, ("c1", values[0]), ("c2", values[1]))
    assert (find_fault(given, Grounds(claims)) is None) is right


GERMAN = {
    "c1": a_claim("c1", "Die Bahnen fuhren nicht seit dem 4. März 2024."),
    "c2": a_claim("c2", "Sie fuhren ab dem 1. Februar 2025 wieder."),
    "c3": a_claim("c3", "Mittleres Tempo (km/h)\t18,2\t22,9", location="2022, 2025"),
    "c4": a_claim("c4", "Die Pause dauert von 22:30 bis 4:15 Uhr."),
    "c6": a_claim("c6", "Die erste Bahn fuhr um 4:00, andere um 5:00, 5:14 und 5:30."),
}


@pytest.mark.parametrize(
    ("one", "other", "result", "right"),
    [
        (("c2", "1. Februar 2025"), ("c1", "4. März 2024"), "334 Tage", True),
        (("c3", "22,9"), ("c3", "18,2"), "4,7 km/h", True),
        (("c4", "4:15 Uhr"), ("c4", "22:30"), "fünf Stunden und 45 Minuten", True),
        (("c6", "5:14"), ("c6", "4:00"), "1 Stunde 14 Minuten", True),
        (("c6", "5:30"), ("c6", "4:00"), "anderthalb Stunden", True),
    ],
)
def test_days_hours_and_units_of_labels_and_notes_are_counted_with(
    one: tuple[str, str], other: tuple[str, str], result: str, right: bool
) -> None:
    given = calculation("a - b", result, one, other)
    assert (find_fault(given, Grounds(GERMAN), "de") is None) is right


def test_a_rate_whose_units_cancel_costs_nothing() -> None:
    claim = a_claim("c1", "Service spans 20 hours a day, up from 18.")
    said = "It grew by five minutes a day, 3 minutes per day of 7."
    assert [*find_calculations(said, [claim], Grounds({"c1": claim}))] == []


PIECES = st.lists(
    st.sampled_from(
        ["5", "1,234", "½", "(4)", "−1", "%", " to ", "£", " million", "half a ", "4 May 2024",
         "2019", "before 2020", "17:30", "4 h 47", "3/4", "1e400", " km/h", " minutes a day", "\t",
         " °C", "0", "9999", " hours and ", "un tiers", "twice", ", "]
    ),
    min_size=1,
    max_size=7,
).map("".join)  # fmt: skip


@drawn(PIECES, PIECES, PIECES, st.sampled_from(["en", "de", "fr", None]))
def test_nothing_written_costs_more_than_its_calculation(
    quote: str, text: str, result: str, language: str | None
) -> None:
    claim = a_claim("c1", quote, location=f"All figures in °C › {text}")
    claims = {"c1": claim}
    for expression in ("a - b", "(a - b) / b * 100"):
        given = calculation(expression, result, ("c1", quote), ("c1", quote[:4]))
        find_fault(given, Grounds(claims), language)
    assert list(find_calculations(text, [claim], Grounds(claims, wanted=language))) is not None


@pytest.mark.parametrize(("result", "right"), [("17 jours", True), ("18 jours", False)])
def test_the_last_unit_of_a_list_is_everybodys(result: str, right: bool) -> None:
    claims = {"c1": a_claim("c1", "Les retards étaient de six et de onze jours.")}
    given = calculation("a + b", result, ("c1", "six"), ("c1", "onze jours"))
    assert (find_fault(given, Grounds(claims), "fr") is None) is right


@pytest.mark.parametrize(("hours", "right"), [(5, True), (4, False)])
def test_how_long_it_is_follows_from_times_of_day(hours: int, right: bool) -> None:
    claim = a_claim("c1", "Sie soll ab dem 4. Oktober 2026 sonntags von 13 bis 18 Uhr öffnen.")
    said = f"It opens for {hours} hours on Sundays."
    made = [*find_calculations(said, [claim], Grounds({"c1": claim}))]
    assert [each.expression for each in made] == ["a - b"] * right


@pytest.mark.parametrize(
    ("quote", "text", "is_guessed"),
    [
        ("Po 5 592 podnětech", "Bylo jich zhruba 5 600.", True),
        ("Po 5 592 podnětech", "Bylo jich zhruba 5 700.", False),
    ],
)
def test_losses_and_rounded_counts_are_guessed(quote: str, text: str, *, is_guessed: bool) -> None:
    claim = a_claim("c1", quote, location="Summe")
    made = [*find_calculations(text, [claim], Grounds({"c1": claim}, wanted="de"))]
    assert [each.is_guessed for each in made] == [True] * is_guessed


def test_bare_numbers_that_fit_are_guessed_where_their_units_are_not_read() -> None:
    claim = a_claim("c1", "In October 21,400 kWh were used, at 17.2 cents, 4% more than in 2023.")
    grounds = Grounds({"c1": claim})
    operands = [
        Operand(name=name, claim_id="c1", value=value)
        for name, value in (("a", "21,400 kWh"), ("b", "17.2 cents"), ("c", "4%"))
    ]
    made = Calculation(expression="a * b", operands=tuple(operands[:2]), result="$3,681")
    guessed = made.model_copy(update={"is_guessed": True})
    assert find_fault(made, grounds)
    assert find_fault(guessed, grounds) is None
    assert find_fault(guessed.model_copy(update={"result": "$3,980"}), grounds)
    share = {"expression": "a", "operands": tuple(operands[2:]), "result": "4 people"}
    assert find_fault(guessed.model_copy(update=share), grounds)


@pytest.mark.parametrize(
    ("expression", "result", "is_right"),
    [
        ("a - b", "93 seconds", True),
        ("a - b", "one minute", False),
        ("c", "42 °C", False),  # as a difference it would be
        ("c", "76 °F", True),
    ],
)
def test_clock_seconds_and_degrees_count(expression: str, result: str, *, is_right: bool) -> None:
    grounds = Grounds({"c1": a_claim("c1", "She won in 2:34:18, ahead of 2:35:51, at 76 °F.")})
    operands = tuple(
        Operand(name=name, claim_id="c1", value=value)
        for name, value in (("a", "2:35:51"), ("b", "2:34:18"), ("c", "76 °F"))
        if name in expression
    )
    made = Calculation(expression=expression, operands=operands, result=result)
    assert (find_fault(made, grounds) is None) is is_right


@pytest.mark.parametrize(
    ("expression", "result", "right"),
    [
        ("a * (1 + b)", "€2.45", True),
        ("a * (1 + b)", "€2.54", False),
        ("c / d", "€470,000", True),
        ("c / d", "€480,000", False),
    ],
)
def test_bare_numbers_count_in_the_scale_that_only_readers_see(
    expression: str, result: str, *, right: bool
) -> None:
    quote = "Work\t2.29\t7 %\t940\t2"
    values = (("c1", "2.29"), ("c1", "7 %"), ("c1", "940"), ("c1", "2"))
    operands = [
        each
        for each in calculation(expression, result, *values).operands
        if each.name in expression
    ]
    made = Calculation(
        expression=expression, operands=tuple(operands), result=result, is_guessed=True
    )
    assert (find_fault(made, Grounds({"c1": a_claim("c1", quote)})) is None) is right


def test_which_span_a_divisor_counts_is_guessed() -> None:
    grounds = Grounds({"c1": a_claim("c1", "The dock took 25 days and cost €218,400.")})
    cost = Operand(name="a", claim_id="c1", value="€218,400")
    made = Calculation(expression="a / 25", operands=(cost,), result="€8,736 a day")
    assert find_fault(made, grounds)
    assert find_fault(made.model_copy(update={"is_guessed": True}), grounds) is None


FESTIVAL = {
    "c1": a_claim("c1", "Gull\t07:42\t(18.4)\t5.12", location="Shorts (mm:ss), Result, Sales (£k)"),
    "c2": a_claim(
        "c2", "Rhubarb\t14:05\t21.3\t7.85", location="Shorts (mm:ss), Result, Sales (£k)"
    ),
    "c3": a_claim("c3", "It left at 05:40 on 30/04/2025, and was back at 23:15 on 05/05/2025."),
    "c4": a_claim("c4", "It drove 1,436 km and burnt 402 litres."),
}


@pytest.mark.parametrize(
    ("expression", "result", "values", "right"),
    [
        ("a + b", "£12,970", (("c1", "5.12"), ("c2", "7.85")), True),
        ("(a + b) * 1000", "£12,970", (("c1", "5.12"), ("c2", "7.85")), True),
        ("a + b", "£12.97", (("c1", "5.12"), ("c2", "7.85")), False),
        ("b - a", "39.7", (("c1", "18.4"), ("c2", "21.3")), True),
        ("b - a", "2.9", (("c1", "18.4"), ("c2", "21.3")), False),  # its brackets left behind
        (
            "c / d - a / b",
            "34 points",
            (("c1", "5.12"), ("c2", "7.85"), ("c1", "07:42"), ("c2", "14:05")),
            False,
        ),
        (
            "a / b - c / d",
            "11 percentage points",
            (("c1", "5.12"), ("c2", "7.85"), ("c1", "07:42"), ("c2", "14:05")),
            True,
        ),
        (
            "b - a",
            "five days, 17 hours and 35 minutes",
            (("c3", "05:40 on 30/04/2025"), ("c3", "23:15 on 05/05/2025")),
            True,
        ),
    ],
)
def test_values_are_what_their_heads_and_signs_make_them(
    expression: str, result: str, values: tuple[tuple[str, str], ...], *, right: bool
) -> None:
    given = calculation(expression, result, *values)
    assert (find_fault(given, Grounds(FESTIVAL)) is None) is right


def test_a_rate_per_a_hundred_is_guessed() -> None:
    values = (("c4", "402 litres"), ("c4", "1,436 km"))
    made = calculation("a / b * 100", "28 litres per 100 km", *values)
    guessed = made.model_copy(update={"is_guessed": True})
    assert find_fault(guessed, Grounds(FESTIVAL)) is None
    assert find_fault(
        guessed.model_copy(update={"result": "31 litres per 100 km"}), Grounds(FESTIVAL)
    )

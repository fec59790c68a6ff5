"""Code computes again what a model computed, from the words of the quotes."""

from collections.abc import Sequence

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from caveat.contracts.source import Claim
from caveat.contracts.synthesis import Calculation, Operand
from caveat.rules.report.calculations import add_calculations, find_calculations, find_fault
from caveat.rules.sentences.grounds import Grounds
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
        "c26": "The twelve turbines were built at once.",
        "c27": "The warranty runs for 18 months.",
        "c28": "The share fell from 93 to 88 per cent.",
        "c29": "Sales rose from 3 to 5 million euros.",
        "c36": "The baths open at 9:30 and close at 18:00, on Fridays at 9 pm.",
        "c37": "The night shift is from 22:00 to 6:00 and has a break of 45 minutes.",
        "c38": "Das Bad ist von 13 bis 18 Uhr offen.",
        "c30": "In all there were £15 million.",
        "c39": "Thirty-four point two million pounds, and that is every penny.",
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
SPELT = "Thirty-four point two million pounds"
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
        (calculation("a / b", "£425,000 per MW", BILL, ("c23", "12 MWh")), "Its unit is not"),
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


# Where the quotes stand; they; the language; expression, values and result; whether it holds.
Placed = tuple[str, tuple[str, ...], str | None, str, tuple[str, ...], str, bool]
WALL = (
    "2023 (£ thousand), 2024 (£ thousand)",
    ("Wall\t1,164\t320",),
    "en",
    "a + b",
    ("1,164", "320"),
)
STORE = (
    "Abgabe (MWh), Verbrauch (MWh), Speichertemperatur (°C)",
    ("Dezember 2025\t1.480\t402\t81,5", "März 2026\t1.120\t310\t61,3"),
    "de",
)
STAFF = (
    "All figures in thousands of pounds › Budget 2022, Outturn to 30 November 2024",
    ("Staff\t70\t118",), "en", "a + b", ("70", "118"),
)  # fmt: skip
WEATHER = ("May\t14.3\t61", "June\t14.7\t66")
NOTED = (
    "Weather › Temperatures in °C, humidity in per cent › temperature, humidity",
    WEATHER,
    "en",
)
DRIVERS = ("Weather › Percentage of drivers › temperature, humidity", WEATHER, "en")
DEGREES = ("Weather › All figures in °C › temperature, humidity", WEATHER, "en")
BAHN = (
    "Die Bahnen fuhren nicht seit dem 4. März 2024.",
    "Sie fuhren ab dem 1. Februar 2025 wieder.",
)
TEMPO = ("Mittleres Tempo (km/h)\t18,2\t22,9",)
PAUSE = ("Die Pause dauert von 22:30 bis 4:15 Uhr, die erste Bahn fuhr um 4:00, andere um 5:14.",)
RACE = ("She won in 2:34:18, ahead of 2:35:51, at 76 °F.",)
FESTIVAL = (
    "Shorts (mm:ss), Result, Sales (£k)",
    ("Gull\t07:42\t(18.4)\t5.12", "Rhubarb\t14:05\t21.3\t7.85"),
    "en",
)
SALES, TIMES = ("5.12", "7.85"), ("07:42", "14:05")
AWAY = ("It left at 05:40 on 30/04/2025, and was back at 23:15 on 05/05/2025.",)

PLACED: list[Placed] = [
    (*WALL, "£1,484 thousand", True),
    (*WALL, "£1.484 million", True),
    (*WALL, "£1,484", False),
    (*STORE, "a - b", ("1.480", "402"), "1.078 MWh", True),
    (*STORE, "a - b", ("1.480", "402"), "1,078 MWh", False),
    (*STORE, "a - b", ("81,5", "61,3"), "20,2 °C", True),
    ("", ("Il avance dans la vallée de 35 mètres par seconde.",), "fr", "a * 3.6",
     ("35 mètres par seconde",), "126 kilomètres à l’heure", True),
    ("", ("Selon le rapport c’étaient 24 000 francs par an.",), "fr", "a / 12",
     ("24 000 francs par an",), "2000 francs par mois", True),
    ("", ("Le total atteint 306 M€ au lieu de 296 M€.",), None, "(a - b) / b",
     ("306 M€", "296 M€"), "3,4 %", True),
    ("", ("La tour coûte 5 millions, le pont 3 millions.",), None, "a - b",
     ("5 millions", "3 millions"), "deux millions", True),
    ("", ("They took CHF 16.2m.",), "en", "a", ("CHF 16.2m",), "16.2 million francs", True),
    ("", ("They took 144 %.",), "en", "a ** (1 / 2)", ("144 %",), "1.2", True),
    ("", ("They took 144 %.",), "en", "a ** 9", ("144 %",), "26.6", False),
    ("", ("They took 144 %.",), "en", "a ** (1 / 2) - 1", ("144 %",), "20 per cent a year", True),
    ("", ("Der Verein hat 1.240 Mitglieder, davon sind 310 unter 18 Jahren.",), "de", "b / a",
     ("1.240", "310"), "25 Prozent", True),
    ("", ("The club has 1240 members, 310 of them children.",), "en", "b / a",
     ("1240", "310"), "25 per cent", True),
    ("", ("Of 1960 members 490 were new, and of 1470 none.",), "en", "a - b",
     ("1960", "490"), "1470", True),
    ("£ thousand", ("Loan, to be repaid by 2031\t185", "Fund\t780"), "en", "a + b",
     ("185", "780"), "£965,000", True),
    (*STAFF, "£188,000", True),
    (*STAFF, "£188", False),
    (*NOTED, "b - a", ("14.3", "14.7"), "0.4 degrees", True),
    (*NOTED, "b - a", ("14.3", "14.7"), "0.4 °C", True),
    (*NOTED, "b - a", ("14.3", "14.7"), "0.4 %", False),
    (*NOTED, "b - a", ("61", "66"), "5 percentage points", True),
    (*DRIVERS, "b - a", ("61", "66"), "5 percentage points", True),
    (*DEGREES, "b - a", ("14.3", "14.7"), "0.4 metres", False),
    ("", BAHN, "de", "b - a", ("4. März 2024", "1. Februar 2025"), "334 Tage", True),
    ("2022, 2025", TEMPO, "de", "b - a", ("18,2", "22,9"), "4,7 km/h", True),
    ("", PAUSE, "de", "b - a", ("22:30", "4:15 Uhr"), "fünf Stunden und 45 Minuten", True),
    ("", PAUSE, "de", "b - a", ("4:00", "5:14"), "1 Stunde 14 Minuten", True),
    ("", ("Les retards étaient de six et de onze jours.",), "fr", "a + b", ("six", "onze jours"),
     "17 jours", True),
    ("", ("Les retards étaient de six et de onze jours.",), "fr", "a + b", ("six", "onze jours"),
     "18 jours", False),
    ("", RACE, "en", "b - a", ("2:34:18", "2:35:51"), "93 seconds", True),
    ("", RACE, "en", "b - a", ("2:34:18", "2:35:51"), "one minute", False),
    (*FESTIVAL, "a + b", SALES, "£12,970", True),
    (*FESTIVAL, "(a + b) * 1000", SALES, "£12,970", True),
    (*FESTIVAL, "a + b", SALES, "£12.97", False),
    (*FESTIVAL, "b - a", ("18.4", "21.3"), "39.7", True),
    (*FESTIVAL, "b - a", ("18.4", "21.3"), "2.9", False),  # its brackets left behind
    (*FESTIVAL, "c / d - a / b", (*SALES, *TIMES), "34 points", False),
    (*FESTIVAL, "a / b - c / d", (*SALES, *TIMES), "11 percentage points", True),
    ("", AWAY, "en", "b - a", ("05:40 on 30/04/2025", "23:15 on 05/05/2025"),
     "five days, 17 hours and 35 minutes", True),
]  # fmt: skip


def place(
    location: str, quotes: Sequence[str], expression: str, values: Sequence[str], result: str
) -> tuple[Calculation, dict[str, Claim]]:
    claims = {
        f"c{at}": a_claim(f"c{at}", quote, location=location) for at, quote in enumerate(quotes)
    }
    named = ((next((n for n, c in claims.items() if each in c.quote), ""), each) for each in values)
    return calculation(expression, result, *named), claims


@pytest.mark.parametrize("placed", PLACED)
def test_values_are_what_their_places_make_them(placed: Placed) -> None:
    location, quotes, language, expression, values, result, right = placed
    given, claims = place(location, quotes, expression, values, result)
    assert (find_fault(given, Grounds(claims, wanted=language)) is None) is right


# What is guessed: the quote; expression, values and result; another result.
ENERGY = "In October 21,400 kWh were used, at 17.2 cents, 4% more than in 2023."
GUESSED = [
    (ENERGY, "a * b", ("21,400 kWh", "17.2 cents"), "$3,681", "$3,980"),
    ("Work\t2.29\t7 %\t940\t2", "a * (1 + b)", ("2.29", "7 %"), "€2.45", "€2.54"),
    ("Work\t2.29\t7 %\t940\t2", "a / b", ("940", "2"), "€470,000", "€480,000"),
    ("The dock took 25 days and cost €218,400.", "a / 25", ("€218,400",), "€8,736 a day", "€12"),
    ("It drove 1,436 km and burnt 402 litres.", "b / a * 100", ("1,436 km", "402 litres"),
     "28 litres per 100 km", "31 litres per 100 km"),
]  # fmt: skip


@pytest.mark.parametrize(("quote", "expression", "values", "result", "other"), GUESSED)
def test_bare_numbers_that_fit_are_guessed_where_their_units_are_not_read(
    quote: str, expression: str, values: tuple[str, ...], result: str, other: str
) -> None:
    made, claims = place("", (quote,), expression, values, result)
    guessed = made.model_copy(update={"is_guessed": True})
    assert find_fault(made, Grounds(claims))
    assert find_fault(guessed, Grounds(claims)) is None
    assert find_fault(guessed.model_copy(update={"result": other}), Grounds(claims))


@pytest.mark.parametrize(
    ("expression", "result"), [("a + b", "£10.9 million"), ("a - b", "£0.7 million")]
)
def test_contested_values_only_make_differences(expression: str, result: str) -> None:
    one = a_claim("c1", "It cost £5.1 million.").model_copy(update={"contested_by": ("c2",)})
    other = a_claim("c2", "It cost £5.8 million.").model_copy(update={"contested_by": ("c1",)})
    given = calculation(expression, result, ("c2", "£5.8 million"), ("c1", "£5.1 million"))
    assert (find_fault(given, Grounds({"c1": one, "c2": other})) is None) is (expression == "a - b")


def test_only_what_a_sentence_cites_explains_its_numbers() -> None:
    (angle, *_) = SYNTHESIS_INPUT.angles
    angle = angle.model_copy(update={"claims": tuple(CLAIMS.values())})
    evidence = SYNTHESIS_INPUT.model_copy(update={"angles": (angle,)})
    for cited, made in (("[c3][c4]", ["a + b"]), ("[c3]", [])):
        draft = DRAFT.model_copy(update={"summary": f"Together they have 850 MW {cited}."})
        assert [e.expression for e in add_calculations(draft, evidence).calculations] == made


FARMS = "The wind farm has 610 MW. Another has 240 MW."
STARTED = "Start-up took 1.4 seconds, and 0.6 seconds before."
PUMPS = "Die Pumpe kostet 1,71 Euro je Tonne, die alte 1,38 Euro je Tonne."
MEMORY = "resident memory, MiB\t3,500\t2,100"
SAYS = {"en": "The difference between them is", "de": "Der Unterschied zwischen beiden beträgt"}
# A quote, a number of another sentence, its language, and the expression that code finds.
FOLLOWING: list[tuple[str, str, str, str | None]] = [
    (FARMS, "850 MW", "en", "a + b"),
    (FARMS, "860 MW", "en", None),
    (FARMS, "254%", "en", "a / b"),
    (FARMS, "154 pounds", "en", None),
    ("In 2019 it carried 7,300 passengers, in 2023 it was 9,100.", "24.7%", "en", "(a - b) / b"),
    ("It closed on 30 June 2023, and opened on 9 September 2024.", "14 months", "en", "a - b"),
    ("The share fell from 93 to 88 per cent.", "five percentage points", "en", "a - b"),
    ("1,988 terawatt hours for 2,444 exabytes.", "0.81 kWh per gigabyte", "en", "a / b"),
    ("Eleven councillors voted for it and seven against.", "four", "en", "a - b"),
    (STARTED, "0.8 seconds", "en", "a - b"),
    (STARTED, "5 hours", "en", None),
    (PUMPS, "0,33 Euro je Tonne", "de", "a - b"),
    (PUMPS, "0,33 Euro je Monat", "de", None),
    ("It began on 6 May 2026. It ended on 13 May 2026.", "7 days", "en", "a - b"),
    (MEMORY, "1,400 MiB", "en", "a - b"),
    (MEMORY, "1.400 MiB", "de", "a - b"),
    (MEMORY, "40 Prozent", "de", "(a - b) / b"),
    ("cars, thousands\t158\t189", "31,000", "en", "a - b"),
    ("97 per cent of the capacity was left.", "3 per cent", "en", "1 - a"),
    ("point reads per second\t91,000\t136,000", "45,000", "en", "a - b"),
    ("It is 2,900 euros a year, or 7,400 euros.", "4,500 euros a year", "en", "a - b"),
    ("It takes 305 kilowatt-hours, at most 420.", "115 kilowatt-hours", "en", "a - b"),
    ("Of 1,240 hectares, 868 are wet.", "70 per cent", "en", "a / b"),
    ("It cost 7.4 million kroner, then 19.8 million.", "12,4 Millionen", "de", "a - b"),
    ("Die Bahn hatte 16,3 %, davor 12,1 % der Fahrten.", "4,2 Prozentpunkte", "de", "a - b"),
    ("Sie soll sonntags von 13 bis 18 Uhr öffnen.", "5 hours", "en", "a - b"),
    ("Sie soll sonntags von 13 bis 18 Uhr öffnen.", "4 hours", "en", None),
    ("Buyers (1)\n138   132\nChange   (12) %   (4) %", "4%", "en", "a"),  # which way, a reader says
    ("In 2022 it had 133 buyers.", "7%", "en", None),  # a year is no number of 133
    ("It opened in 2019 and closed in 2022.", "3 years", "en", "a - b"),
    # units that cancel
    ("Service spans 20 hours a day, up from 18.", "five minutes a day", "en", None),
    ("Service spans 20 hours a day, up from 18.", "3 minutes per day of 7", "en", None),
]


@pytest.mark.parametrize(("quote", "number", "language", "expression"), FOLLOWING)
def test_code_finds_how_numbers_follow(
    quote: str, number: str, language: str, expression: str | None
) -> None:
    claim = a_claim("c1", quote, location="4.2, 5.0" if "\t" in quote else None)
    grounds = Grounds({"c1": claim}, wanted=language)
    made = [*find_calculations(f"{SAYS[language]} {number}.", [claim], grounds)]
    assert [each.expression for each in made] == ([expression] if expression else [])
    assert all(find_fault(each, grounds) is None for each in made)


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
        find_fault(given, Grounds(claims, wanted=language))
    assert list(find_calculations(text, [claim], Grounds(claims, wanted=language))) is not None

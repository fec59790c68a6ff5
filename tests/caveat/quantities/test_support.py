"""Support: the same value in another notation stands, another value falls."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caveat.quantities.numerals import UNKNOWN, find_decimal_mark
from caveat.quantities.support import Excerpt, find_scale, find_unsupported, is_unit_note
from caveat.rules.sentences.grounds import Grounds
from tests.fakes.claims import a_claim

NB = "\u00a0"

CASES: list[tuple[str, str, str, str]] = [
    # language of the source; what it says; the same in another notation; another value
    ("fr", "Le marché vaut 2 345,67 euros.", "It is worth €2,345.67.", "It is worth €345.67."),
    ("de", "Mit zwei Dritteln der Pferde.", "Two thirds of the horses.", "Two of the horses."),
    ("sv", "Det kostar 5 Mkr.", "It costs SEK 5 million.", "It costs SEK 5."),
    ("en", "The p99 was 5 ms.", "The 99th percentile was 5 ms.", "The 95th percentile was 5 ms."),
    ("en", "Q1 2024/25 was wet.", "It was wet in 2024/25.", "It was wet in 2025/26."),
    ("fr", "La moitié des vaches.", "50% of the cows.", "40% of the cows."),
    ("fr", "Il roule à 90 kilomètres à l’heure.", "It runs at 90 km/h.", "It runs 90 m/s."),
    ("de", "Das Boot kostet 2.345,67 Euro.", "It costs €2,345.67.", "It costs €2.34567."),
    ("de", "Die Werft hat 3.480 Plätze.", "It has 3,480 places.", "It has 3.48 places."),
    ("de", "Das Dorf zählt 1.234.567 Bäume.", "It has 1,234,567 trees.", "It has 567 trees."),
    ("de", "Er braucht 1,71 kWh je Kilometer.", "It needs 1.71 kWh per km.", "It needs 1.71 kWh."),
    ("de", "Es sind 310 Megawattstunden.", "It is 310 MWh.", "It is 310 kWh."),
    ("fr", "Il a coûté 4,2 millions d'euros.", "It cost €4.2 million.", "It cost $4.2 million."),
    ("de", "Der Zaun hat 0,15 Metern Spiel.", "It has 15 cm.", "It has 15 m."),
    ("de", "Es kam 2023 zweimal vor.", "It came twice in 2023.", "It came 3 times in 2023."),
    ("de", "Drei Viertel der Pferde lahmen.", "75% are lame.", "3% are lame."),
    ("fr", "Il contient 11 200 mètres cubes.", "It holds 11,200 m³.", "It holds 11,200 m."),
    ("fr", "Il coûte 12,5 euros par tonne.", "It costs €12.5 a tonne.", "It costs €12.5 a month."),
    ("es", "Tardó 3 horas.", "It took three hours.", "It took 3 days."),
    ("en", "The barn holds 2'345 sheep.", "It holds 2,345 sheep.", "It holds 345 sheep."),
    ("en", "It is open 10:00-11:15.", "It closes at 11:15.", "It closes at 11:30."),
    ("nl", "Het begint om 11.15 uur.", "It begins at 11:15.", "It begins at 12:15."),
    ("en", "39 M", "It has 39 million.", "It has 39 thousand."),
    ("en", "2026-07-13T00:00:00Z", "It is on 13 July 2026.", "It is on 14 July 2026."),
    ("de", "Beschlossen am 24.Juli 2018.", "It was on 24 July 2018.", "It was on 25 July 2018."),
    ("es", "En el segundo trimestre de 2025 cayó.", "In Q2 2025 it fell.", "In Q3 2025 it fell."),
    ("es", "Artículo 80.1: multa de 6.000 euros.", "It is 6,000 euros.", "It is 6 euros."),
    ("it", "49.4% di duplicati, 2.534 righe.", "It has 2,534 rows.", "It has 2.534 rows."),
    ("es", "Una cuota anual de 30 euros.", "30 euros a year.", "30 euros a month."),
    ("en", "It was kept at 248 Degrees F.", "It was at 120 °C.", "It was at 130 °C."),
    ("pt", "Forno a 220ºC.", "220 °C, or 428 °F.", "220 °C, or 438 °F."),
    ("en", "It costs $4.5.", "It costs $4.50.", "It costs $4.55."),
    ("en", "It is 47 miles long.", "It is 76 km long.", "It is 77 km long."),
    ("de", "Es waren 1,90 Mio. € im Minus (2024).", "It was so in 2024.", "It was so in 2025."),
    ("es", "Recibió 7.300 dólares.", "It got $7,300.", "It got €7,300."),
    ("sv", "Det kostar 7 300 kronor.", "It costs SEK 7,300.", "It costs NOK 7,300."),
    ("cs", "Stála 7 300 korun.", "It cost CZK 7,300.", "It cost SEK 7,300."),
    ("sv", "Det är 2,36 procents ränta.", "It is 2.36%.", "It is 2.36 kg."),
    ("en", "They saw 14 000 geese.", "They saw 14,000 geese.", "They saw 14 geese."),
    ("en", f"They saw 14{NB}000 geese.", "They saw 14,000 geese.", "They saw 14 geese."),
    ("en", "They saw 7 250 geese.", "They saw 7,250 geese.", "They saw 250 geese."),
    ("en", "In 2018 350 goats grazed.", "350 goats grazed in 2018.", "2,018,350 goats grazed."),
    ("en", "It stores 1.5e4 seeds.", "It stores 15,000 seeds.", "It stores 1.5 seeds."),
    ("de", "Es sind 1,5e4 Samen.", "There are 15,000 seeds.", "There are 1.5 seeds."),
    ("en", "The jar was ¾ full.", "It was 75% full.", "It was 4% full."),
    ("en", "The walk took 2½ hours.", "It took 2.5 hours.", "It took 2 hours."),
    ("en", "The walk took 2 1/2 hours.", "It took 2½ hours.", "It took 1.2 hours."),
    ("en", "About 2/3 of the cows left.", "Two thirds of the cows left.", "3 cows left."),
    ("en", "They paid ½ million pounds.", "They paid £500,000.", "They paid 2 million pounds."),
    ("en", "It weighs 10^4 kg.", "It weighs 10,000 kg.", "It weighs 10 kg."),
    ("en", "It has 10⁷ cells.", "It has 10 million cells.", "It has 107 cells."),
    ("en", "It has 4 × 10^7 cells.", "It has 40 million cells.", "It has 4 cells."),
    ("en", "The blog has 2.5k readers.", "It has 2,500 readers.", "It has 2.5 readers."),
    ("en", "The site has 7M readers.", "It has 7 million readers.", "It has 7 readers."),
    ("en", "It took 2.31m drivers.", "It took 2.31 million drivers.", "It took 2.31 drivers."),
    ("en", "The dam costs £4bn.", "It costs £4 billion.", "It costs £4 million."),
    ("en", "Pay is £38k.", "Pay is £38,000.", "Pay is £38."),
    ("de", "Der Umsatz betrug 5,2 Mio. Euro.", "It was €5.2 million.", "It was €5.2 billion."),
    ("en", "It booked CHF 5.2 Mio.", "It booked CHF 5.2 million.", "It booked CHF 5.2."),
    ("sv", "Det är 5,2 miljoner kronor.", "It cost 5.2 million kronor.", "It cost 5.2 kronor."),
    ("en", "They planted 2,00,000 trees.", "They planted 200,000 trees.", "They planted 2 trees."),
    ("en", "It sold 13,45,678 cars.", "It sold 1,345,678 cars.", "It sold 678 cars."),
    ("en", "It got ₹3.5 crore.", "It got ₹35 million.", "It got ₹3.5 million."),
    ("en", "Rents rose 4–9%.", "Rents rose 4 to 9 per cent.", "Rents rose 49 per cent."),
    ("en", "The share fell from 91 to 84 per cent.", "It fell from 91% to 84%.", "It was 91."),
    ("en", "A scored 71 against 52 per cent.", "A scored 71%, B 52%.", "A scored 17%."),
    ("en", "Sales rose from 4 to 6 million euros.", "From €4 million to €6 million.", "To €4."),
    ("en", "It is 52.1 ± 0.3 m.", "It is 52.1 +/- 0.3 m.", "It is 52.1 ± 0.8 m."),
    ("en", "It closed on 21-Jun-2023.", "It closed on 21 June 2023.", "It closed on 22 June 2023."),
    ("de", "Es schloss am 7.5.2023.", "It closed on 7 May 2023.", "It closed on 5 July 2023."),
    ("en", "It closed on 2023/5/7.", "It closed on May 7, 2023.", "It closed on 5 July 2023."),
    ("en", "It closed on 2023-05-07.", "It closed in May 2023.", "In July 2023."),
    ("fr", "Il a fermé le 7 mai 2023.", "It closed on 7 May 2023.", "It closed on 7 June 2023."),
    ("pl", "Zamknięto 7 maja 2023.", "It closed on 7 May 2023.", "It closed on 7 June 2023."),
    ("en", "Orders fell in Q2 2023.", "In the second quarter of 2023.", "In Q3 2023."),
    ("en", "Losses grew in FY23.", "In fiscal year 2023.", "Losses grew in FY22."),
    ("en", "It leaves at 4.45pm.", "It leaves at 16:45.", "It leaves at 4.45am."),
    ("en", "Turnout rose 6 percentage points.", "It rose 6 pp.", "It rose 6 per cent."),
    ("en", "The rate rose 50 basis points.", "It rose 0.5 percentage points.", "It rose 50%."),
    ("en", "The result was (5,120) thousand.", "It was −5,120 thousand.", "It was 5,120 thousand."),
    ("en", "The result was −€9.3 million.", "It was -€9.3 million.", "It was €9.3 million."),
    ("en", "More women (1,284) than men came.", "1,284 women came.", "-1,284 women came."),
    ("en", "It was minus 12 degrees.", "It was −12 degrees.", "It was 12 degrees."),
    ("en", "It ranks 32nd.", "It ranks thirty-second.", "It ranks thirty-third."),
    ("en", "It has three thousand two hundred and six rooms.", "3,206 rooms.", "206 rooms."),
    ("de", "Es hat dreitausendzweihundertsechs Räume.", "It has 3,206 rooms.", "206 rooms."),
    ("fr", "Il y a quatre-vingt-treize chambres.", "It has 93 rooms.", "It has 80 rooms."),
    ("es", "Hay doscientas mil personas.", "There are 200,000.", "There are 200."),
    ("it", "Ci sono duemilatrecento case.", "There are 2,300.", "There are 300."),
    ("en", "A dozen boats came.", "12 boats came.", "10 boats came."),
    ("en", "Half a dozen boats came.", "Six boats came.", "A dozen boats came."),
    ("en", "Two dozen boats came.", "24 boats came.", "2 boats came."),
    ("en", "Half a million eels came.", "500,000 eels came.", "One million eels came."),
    ("en", "Two and a half million came.", "2.5 million came.", "Two million came."),
    ("en", "Output tripled.", "Output rose threefold.", "Output doubled."),
    ("en", "The ratio was .72 there.", "The ratio was 0.72.", "The ratio was 72."),
    ("en", "The quay is 1.4 km long.", "It is 1,400 metres long.", "It is 1.4 metres long."),
    ("en", "It pulls 30 kg·m/s².", "It pulls 30 N.", "It pulls 30 kW."),
    ("ja", "費用は5億円です。", "It costs 500 million yen.", "It costs 5 yen."),
    ("ja", "参加者は１２,０００人。", "12,000 came.", "12 came."),
    ("ja", "2023年5月7日に閉店。", "It closed on 7 May 2023.", "It closed on 7 June 2023."),
    ("hi", "१,२३४ लोग आए।", "1,234 people came.", "234 people came."),
    ("en", "The gauge shows 2.345 m.", "It shows 2.345 m.", "It shows 2,345 m."),
    ("en", "Twelve of the ships left.", "12 ships left.", "12% of the ships left."),
    ("en", "It makes 610 MW.", "It makes 610,000 kW.", "It makes 610 kW."),
    ("en", "The plant was off for six hours.", "It was off for 6 hours.", "For six weeks."),
    ("en", "They sold 300 sheep.", "300 sheep were sold.", "They sold £300."),
    ("en", "The season 2023/24 was wet.", "2023/24 was wet.", "24 was wet."),
    ("en", "Version 2.4.17 fixed it.", "It was fixed in 2.4.17.", "It was fixed in 2.4."),
    ("en", "About 1 in 5 adults left.", "About 20% of adults left.", "About 15% left."),
    ("en", "Sales were 5‰ lower.", "Sales were 0.5% lower.", "Sales were 5% lower."),
    ("de", "Im 3. Quartal 2024 fiel er.", "It fell in Q3 2024.", "It fell in Q2 2024."),
    ("en", "It fell in H1 2024.", "In the first half of 2024.", "In the second half of 2024."),
    ("en", "Output rose 10-fold.", "It rose tenfold.", "It rose twofold."),
    ("fr", "Il ferme à 17h30.", "It closes at 17:30.", "It closes at 17:00."),
    ("de", "Es schließt um 17.30 Uhr.", "It closes at 5.30pm.", "It closes at 5.30am."),
    ("nl", "Open van 10.15 tot 17.30 uur.", "Open 10:15 to 17:30.", "Open 10:30 to 17:30."),
    ("en", "Charge it at 0°C-35°C.", "Between 0 and 35 °C.", "Between 0 and 45 °C."),
    ("en", "In May –8 °C were measured.", "It was minus 8 °C.", "It was 8 °C."),
    ("en", "A roll costs 45 cents.", "A roll costs €0.45.", "A roll costs €45."),
    ("en", "It was £16,400.", "It was £16,400 a year later.", "It was £16,400 a year."),
    ("fr", "Cela coûte 2,5 Mds €.", "It costs €2.5 billion.", "It costs €2.5 million."),
    ("de", "Ausfuhren (-0,1 Prozent)", "They fell by 0.1%.", "It is at 0.1%."),
    ("de", "Es ist von 9 bis 17 Uhr offen.", "Open 9 am to 5 pm.", "Open 9 am to 6 pm."),
    ("en", "In 2024-11 it was 25.7.", "In November 2024 it was 25.7.", "In December 2024."),
    ("en", "On 2 September or 19 September.", "On 2 or 19 September.", "On 3 or 19 September."),
    ("en", "It peaked in FY 2023/24.", "The peak was in 2023-24.", "The peak was in 2024-25."),
    ("fr", "Il ferme à 0 h 52.", "It closes at 0:52.", "It closes at 0:42."),
    ("fr", "La 25e fête a eu lieu.", "Das 25. Fest fand statt.", "Das 26. Fest fand statt."),
    ("fr", "8 euros le mètre carré.", "8 euros per square metre.", "8 euros per metre."),
    ("en", "It was minus five degrees.", "It was -5 degrees.", "It was 5 degrees."),
    ("en", "Debt is T€ 450.", "Debt is €450,000.", "Debt is €450."),
    ("en", "Debt is 450 kEUR.", "Debt is €450,000.", "Debt is €450."),
    ("en", "It costs Rs 1.5 lakh crore.", "It costs Rs 1.5 trillion.", "It costs Rs 1.5 crore."),
    ("pt", "Custa 1,2 mil milhões de euros.", "It costs €1.2 billion.", "It costs €1.2 million."),
    ("ru", "Это стоит 2,5 млн рублей.", "It costs 2.5 million.", "It costs 2.5 roubles."),
    ("en", "Loss before tax: (£3.2m)", "It made -£3.2 million.", "It made £3.2 million."),
    ("en", "Two-fifths voted.", "40% voted.", "25% voted."),
    ("en", "It has two 3D printers.", "Its two 3D printers.", "It has 3 printers."),
    ("en", "New in v1.8.0 of the tool.", "It came with 1.8.0.", "It came with 1.8.1."),
    ("en", "From £5.3m to £4.6m.", "5.3 and not £4.6 million.", "5.2 and not £4.6 million."),
    ("en", "From £5.3m to £4.6m.", "£4.6 million, and not 5.3.", "£4.6 million, and not 5.2."),
    ("en", "It laid 12.0 on the plot.", "It laid 12 on the plot.", "It laid 12.00 on the plot."),
    ("en", "It lets 650 litres a second by.", "650 litres of water a second.", "It is 65 litres."),
    ("en", "It is £750,000.", "It is three quarters of a million pounds.", "It is £3 million."),
    ("en", "Serviced 02/2025.", "It was in February 2025.", "It was in May 2025."),
    ("en", "Expires Jan-27.", "It expires in January 2027.", "It expires in January 2026."),
    ("de", "Seit dem 15.6.2023.", "It began on 15 June 2023.", "It began on 16 June 2023."),
    ("en", "In Q4 2024 66% of them did.", "In Q4 66% did.", "In Q4 65% did."),
    ("fr", "Elle a couru huit milles.", "Eight miles in.", "Eight thousand in."),
    ("de", "Gas kostet 0,98 €/m³.", "A cubic metre costs 98 cents.", "A cubic metre costs €98."),
    ("en", "The rate is £1.45 a km.", "£1.45 for each of the kilometres.", "£1.45 for each day."),
    ("en", "It has a half-million budget.", "It has 500,000.", "It has a million."),
    ("en", "They were above 250,000.", "Above a quarter of a million.", "Above half a million."),
    ("nl", "Het is € 1,50/100 kg.", "It is €1.50 per 100 kg.", "It is €1.60 per 100 kg."),
    ("en", "It is 0.64 mS/cm.", "It is 640 µS/cm.", "It is 64 µS/cm."),
    ("de", "Er stieg um 2,9 Prozentpunkte.", "It rose by 2.9.", "It rose by 2.9 %."),
    ("pt", "Subiu (0,4 p.p.).", "It rose by 0.4 percentage points.", "It rose by 0.4 %."),
    ("en", "It ended in August of 2025.", "It ended in August 2025.", "It ended in August 2024."),
    ("pl", "Trwa 34 tygodni.", "It takes 34 weeks.", "It takes 34 months."),
    ("en", "It made $ (2.1) million.", "It made −$2.1 million.", "It made $2.1 million."),
    ("en", "Buyers (1)  (4) %  (7) %", "Buyers: −4%.", "Buyers: −1%."),
    ("en", "We have $325k/year.", "It is $325,000 a year.", "It is $325 a year."),
    ("sv", "Tider, kronor\n\n7.00–7.59 22", "Det kostar 22 kronor.", "Det kostar 22 euro."),
    (
        "en",
        "From 496 thousand in 2024 to 641 thousand.",
        "It was 496,000 in 2024, and 641,000.",
        "It was 496,000 in 2023, and 641,000.",
    ),
]  # fmt: skip


def read(text: str, language: str = "en") -> Excerpt:
    return Excerpt(text, language=language, mark=find_decimal_mark(text, language))


@pytest.mark.parametrize(("language", "quote", "same", "other"), CASES)
def test_same_values_stand_others_fall(language: str, quote: str, same: str, other: str) -> None:
    assert find_unsupported(read(same), [read(quote, language)]) == []
    assert find_unsupported(read(other), [read(quote, language)]) != []


PIECES = st.sampled_from(
    ["5", "1,234", "1.234", "12 000", " ± ", "½", "0.5", " km", "/s", "(4,684)", "−1", " to ", "%",
     "£", " million", "two ", " dozen", "half a ", "May ", "2019", "-", "(", ")", ",", " ", "Q3 ",
     "FY24", "17:30", "5.30pm", "3/4", "10^6", "XIV", "st", "\u00a0", "e5", "円"]
)  # fmt: skip
LANGUAGES = st.sampled_from(["en", "de", "fr", "ja"])
MARKS = st.sampled_from(["", ".", ",", UNKNOWN])
ANY_TEXT = st.one_of(st.text(), st.lists(PIECES).map("".join))


@example("£0st", "en", "")
@given(ANY_TEXT, LANGUAGES, MARKS)
def test_a_text_supports_itself(text: str, language: str, mark: str) -> None:
    words = Excerpt(text, language=language, mark=mark)
    assert find_unsupported(words, [words]) == []


@given(st.integers(2, 10**7), st.integers(2, 10**7))
def test_another_whole_number_is_never_supported(one: int, other: int) -> None:
    said, quoted = (Excerpt(f"There were {number:,} of them.") for number in (one, other))
    assert (find_unsupported(said, [quoted]) == []) is (one == other)


def test_a_half_read_numeral_stands_for_its_own_digits_alone() -> None:
    quote = Excerpt("Umsatz: 1.250 t", language="", mark=UNKNOWN)
    assert find_unsupported(Excerpt("It was 1.250 t.", mark=UNKNOWN), [quote]) == []
    for other in ("1,250 t", "1250 t", "1.25 t", "250 t", "1 t"):
        assert find_unsupported(Excerpt(f"It was {other}."), [quote]) == [other]


def test_a_cell_has_the_unit_and_scale_of_its_column() -> None:
    cell = Excerpt("1,640", head="Cost (£ thousand)")
    assert find_unsupported(Excerpt("It cost £1.64 million."), [cell]) == []
    assert find_unsupported(Excerpt("It cost £1,640."), [cell]) == ["£1,640"]
    assert find_unsupported(Excerpt("It took 12 weeks."), [Excerpt("12", head="Weeks")]) == []
    assert find_unsupported(Excerpt("It took 12 days."), [Excerpt("12", head="Weeks")]) == [
        "12 days"
    ]
    assert find_unsupported(Excerpt("It was 12%."), [Excerpt("12", head="Share in %")]) == []
    assert find_unsupported(Excerpt("It was 12%."), [Excerpt("12", head="Ships")]) == ["12%"]


@pytest.mark.parametrize(
    ("head", "scale"),
    [
        ("Beträge in 1000 CHF", 3),
        ("Amount (1,000 EUR)", 3),
        ("Budget TEUR", 3),
        ("montants en MCHF", 6),
        ("Omsättning (tkr)", 3),
        ("Cases per 1000 inhabitants", 0),
        ("Order (not of MLAT)", 0),
        ("1000 m", 0),
    ],
)
def test_a_head_says_how_many_one_of_its_cells_is(head: str, scale: int) -> None:
    assert find_scale(head) == scale
    assert is_unit_note(head) is (scale > 0 or head == "1000 m")


def test_a_number_of_a_table_takes_its_unit_from_no_name_of_a_row() -> None:
    claim = a_claim("c1", "Total\t386").model_copy(update={"location": "Generation › MWh"})
    cited = [*Grounds({"c1": claim}).list_excerpts(claim)]
    assert find_unsupported(Excerpt("The total is 386 MWh."), cited) == []
    assert find_unsupported(Excerpt("The total is 386 GWh."), cited) == ["386 GWh"]


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("More than 2,600 came.", True),
        ("More than 2,700 came.", False),
        ("Fewer than 2,700 came.", True),
        ("Fewer than 2,600 came.", False),
        ("About 2,700 came.", True),
        ("Almost 2,700 came.", True),
        ("Almost 2,600 came.", False),
    ],
)
def test_a_bound_lies_on_its_side_of_the_exact_number(said: str, *, stands: bool) -> None:
    assert (find_unsupported(Excerpt(said), [Excerpt("2,668 came.")]) == []) is stands


def test_small_numbers_in_words_may_count_the_sources() -> None:
    assert find_unsupported(Excerpt("Two reports agree."), [Excerpt("It grew.")], {2}) == []
    assert find_unsupported(Excerpt("2 reports agree."), [Excerpt("It grew.")], {2}) == ["2"]


def test_a_number_that_is_not_read_supports_no_times_in_words() -> None:
    assert find_unsupported(
        Excerpt("It is twice as fast."), [Excerpt("It grew threefold, from 4.2.9.")]
    )

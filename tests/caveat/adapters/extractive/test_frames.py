"""Sentences that are equal but for a number, a date or a name, and tables with equal heads."""

import pytest

from benchmarks.prose.__main__ import count_like_sentences
from tests.fakes.quotes import Quote, found


def find(one: str, other: str) -> list[str]:
    return [each.about for each in found(one, other, topic=one)]


def test_of_like_sentences_most_that_contradict_are_found_and_few_that_do_not() -> None:
    counts = count_like_sentences()
    (right, contradicting), (wrong, alike), (taken, siblings) = counts.values()
    assert (contradicting, alike, siblings) == (50, 20, 29)
    assert right >= 45
    assert wrong == 0
    assert taken <= 3


@pytest.mark.parametrize(
    ("sentence", "value", "other", "same"),
    [
        ("Die Länge des Deiches an der Küste betrug {}.", "73,4 Kilometer", "68,1 km", "73,4 km"),
        ("Der Anteil der Bahn an den Fahrten lag bei {}.", "2,4 %", "3,1 %", "2,4 Prozent"),
        ("Die Gemeinde zahlte für die Schule {}.", "1,2 Mio. Euro", "900.000 €", "1.200.000 Euro"),
        ("La hauteur de la tour est de {}.", "41,5 mètres", "38,2 mètres", "41,5 m"),
        (
            "El puente que cruza el río en la ciudad pesa {}.",
            "7,3 toneladas",
            "10,1 toneladas",
            "7,3 t",
        ),
        ("The council of the town met at {} on Tuesday.", "18:30", "19:15", "6:30 pm"),
        ("{} of the members stayed away that night.", "Two thirds", "A quarter", "2/3"),
        ("The prize for the best play went to {}.", "Mira Holt", "Jonas Beck", "M. Holt"),
        ("Le maire de la ville est {}.", "Éva Arnaud", "Denis Carel", "Eva Arnaud"),
        ("Der Leiter der Mühle ist {}.", "Hans Müller", "Karl Beck", "H. Mueller"),
    ],
)
def test_values_are_read_as_a_language_writes_them(
    sentence: str, value: str, other: str, same: str
) -> None:
    assert len(find(sentence.format(value), sentence.format(other))) == 1
    assert not find(sentence.format(value), sentence.format(same))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The library lent 190,000 books in 2023.", "The library lent 210,000 books in 2022."),
        ("Model 3 weighs 1,700 kg.", "Model 5 weighs 2,100 kg."),
        ("Model 3 holds five people.", "Model 5 holds five people."),
        ("Table 3 lists the rivers of Chile.", "Table 4 lists the rivers of Chile."),
        ("Chapter 2 describes the tax.", "Chapter 7 describes the tax."),
        ("It weighs 20 kg.", "It weighs 31 kg."),
        ("We enrolled 120 patients.", "We enrolled 95 patients."),
        (
            "The well supplied about 240 litres per minute.",
            "The well supplied 241 litres per minute.",
        ),
        ("The tower is 300 m tall.", "The tower is 984 feet tall."),
        ("At 20 °C the rod is 1.000 m long.", "At 90 °C the rod is 1.002 m long."),
        ("A pack of 6 costs 4 euros.", "A pack of 12 costs 7 euros."),
        ("The plant in Leeds employs 400 people.", "The plant in York employs 900 people."),
        ("Exports rose in 2022.", "Exports rose in 2023."),
        ("Hepatitis A is spread by water.", "Hepatitis B is spread by water."),
        ("Vitamin C dissolves in 3 ml of water.", "Vitamin D dissolves in 9 ml of water."),
        ("Version 2.1 supports 8 GB.", "Version 3.0 supports 64 GB."),
        ("The price fell from 12 euros to 9 euros.", "The price fell from 15 euros to 9 euros."),
        (
            "The drug reduced mortality by 31 percent in men.",
            "The drug reduced mortality by 12 percent in women.",
        ),
        ("The speed limit is not 50 km/h.", "The speed limit is 30 km/h."),
        ("At least 200 people attended the talk.", "At least 150 people attended the talk."),
        ("Up to 5 users may share a licence.", "Up to 10 users may share a licence."),
        ("The bus runs every 10 minutes on weekdays.", "The bus runs every 30 minutes on Sundays."),
        ("Anna Berg works in Oslo.", "Jon Falk works in Oslo."),
        ("The lake holds between 3 and 5 million litres.", "The lake holds 4 million litres."),
        ("The population of Aland is 30,129.", "The population of Aland is about 30,000."),
        ("The book is sold by Amazon.", "The book is sold by Waterstones."),
        ("The firm opened an office in Oslo.", "The firm opened an office in Rome."),
        ("One of the founders was Anna Berg.", "One of the founders was Jon Falk."),
        ("A typical adult has 206 bones.", "A typical infant has 300 bones."),
        ("Adults pay 12 euros for entry.", "Children pay 5 euros for entry."),
        (
            "The conference was held in Berlin in 2012.",
            "The conference was held in Berlin in 2016.",
        ),
        ("Room 12 seats 40 people.", "Room 14 seats 60 people."),
        ("The survey asked 1,000 people in Wales.", "The survey asked 2,000 people in Scotland."),
        ("Step 2 takes 5 minutes.", "Step 3 takes 9 minutes."),
        (
            "The change of the statutes of 13 May 1998 was passed on 13 June 1998.",
            "The change of the statutes of 19 December 2001 was passed on 1 January 2002.",
        ),
        ("The first batch held 40 jars.", "The second batch held 60 jars."),
        ("In winter the river carries 40 m³/s.", "In summer the river carries 9 m³/s."),
        ("Tickets cost 8 euros per person.", "Tickets cost 30 euros per group."),
    ],
)
def test_what_may_both_be_true_is_none(one: str, other: str) -> None:
    assert not find(one, other)


def test_cells_are_compared_under_equal_heads() -> None:
    def cell(figure: str, head: str = "K7, List price EUR", sheet: str = "Prices") -> Quote:
        return Quote(figure, title=figure, heading=f"{sheet} › {head}")

    topic = "What is the list price of K7?"
    (one,) = found(cell("390"), cell("420"), topic=topic)
    assert one.about == "K7, List price EUR"
    assert [side.value for side in one.sides] == ["390", "420"]
    assert not found(cell("390"), cell("420", "K8, List price EUR"), topic=topic)
    heads = "Prices › Model, List price EUR"
    (rows,) = found(
        Quote("K7\t390", title="390", heading=heads),
        Quote("K7\t420", title="420", heading=heads),
        topic=topic,
    )
    assert rows.about == one.about
    assert not found(
        cell("390", sheet="Prices 2022"), cell("420", sheet="Prices 2023"), topic=topic
    )


@pytest.mark.parametrize(
    ("titles", "sentence", "differ"),
    [
        (("Ash 4 manual", "Ash 5 manual"), "The spool holds {} jobs.", False),
        (("Mill at Torv", "Mill at Brask"), "The wheel is {} m wide.", False),
        (("The Ove bridge: deck", "The Ove bridge: piers"), "The work took {} weeks.", False),
        (("The Ove bridge: diary", "The Ove bridge: bill"), "The Ove bridge took {} weeks.", True),
        (("The Ove bridge 2", "The Ove bridge 3"), "The Ove bridge took {} weeks.", False),
        (("Torv and its mill", "A walk along the river"), "The wheel is {} m wide.", True),
    ],
)
def test_documents_whose_titles_differ_in_a_name_tell_of_things_of_their_own(
    titles: tuple[str, str], sentence: str, *, differ: bool
) -> None:
    said = [
        Quote(sentence.format(7 * number), source=title, title=title)
        for number, title in enumerate(titles, start=3)
    ]
    assert bool(found(*said, topic=sentence)) is differ

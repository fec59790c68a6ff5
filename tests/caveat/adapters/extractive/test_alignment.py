"""Sentences of any form whose clauses say the same of one thing, and such as only look alike."""

from itertools import pairwise

import pytest

from caveat.adapters.extractive.clauses import clause
from tests.caveat.adapters.extractive.quotes import Quote, found

TOPIC = "How large and how old are Dahlem, Skerry and Foula?"


def note(text: str, title: str = "Dahlem") -> Quote:
    return Quote(text, title=title)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Bounds that demand something contradict other bounds.
        ("Dahlem needs at least 4 GB of memory.", "It requires at least 9 GB of memory."),
        ("Riders at Dahlem must be at least 1.4 m tall.", "Riders must be at least 1.1 m tall."),
        ("Dahlem supports up to 240 calls.", "Dahlem supports at most 90 calls."),
        ("Lorries of up to 12 tonnes may enter.", "Lorries heavier than 7 tonnes may not enter."),
        # Values by a symbol, and conditions that only one of them says.
        (
            "At room temperature the conductivity of Dahlem is k = 2.1 W/(m K).",
            "The conductivity k of Dahlem is 3.4 W/(m K).",
        ),
        # What only a heading names.
        ("The length is 7.4 km, portal to portal.", "Portal to portal the length is 9.1 km."),
        ("Speed limit: 30 km/h.", "The speed limit is 70 km/h."),
        # Growth, money, durations of two units, other words for the same.
        ("Revenue of Dahlem grew by 12% in 2023.", "In 2023 the revenue of Dahlem grew by 4%."),
        ("A place costs 780 pounds a month.", "The monthly fee for a place is 1,120 pounds."),
        ("The train from Dahlem takes 95 minutes.", "The train takes two hours and ten minutes."),
        ("Dahlem employs 2,300 people.", "Dahlem has a workforce of 1,450."),
        # Names in roles.
        ("The director of Dahlem is Ingrid Solheim.", "Its director is Peter Aasen, a pilot."),
        ("The opera Dahlem was composed by Ada Lowe.", "Tom Reed composed the opera Dahlem."),
        ("By default Dahlem compresses with LZ4.", "By default Dahlem compresses with BZIP2."),
        # Dates of what happens once, in brackets too.
        ("Ada Lowe (1871–1944) painted Dahlem.", "Ada Lowe was born in 1878."),
        ("The ban in Dahlem takes effect on 1 March 2025.", "The ban takes effect in June 2026."),
        # A clause and its denial.
        (
            "The Dahlem parser accepts comments, as others do.",
            "The parser does not accept comments, and says so.",
        ),
        (
            "Dahlem drops may be taken during pregnancy.",
            "Dahlem drops must not be taken during pregnancy, not even once.",
        ),
    ],
)
def test_clauses_that_say_the_same_have_their_values_compared(one: str, other: str) -> None:
    (each,) = found(note(one), note(other), topic=TOPIC)
    assert {*each.claims} == {"c1", "c2"}
    assert not found(note(one), note(one), topic=TOPIC)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dahlem needs at least 4 GB of memory.", "In our tests Dahlem used 9 GB of memory."),
        ("More than 4,000 people saw Dahlem.", "More than 9,000 people saw Dahlem."),
        ("Dahlem needs at least 4 GB of memory.", "Dahlem needs 9 GB of memory."),
        ("The fast train from Dahlem takes 95 minutes.", "The slow train takes 130 minutes."),
        ("The client of Dahlem needs 2 GB of memory.", "Dahlem needs 16 GB of memory."),
        ("A half-day place costs 780 pounds a month.", "The monthly fee is 1,120 pounds."),
        ("In the capital the turnout was 71%.", "In the villages the turnout was 48%."),
        ("In 1990 Dahlem employed 2,300 people.", "Today Dahlem has a workforce of 1,450."),
        ("Revenue of Dahlem grew by 12% in 2023.", "Revenue of Dahlem grew by 4% in 2022."),
        ("At 900 °C the conductivity is 1.2 W/(m K).", "At 20 °C the conductivity is 2 W/(m K)."),
        ("The chief executive of Dahlem is Ada Lowe.", "The finance officer is Tom Reed."),
        ("In 1953 the mayor of Dahlem was Ada Lowe.", "Since 2019 the mayor has been Tom Reed."),
        ("The opera was composed by Ada Lowe.", "The opera was composed by A. Lowe and T. Reed."),
        ("The language of Dahlem is French.", "The language of Dahlem is Breton."),
        ("Dahlem had 120 members in 2019.", "Dahlem had 120 members in 2021."),
        ("Version 2.0 of Dahlem was released in 2018.", "Version 3.0 was released in 2019."),
        ("Ada Lowe (1871–1944) painted Dahlem.", "Olaf Lowe (1878–1951) painted Dahlem."),
        ("Dahlem encrypts the contents of files.", "Dahlem does not encrypt the names of files."),
        ("The parser may fail on long lines.", "The parser does not fail on long lines."),
        ("Some parsers of Dahlem accept comments.", "Parsers of Dahlem do not accept comments."),
    ],
)
def test_clauses_that_differ_in_more_than_the_value_are_of_two_things(one: str, other: str) -> None:
    assert not found(note(one), note(other), topic=TOPIC)


def test_the_same_words_of_two_things_are_not_compared() -> None:
    one, other = "The server keeps 5 backups a day.", "The server keeps 9 backups a day."
    assert found(note(one), note(other), topic=TOPIC)
    assert not found(note(one, "Skerry"), note(other, "Foula"), topic=TOPIC)
    assert not found(
        Quote(one, title="Dahlem 1", heading="Mail"), Quote(other, title="Dahlem 1", heading="Web")
    )


def test_an_everyday_word_in_a_name_makes_nothing_one_thing() -> None:
    said = [
        note("agricultural land: 43.7%", "Cyprus"),
        note("agricultural land: 9.1%", "Gabon"),
        note("agricultural land: 61.2%", "Nepal"),
    ]
    topic = "Facts about Cyprus, Gabon, Nepal, French Southern and Antarctic Lands"
    assert not found(*said, topic=topic)
    (each,) = found(*said, note("agricultural land: 12%", "Gabon"), topic=topic)
    assert len(each.claims) == 2


def test_three_notes_in_three_units_are_one_question() -> None:
    (each,) = found(
        Quote("The Kolmar dam is 221 m high.", title="The Kolmar dam"),
        Quote("Kolmar's wall stands 726 feet above its foundations.", title="A visit to Kolmar"),
        Quote("At Kolmar the dam is 180 m high.", title="Dams of the Alps"),
        topic="How high is the Kolmar dam?",
    )
    assert {*each.claims} == {"c1", "c3"}


def test_what_stands_under_a_longer_name_is_another_thing() -> None:
    assert not found(
        Quote("Guinea covers 245,857 km².", title="Guinea"),
        Quote("It covers 36,125 km².", title="Guinea-Bissau"),
        Quote("Equatorial Guinea has an area of 28,051 km².", title="Equatorial Guinea"),
        Quote("The area is 462,840 km².", title="Papua New Guinea"),
        topic="Guinea, Guinea-Bissau, Equatorial Guinea, Papua New Guinea",
    )


def test_many_clauses_in_the_same_words_are_all_one_question() -> None:
    said = [note(f"On average the towers of Dahlem are {100 + 20 * at} m tall.") for at in range(9)]
    (each,) = found(*said, topic=TOPIC)
    assert len(each.claims) == 9


def test_a_clause_ends_where_something_else_is_said() -> None:
    sentence = "France, a country in Europe, has 62 airports and runs on rails."
    start = sentence.index("62")
    around = clause(sentence, start, start + 2)
    assert "countri" in around.aside
    assert "countri" not in around.words
    assert "run" in around.aside


def test_order_decides_nothing() -> None:
    said = [note(f"A place costs {price} pounds a month.") for price in (780, 910, 1120)]
    wholes = [[one.about for one in found(*order, topic=TOPIC)] for order in (said, said[::-1])]
    assert all(one == other for one, other in pairwise(wholes))

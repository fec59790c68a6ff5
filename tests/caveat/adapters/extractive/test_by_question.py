"""By question: answers to one question are compared, in whatever words, in one scope."""

from typing import NamedTuple

import pytest

from tests.caveat.adapters.extractive.quotes import Quote, found


class Told(NamedTuple):
    """What two notes say, each under its title."""

    topic: str
    one: tuple[str, str]
    other: tuple[str, str]


CONTRADICTIONS = {
    "the value before its noun, or behind it": Told(
        "How many bells hang in Marwick minster?",
        ("Marwick minster", "Eleven bells hang in Marwick minster."),
        (
            "Ringing in the shires",
            "The number of bells that hang at Marwick minster is put at 8 bells.",
        ),
    ),
    "active and passive": Told(
        "When was the Tolland mill built?",
        ("The Tolland mill", "The Tolland mill was built by two brothers in 1847."),
        ("Water power", "Two brothers completed the Tolland mill in 1862."),
    ),
    "a date that opens its sentence": Told(
        "When was the Quarrie reef discovered?",
        ("Quarrie reef", "Divers discovered the Quarrie reef in 1994."),
        ("Reefs", "In 1987, two fishermen noticed the Quarrie reef by chance."),
    ),
    "a verb that means the same": Told(
        "When was the Quarrie club founded?",
        ("The Quarrie club", "Nine fishermen established the Quarrie club in 1903."),
        ("Clubs of the bay", "The founding of the Quarrie club is dated to 1911."),
    ),
    "the subject in the title alone": Told(
        "How long is the Brannoch tunnel?",
        ("Brannoch tunnel", "It has a length of 5.2 km and no lamps."),
        ("Brannoch tunnel", "Overall it measures 6.9 km."),
    ),
    "a pronoun for what the title names": Told(
        "How deep is Lake Vessin?",
        ("Lake Vessin", "At the deepest point it goes down 41 metres."),
        ("Bathing", "Lake Vessin is 63 metres deep at the deepest point."),
    ),
    "numbers in words": Told(
        "What share of Lorne county is moor?",
        ("Lorne county", "Moor covers a quarter of Lorne county."),
        ("Heather", "Of all land in Lorne county, 41 percent is moor."),
    ),
    "an age": Told(
        "How old must a juror of Karst be?",
        ("Courts of Karst", "A juror must have reached the age of thirty in Karst."),
        ("Jury service", "Nobody is a juror of Karst who is not aged 21."),
    ),
    "one, said as a single": Told(
        "How many referees does the Moss Review ask?",
        ("For authors", "The Moss Review sends papers to three referees."),
        ("A farewell", "At the Moss Review a single referee decides."),
    ),
    "money by another name": Told(
        "How much does a month of Tallowby cost?",
        ("Tallowby: pricing", "The fee is $12 a month."),
        ("Six planners", "Tallowby sets you back $19 monthly."),
    ),
    "times in other units": Told(
        "How long is the notice period?",
        ("Tenancy", "Either side ends it with a notice of 35 days."),
        ("Tenancy", "It takes 90 days' notice to end it."),
    ),
    "how often": Told(
        "How often must the Arden boiler be serviced?",
        ("Arden boiler", "Service is due every six months."),
        ("Arden boiler", "Between two services lies an interval of two years."),
    ),
    "a letter that stands for the noun": Told(
        "What is the permeability of Harl sandstone?",
        ("Harl sandstone", "The permeability k was found to be 140 millidarcy."),
        ("Wells in Harl sandstone", "In Harl sandstone k = 30 millidarcy."),
    ),
    "a denied bound": Told(
        "What load may cross the Pell bridge?",
        ("Minutes", "The Pell bridge may carry no vehicle above 3 tonnes."),
        ("Deliveries", "Lorries of up to 9 tonnes may cross the Pell bridge."),
    ),
    "bounds that exclude each other": Told(
        "How many copies of Fenland were printed?",
        ("Fenland", "Fewer than 300 copies of Fenland were printed."),
        ("Ledgers", "At least 450 copies of Fenland were printed."),
    ),
    "two lines that are hardly sentences": Told(
        "How many moons does Saturn have?",
        ("note", "145 moons of Saturn"),
        ("list", "Saturn: 83 moons"),
    ),
}

LOOKALIKES = {
    "another year": Told(
        "How many members does the Quarrie club have?",
        ("Report", "The Quarrie club had 210 members in 1998."),
        ("Report", "The Quarrie club had 340 members in 2015."),
    ),
    "dates from which they hold": Told(
        "How much is parking?",
        ("Site notes", "Parking costs £8 a week from June."),
        ("Circular", "£9 a week from January is what parking costs."),
    ),
    "another period": Told(
        "How much does Tallowby cost?",
        ("Tallowby", "Tallowby costs $12 a month."),
        ("Tallowby", "Tallowby costs $120 a year."),
    ),
    "another kind, by an adjective": Told(
        "How long does the ferry to Marsk take?",
        ("Ferries", "The fast ferry to Marsk takes 40 minutes."),
        ("Ferries", "The slow ferry to Marsk takes two hours."),
    ),
    "net and gross": Told(
        "What is the income of the Corrie trust?",
        ("Accounts", "The net income of the Corrie trust was £40,000."),
        ("Accounts", "The gross income of the Corrie trust was £95,000."),
    ),
    "draft and amended": Told(
        "What share of the Umberleigh budget goes to roads?",
        ("The draft", "The draft gives 17% of the Umberleigh budget to roads."),
        ("As passed", "As amended, 21% of the Umberleigh budget goes to roads."),
    ),
    "planned and actual": Told(
        "When was the Tolland mill completed?",
        ("Plans", "The Tolland mill was planned to be completed in 1846."),
        ("History", "The Tolland mill was completed in 1849."),
    ),
    "another place": Told(
        "What share of voters took part in Ostrava?",
        ("The vote", "In the old town 71% of voters took part in Ostrava."),
        ("The vote", "In the suburbs 48% of voters took part in Ostrava."),
    ),
    "another version": Told(
        "When was Gannet released?",
        ("Gannet", "Version 2.0 of Gannet was released in June 2018."),
        ("Gannet", "Version 3.0 of Gannet was released in May 2021."),
    ),
    "a part, by the title": Told(
        "How long is the Sorrel viaduct?",
        ("Sorrel viaduct", "Its length is 286 m."),
        ("Sorrel viaduct, main span", "Its length is 95 m."),
    ),
    "another thing of that name": Told(
        "How old is the Chapel Yew?",
        ("The Chapel Yew", "Its age is 800 years."),
        ("The Gallows Yew", "Its age is 550 years."),
    ),
    "what the sentence before spoke of": Told(
        "How long is the guarantee of the Marl oven?",
        ("Marl oven: the motor", "We give a guarantee of ten years on this part."),
        ("Marl oven: racks", "For these the guarantee ends after two years."),
    ),
    "a condition": Told(
        "What is the conductivity of basanite?",
        ("Basanite", "The conductivity of basanite is 2.1 W/(m K)."),
        ("Basanite", "At 900 °C the conductivity of basanite is 1.2 W/(m K)."),
    ),
    "with something, or without": Told(
        "How wide is the Merle van?",
        ("Merle van", "The body measures 1.79 m across, mirrors not counted."),
        ("Merle van", "From mirror to mirror it takes up 2.02 m."),
    ),
    "another event": Told(
        "When was the school law adopted?",
        ("School law", "The school law was adopted in April 2014."),
        ("School law", "The school law came into force in August 2016."),
    ),
    "the first and the second": Told(
        "When was the Lind opera opened?",
        ("Lind opera", "The first Lind opera was opened in 1821."),
        ("Lind opera", "The second Lind opera was opened in 1897."),
    ),
    "another dimension": Told(
        "How deep is Lake Vessin?",
        ("Lake Vessin", "Lake Vessin is 41 metres deep."),
        ("Lake Vessin", "Lake Vessin is 900 metres wide."),
    ),
    "another amount of money": Told(
        "How much does the Merle van cost?",
        ("Merle van", "The Merle van costs £21,000."),
        ("Merle van", "With the Merle van goes a deposit of £500."),
    ),
    "up to, and what was seen": Told(
        "How far does the Lumen bike go?",
        ("Lumen bike", "The Lumen bike goes up to 60 km."),
        ("Lumen bike", "We went 48 km with the Lumen bike."),
    ),
    "a kind in brackets": Told(
        "What is the melting point of Hartite?",
        ("Hartite", "Hartite melts, and its melting point is 317 K."),
        ("Hartite", "As for Hartite (red), a melting point of 852 K was found."),
    ),
    "the date of something else": Told(
        "When was the Quarrie reef discovered?",
        ("Quarrie reef", "Divers discovered the Quarrie reef in 1994."),
        ("Quarrie reef", "In 2001, a panel found that proof of its discovery was lacking."),
    ),
    "a word before the name": Told(
        "What is the diameter of the Vessin wheel?",
        ("Mills", "The wooden Vessin wheel has a diameter of 4 metres."),
        ("Mills", "A diameter of 6 metres is what the iron Vessin wheel has."),
    ),
    "a state": Told(
        "How much does the Merle van weigh?",
        ("Merle van", "The Merle van has a weight of 1,900 kg."),
        ("Vans", "The Merle van reaches 2,700 kg while full of sand."),
    ),
    "a temperature": Told(
        "How long is the Orm cable?",
        ("Orm cable", "The Orm cable has a length of 410 metres."),
        ("Cables", "At 80 °C it stretches to 430 metres, as the Orm cable did."),
    ),
    "a line with a label of its own": Told(
        "What is the area of Corvania?",
        ("Corvania", "Corvania has an area of 11,848 km²."),
        ("Corvania", "Irrigated area of Corvania: 740 km²."),
    ),
    "rounding": Told(
        "How wide are the Belor narrows?",
        ("Belor narrows", "The Belor narrows are 900 metres wide."),
        ("Belor narrows", "The width of the Belor narrows is about 0.9 km."),
    ),
    "another owner where the question names none": Told(
        "How long is the notice period?",
        ("Lease of Rowan Cottage", "The notice period is 35 days."),
        ("Lease of Elder House", "The notice period is 90 days."),
    ),
    "each party its own": Told(
        "How long is the notice period?",
        ("Tenancy", "The tenant ends it with a notice of 35 days."),
        ("Tenancy", "It takes the landlord 90 days' notice to end it."),
    ),
    "two values in one sentence": Told(
        "How long is the Brannoch tunnel?",
        ("Tunnels", "The Brannoch tunnel is 5.2 km long, and the Carrick tunnel 3.1 km."),
        ("Tunnels", "The Brannoch tunnel measures 6.9 km."),
    ),
    "what is supposed": Told(
        "How many visitors does Marwick minster have?",
        ("Minster", "Marwick minster could have 90,000 visitors."),
        ("Minster", "Marwick minster has 40,000 visitors."),
    ),
    "what is counted is told by the verb": Told(
        "How many people live in Lorne?",
        ("Lorne", "In Lorne 3,200 people live."),
        ("Lorne", "Lorne is visited by 80,000 people."),
    ),
}


def values(told: Told) -> list[tuple[str, ...]]:
    quotes = [
        Quote(text, source=name, title=title, heading=title)
        for name, (title, text) in zip("ab", (told.one, told.other), strict=True)
    ]
    return [
        tuple(value.written for value in each.values) for each in found(*quotes, topic=told.topic)
    ]


@pytest.mark.parametrize("told", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_holds_answers_in_other_words_against_each_other(told: Told) -> None:
    assert len(values(told)) == 1


@pytest.mark.parametrize("told", LOOKALIKES.values(), ids=LOOKALIKES)
def test_keeps_apart_what_is_confined(told: Told) -> None:
    assert values(told) == []


def test_shows_from_when_a_value_holds() -> None:
    one = Quote("Parking costs £8 a week.", title="Site notes")
    other = Quote("For parking the price is £9 a week from January.", title="Circular")

    (reported,) = found(one, other, topic="How much does parking cost?")

    assert [value.scope for value in reported.values] == ["", "January"]


def test_takes_no_answer_from_a_source_that_gives_several() -> None:
    topic = "How deep is Lake Vessin?"
    one = Quote("Lake Vessin proves to be 41 metres deep.", source="a", title="Bathing")
    north = Quote("Off the jetty we found Lake Vessin 63 metres deep.", source="b", title="Pilot")
    south = Quote("By the inn we found Lake Vessin 12 metres deep.", source="b", title="Pilot")

    assert len(found(one, north, topic=topic)) == 1
    assert found(one, north, south, topic=topic) == ()

"""A folder of small documents about a bridge: real Markdown, two of which contradict each other."""

from pathlib import Path

TOPIC = "The Halvorsen bridge: how wide is its deck, and how much traffic does it carry?"

WIDTH = "How wide is the deck of the Halvorsen bridge?"
TRAFFIC = "How much traffic crosses the Halvorsen bridge?"

SURVEY, GUIDE = "City survey", "Harbour guide"
"""The two that contradict each other: `14.2 metres` and `16.8 metres` of the same deck."""

_WIDTH = {
    SURVEY: """
The city survey of 2019 found the deck of the Halvorsen bridge to be 14.2 metres wide.
Surveyors walked along both kerbs with a steel tape and a level.
Their notebooks lie in the town hall.""",
    GUIDE: """
According to the harbour guide, the deck of the Halvorsen bridge is 16.8 metres wide.
Visitors can rent rowing boats under its southern arch.
A bakery at the northern end opens at seven.""",
    "Footpaths": """
Two footpaths take 3.1 metres of the wide deck of the Halvorsen bridge.
They are paved with granite from a quarry nearby.
Benches stand where the view is best.""",
    "Cycle lanes": """
Cycle lanes of 2.4 metres were painted on the wide deck of the Halvorsen bridge in 2012.
Their red asphalt fades within six summers.
A counter on a pole shows how many cyclists have passed today.""",
    "Drainage": """
Rain leaves the wide deck of the Halvorsen bridge through 88 gullies.
Leaves block them each autumn and a crew clears them by hand.
The pipes end above the high-water mark.""",
    "Railings": """
Railings of 1.3 metres guard both edges of the wide deck of the Halvorsen bridge.
They were cast in a foundry that no longer exists.
Every tenth post bears a lamp.""",
}

_TRAFFIC = {
    "Toll records": """
Toll records of 1998 count 9,400 vehicles of daily traffic that crosses the Halvorsen bridge.
Clerks wrote them down in ledgers by hand.
The toll was given up two years later.""",
    "Bus timetable": """
The timetable names 310 buses a day in the traffic that crosses the Halvorsen bridge.
Night lines take the tunnel instead.
Drivers change at the depot.""",
    "Freight study": """
A freight study finds that 7% of the traffic that crosses the Halvorsen bridge are lorries.
Most of them carry timber to the paper mill.
Its authors advise a weighing station.""",
    "Noise map": """
The noise map blames the traffic that crosses the Halvorsen bridge for 68 decibels at night.
Windows on the quay were replaced at public expense.
Trees do not help, the map's authors say.""",
    "Winter service": """
Winter service keeps the traffic that crosses the Halvorsen bridge moving with 14 gritters.
Salt is no longer used because it eats the steel.
A siren warns of black ice.""",
    "School count": """
Pupils counted 820 bicycles an hour in the traffic that crosses the Halvorsen bridge.
They stood in the rain for three mornings.
Their teacher sent the tables to the newspaper.""",
}


def write_corpus(folder: Path) -> Path:
    """Write the twelve documents into a folder of their own, and return it."""
    folder.mkdir(parents=True)
    for title, text in {**_WIDTH, **_TRAFFIC}.items():
        name = title.casefold().replace(" ", "-")
        (folder / f"{name}.md").write_text(f"# {title}\n{text}\n", encoding="utf-8")
    return folder

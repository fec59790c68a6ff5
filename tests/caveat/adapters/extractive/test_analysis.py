import time

from caveat.adapters.extractive.analysis import find_passages
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Claim, Landmark, Snapshot, SourceRef
from caveat.contracts.tasks import AnalysisTask
from caveat.roles.analyst import ANALYSE
from tests.fakes.patience import slowness

TOPIC = "How far does the lighthouse beam reach at Skerry Point?"
DIRECT = Assignment(id="a1", title="Direct answers", question=TOPIC, queries=(TOPIC,))
LENS = Assignment(id="a2", title="Fresnel lens", question="?", queries=("Fresnel lens",))
Sources = dict[str, tuple[SourceRef, Snapshot]]


async def claims(
    reasoner: ExtractiveReasoner,
    source: SourceRef,
    snapshot: Snapshot,
    assignment: Assignment = DIRECT,
    wanted: int = 5,
    topic: str = TOPIC,
) -> tuple[Claim, ...]:
    task = AnalysisTask(
        task_id="t", description="d", topic=topic, assignments=(assignment,), source=source,
        snapshot_sha256="0", corpus=(), wanted=wanted,
    )  # fmt: skip
    return (await reasoner.ask(ANALYSE, task, snapshot, lambda found, share: None)).value.claims


async def test_the_answer_is_quoted_first(reasoner: ExtractiveReasoner, sources: Sources) -> None:
    found = await claims(reasoner, *sources["keepers"])
    assert found[0].quote == "The beam of Skerry Point reaches 34 ± 2 km on a clear night."
    assert found[0].id == f"a1-s-keepers-{found[0].start}"
    assert found[0].location == "Front"
    assert (found[0].source_id, found[0].assignment_id) == ("s-keepers", "a1")


async def test_an_angle_decides_on_quotes(reasoner: ExtractiveReasoner, sources: Sources) -> None:
    found = await claims(reasoner, *sources["keepers"], LENS)
    assert found
    assert all("lens" in claim.quote for claim in found)


async def test_nothing_is_guessed(reasoner: ExtractiveReasoner, sources: Sources) -> None:
    assert await claims(reasoner, *sources["bread"]) == ()


async def test_code_and_questions_are_unquoted(
    reasoner: ExtractiveReasoner, sources: Sources
) -> None:
    quotes = [
        claim.quote
        for name in ("keepers", "survey")
        for claim in await claims(reasoner, *sources[name], wanted=20)
    ]
    assert not [quote for quote in quotes if "©" in quote or "def " in quote or "?" in quote]


async def test_no_more_than_wanted_and_no_repetitions(reasoner: ExtractiveReasoner) -> None:
    sentence = "The beam of Skerry Point reaches {} km on a clear night."
    other = "The lighthouse beam of Skerry Point is red."
    text = "\n\n".join([sentence.format(30)] * 5 + ["Bread is good."] * 50 + [other])
    found = await claims(reasoner, SourceRef(id="s-x", title="x"), Snapshot(text=text))
    assert [claim.quote for claim in found] == [sentence.format(30), other]
    assert len(
        await claims(reasoner, SourceRef(id="s-x", title="x"), Snapshot(text=text), wanted=1)
    ) == 1  # fmt: skip


async def test_bullets_and_reference_marks_stay_outside(reasoner: ExtractiveReasoner) -> None:
    text = "1. The beam of Skerry Point reaches 34 km at night.[12] [13]\n2. Bread is good."
    (claim,) = await claims(reasoner, SourceRef(id="s-x", title="x"), Snapshot(text=text))
    assert claim.quote == "The beam of Skerry Point reaches 34 km at night."


async def test_headings_give_context(reasoner: ExtractiveReasoner) -> None:
    body = "The beam reaches far across the bay on most nights."
    source = SourceRef(id="s-x", title="x")
    named = Snapshot(text=body, landmarks=(Landmark(offset=0, label="Skerry Point lighthouse"),))
    bare = Snapshot(text=body, landmarks=(Landmark(offset=0, label="Notes"),))
    with_context = await claims(reasoner, source, named)
    without = await claims(reasoner, source, bare)
    assert with_context
    assert not without or without[0].relevance < with_context[0].relevance


async def test_one_of_two_words_is_answered_beside_the_other(reasoner: ExtractiveReasoner) -> None:
    topic = "How long is the lens of the lighthouse?"
    assignment = Assignment(id="a1", title="Direct answers", question=topic, queries=(topic,))
    source = SourceRef(id="s-x", title="The lighthouse of Skerry Point")
    text = "Its Fresnel lens is 3 metres long."
    found = await claims(reasoner, source, Snapshot(text=text), assignment, topic=topic)
    assert [claim.quote for claim in found] == [text]


async def test_a_megabyte_takes_about_a_second(reasoner: ExtractiveReasoner) -> None:
    paragraphs = (
        f"The beam of lighthouse {n} reaches {n % 50} km at night. Word{n % 9_000} of Skerry Point "
        f"stands in the {n}th paragraph, which says little else of any use to sailors at sea."
        for n in range(6_000)
    )
    text = "\n\n".join(paragraphs)
    assert len(text) > 900_000
    began = time.process_time()
    found = await claims(reasoner, SourceRef(id="s-x", title="x"), Snapshot(text=text))
    # 1 s on an idle core; the margin is for busy ones.
    assert time.process_time() - began < 4 * slowness()
    assert len(found) == 5


def test_of_a_cell_the_row_is_quoted_with_its_columns() -> None:
    text = "Ferries\n\nName\tPassengers\tHours\n\nNorth\t412,000\t6.5\n\nSouth\t287,000\t4.1\n"
    marks = [("North", "North"), ("North, Passengers", "412,000"), ("North, Hours", "6.5")]
    marks += [("South", "South"), ("South, Passengers", "287,000"), ("South, Hours", "4.1")]
    landmarks = tuple(Landmark(offset=text.index(cell), label=label) for label, cell in marks)
    source = SourceRef(id="s1", title="Ferries", path="ferries.csv")
    found = find_passages(
        "How many passengers had the ferry South?",
        [(source, Snapshot(text=text, landmarks=landmarks))],
        5,
    )
    assert "South\t287,000\t4.1" in {each.quote for each in found}
    assert all("\n" not in each.quote for each in found)
    (row,) = (each for each in found if each.quote.startswith("South"))
    assert row.location == "Name, Passengers, Hours"

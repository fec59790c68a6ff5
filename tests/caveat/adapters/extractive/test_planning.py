import pytest

from caveat.adapters.extractive.phrases import Phrase, phrases
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.adapters.text.vocabulary import Passage
from caveat.contracts.plan import Assignment, Depth
from caveat.contracts.tasks import PlanningTask
from caveat.roles.planner import PLAN
from caveat.roles.role import Reasoner
from caveat.rules.report import DIRECT
from caveat.rules.text.words import content_stems

TOPIC = "How far does the lighthouse beam reach at Skerry Point?"


def task(topic: str = TOPIC, wanted: int = 5, depth: Depth = Depth.EXHAUSTIVE) -> PlanningTask:
    return PlanningTask(
        task_id="plan", description="plan", topic=topic, corpus=("/c",), depth=depth,
        team="general", wanted=wanted,
    )  # fmt: skip


async def plan(reasoner: Reasoner, topic: str = TOPIC, wanted: int = 5) -> tuple[Assignment, ...]:
    return (await reasoner.ask(PLAN, task(topic, wanted))).value


async def test_the_topic_comes_first_and_phrases_of_several_sources_follow(
    reasoner: ExtractiveReasoner,
) -> None:
    first, *others = await plan(reasoner)
    assert (first.id, first.title, first.question) == ("a1", DIRECT, TOPIC)
    titles = [assignment.title for assignment in others]
    assert "Fog signal" in titles
    assert len(titles) <= 2  # a question wants an answer, not a survey
    assert [assignment.id for assignment in others] == [f"a{n}" for n in range(2, 2 + len(others))]


async def test_angles_ask_plainly_and_search_with_the_topics_words(
    reasoner: ExtractiveReasoner,
) -> None:
    signal = next(a for a in await plan(reasoner) if a.title == "Fog signal")
    assert signal.question == f"What do the sources say about “fog signal” with regard to: {TOPIC}"
    assert signal.queries[0] == "fog signal far lighthouse beam reach Skerry Point"
    assert all("fog signal" in query for query in signal.queries)
    assert len(signal.queries) <= 2


async def test_titles_are_diverse_and_not_the_topic_again(reasoner: ExtractiveReasoner) -> None:
    titles = [a.title for a in (await plan(reasoner, wanted=8))[1:]]
    stems = [content_stems(title) for title in titles]
    assert len(set(stems)) == len(stems)
    assert all(not stem <= content_stems(TOPIC) for stem in stems)
    heads = [title.lower().split()[-1] for title in titles]
    assert len(set(heads)) == len(heads)


@pytest.mark.parametrize("depth", [Depth.OVERVIEW, Depth.DEEP])
async def test_only_the_greatest_depth_has_angles_beside_the_question(
    reasoner: ExtractiveReasoner, depth: Depth
) -> None:
    (only,) = (await reasoner.ask(PLAN, task(depth=depth))).value
    assert (only.title, only.queries) == (DIRECT, (TOPIC,))


async def test_each_part_of_a_question_is_searched_for(reasoner: ExtractiveReasoner) -> None:
    topic = "When was the lighthouse built, how far does its beam reach, and who keeps it?"
    (only,) = (await reasoner.ask(PLAN, task(topic, depth=Depth.DEEP))).value
    parts = ("When was the lighthouse built", "how far does its beam reach", "who keeps it")
    assert only.queries == parts


@pytest.mark.parametrize("wanted", [1, 2, 3])
async def test_no_more_than_wanted(reasoner: ExtractiveReasoner, wanted: int) -> None:
    assert len(await plan(reasoner, wanted=wanted)) == wanted


async def test_nothing_retrieved_leaves_the_topic_alone(reasoner: ExtractiveReasoner) -> None:
    (only,) = await plan(reasoner, topic="Quantum chromodynamics lattices")
    assert only.question == "Quantum chromodynamics lattices"
    assert only.queries == ("Quantum chromodynamics lattices",)


async def test_a_topic_of_stop_words_is_searched_as_it_is(reasoner: ExtractiveReasoner) -> None:
    (only,) = await plan(reasoner, topic="to be or not to be")
    assert only.queries == ("to be or not to be",)


async def test_plans_are_deterministic(reasoner: ExtractiveReasoner) -> None:
    assert await plan(reasoner) == await plan(reasoner)


def surfaces(*texts: str) -> list[str]:
    passages = [Passage(f"s{n}", "t", "", text) for n, text in enumerate(texts)]
    stems = {stem for text in texts for stem in content_stems(text)}
    found = phrases(passages, content_stems("ship"), dict.fromkeys(stems, 0.1))
    return [phrase.surface for phrase in found]


def test_phrases_are_whole() -> None:
    found = surfaces(
        "The tip of the red giant branch is bright. They use the red giant branch for a ship.",
        "A star on the red giant branch is old. It is in the red giant branch of a ship.",
    )
    assert found[0] == "red giant branch"
    assert "giant branch" not in found
    assert "red giant" not in found


def test_phrases_are_no_verbs_numbers_or_citations() -> None:
    found = surfaces(
        "The crew measured 42 of the salt tanks, as Riess et al. say of the ship.",
        "The crew measured 42 of the salt tanks, as Riess et al. say of a ship.",
    )
    assert "salt tanks" in found
    joined = " ".join(found)
    for fragment in ("measured", "42", "et", "al"):
        assert fragment not in joined.split()


def test_code_and_copies_add_no_phrases() -> None:
    code = "for item in the_items { salt_tank(item); } return the salt tank of the ship;"
    sentence = "There is nothing in the paper bag that is on the ship of the king."
    assert surfaces(code, code, sentence, sentence) == []


@pytest.mark.parametrize(
    ("surface", "telling"),
    [
        ("SH0ES", True),
        ("salt tank", True),
        ("tank", False),
        ("October", False),
        ("May June", False),
    ],
)
def test_an_angle_is_no_common_noun_and_no_month(surface: str, *, telling: bool) -> None:
    stems = tuple(surface.lower().split())
    phrase = Phrase(stems, surface, passages=frozenset(), sources=frozenset(), weight=1.0)
    assert phrase.is_telling is telling


def test_names_keep_their_capitals() -> None:
    found = surfaces(
        "SH0ES is the name of the team. The value of the SH0ES is what we want from the ship.",
        "SH0ES is what they are called. It is in the SH0ES that they sail with the ship.",
    )
    assert "SH0ES" in found

"""What a run looks for until sources say something, and what it says of what it leaves out."""

from dataclasses import replace

import pytest

from caveat.contracts.contradiction import Disagreement
from caveat.contracts.envelope import AgentType, FailureType
from caveat.contracts.report import Method, Report
from caveat.contracts.source import SourceKind
from caveat.contracts.tasks import DetectionTask, NoticeKind
from caveat.rendering import words
from caveat.rendering.markdown import render
from caveat.rules.audit.checks import audit
from caveat.rules.report.answering import DIRECT
from caveat.rules.report.appraisal import BY_WORDS_ALONE
from caveat.rules.sources.credibility import NEAREST, SMALL
from tests.fakes.ports import Page, World
from tests.fakes.runs import SHORT_S, Start, end_of, failing, fault, report_of, texts
from tests.fakes.worlds import disagreeing, with_spares

PAGES = tuple(f"page {number}" for number in range(1, 13))


def silence(world: World, *pages: str) -> None:
    """Let pages say nothing of alpha."""
    for page in list(world.pages):
        if page.name in pages:
            world.pages.remove(page)
            text = page.text.replace("Alpha", "Something")
            world.pages.append(type(page)(page.name, text))


@pytest.mark.parametrize(("silent", "more"), [(4, 2), (3, 2), (2, 0)])
async def test_fewer_than_four_sources_that_say_something_bring_a_follow_up_search(
    start: Start, world: World, silent: int, more: int
) -> None:
    silence(world, *PAGES[:silent])
    world.rewordings["Alpha width"] = "alpha again"
    with_spares(world, 2)
    world.answers["alpha again"] = ("page 13", "page 14")
    world.answers["alpha"] = PAGES[:6]
    report = await report_of(await start())
    assert world.calls["reformulate Alpha width"] == more / 2
    titles = {source.id: source.title for source in report.sources}
    claims = {claim.id: claim for claim in report.claims}
    said_by = {titles[claims[name].source_id] for name in report.sections[0].claims}
    assert said_by == {*PAGES[silent:6], *("page 13", "page 14")[:more]}


async def test_what_was_read_and_says_nothing_is_a_gap(start: Start, world: World) -> None:
    silence(world, *PAGES[:4], "page 7")
    world.rewordings["Alpha width"] = "alpha again"
    world.answers["alpha again"] = ("page 7",)
    report = await report_of(await start())
    assert [gap.reason for gap in report.gaps if gap.area == "Alpha width"] == [
        "No further source that says something on it after 2 queries: “alpha”, “alpha again”."
    ]


async def test_the_best_answer_comes_first_and_a_touch_is_none(start: Start, world: World) -> None:
    world.pages[1] = replace(world.pages[1], kind=SourceKind.PREPRINT)
    told = {"Alpha is 5 ": 0.29, "Alpha is 3 ": 0.9, "Alpha is 2 ": 0.35}
    world.relevance = lambda quote: next((told[each] for each in told if each in quote), 0.3)
    report = await report_of(await start())
    first, *_, last = (claim.quote for claim in report.claims if "Alpha" in claim.quote)
    assert "Alpha is 3 " in first
    assert "Alpha is 2 " in last, "it is of a source that is less credible"
    assert len(report.sections[0].claims) == 5
    assert not [gap for gap in report.gaps if gap.area == "Alpha width"]  # it has its answer


def only_touching(world: World, documents: int, relevance: float) -> None:
    """Let a folder have passages that share words with the question, and none that answers it."""
    texts = (f"Direct current is {number} amperes." for number in range(documents))
    world.pages = [Page(f"page {number}", text) for number, text in enumerate(texts)]
    world.angles = {DIRECT: ("alpha",)}
    world.answers = {"alpha": tuple(page.name for page in world.pages)}
    world.relevance = lambda quote: relevance


async def test_a_small_folder_shows_what_comes_nearest(start: Start, world: World) -> None:
    only_touching(world, SMALL, NEAREST)
    report = await report_of(await start())
    assert report.answered is None  # nobody can say that it answers
    assert report.answer
    assert len(report.sections[0].claims) == 4
    assert report.confidence.value <= BY_WORDS_ALONE
    (gap,) = [gap for gap in report.gaps if "touch" in gap.reason]
    assert gap.reason.endswith("do not count as answers: 12.")  # eight sources, four spares


@pytest.mark.parametrize(("documents", "relevance"), [(SMALL + 1, NEAREST), (SMALL, NEAREST / 2)])
async def test_of_a_larger_folder_and_from_afar_nothing_is_shown(
    start: Start, world: World, documents: int, relevance: float
) -> None:
    only_touching(world, documents, relevance)
    await end_of(await start(), name="insufficient_evidence")


async def test_what_nobody_foresaw_is_told_once_a_role(start: Start, world: World) -> None:
    def faults(kind: str, key: str) -> None:
        if kind == "analyse" and key in {"page 1", "page 2"}:
            raise RuntimeError("a bug")
        if kind == "read" and key == "page 7":
            raise RuntimeError("another bug")

    world.faults = faults
    report = await report_of(await start())
    unforeseen = [notice for notice in world.notices if notice.kind is NoticeKind.UNKNOWN_FAILURE]
    assert len(unforeseen) == 2
    assert {AgentType.ANALYST, AgentType.READER} == {
        role for role in AgentType for notice in unforeseen if f"The {role} " in notice.message
    }
    assert len(report.failures) >= 3


@pytest.mark.parametrize(
    ("topic", "given", "language"),
    [
        ("Wie breit ist das Feld, und warum ist es so?", None, "de"),
        ("Wie breit ist das Feld, und warum ist es so?", "fr", "fr"),
        ("How wide is the field, and why is it so?", None, None),
    ],
)
async def test_models_are_told_to_write_in_the_language_of_a_foreign_question(
    start: Start, world: World, topic: str, given: str | None, language: str | None
) -> None:
    told: list[str | None] = []

    def heard(task: DetectionTask) -> tuple[Disagreement, ...]:
        told.append(task.language)
        return ()

    world.disagreements = heard
    world.uses_model = True
    pages = [replace(each, text=f"{each.text}. Breit ist das Feld dort.") for each in world.pages]
    world.pages[:] = pages
    first = await start(topic=topic, language=given)
    await first.result()
    assert set(told) == {language}
    told.clear()  # "Breit?" is too short to tell
    await report_of(await start(id="asked", topic="Breit?", language=given, asked_of=first.id))
    assert set(told) == {language}


# A bound or a failure never gives an all-clear: what was read is compared, or said not to be.


async def bounded(start: Start, calls: int | None) -> Report:
    budget = {} if calls is None else {"budget": {"model_calls": calls}}
    return await report_of(await start(arbitration_timeout=SHORT_S, id=f"bound-{calls}", **budget))


@pytest.mark.parametrize("calls", [4, 8, 12])
async def test_a_bound_on_model_calls_never_hides_a_contradiction_nor_raises_confidence(
    start: Start, world: World, calls: int
) -> None:
    world.uses_model = True
    disagreeing(world, (1, 2))
    whole = await bounded(start, None)
    less = await bounded(start, calls)
    assert audit(less, texts(world)).passed
    assert less.confidence.value < whole.confidence.value
    assert whole.contradictions
    assert "No contradiction was seen" not in render(less)
    assert (words.BY_RULES in render(less)) is (less.methods.comparison is Method.RULES)


async def test_where_the_model_cannot_compare_rules_do(start: Start, world: World) -> None:
    world.uses_model = True
    disagreeing(world, (1, 2))
    whole = await bounded(start, None)
    assert whole.methods.comparison is Method.BOTH
    assert words.BY_BOTH in render(whole)
    beside = world.calls["compare_by_rules"]
    failing(world, "detect alpha and beta", fault(FailureType.PERMANENT))
    less = await bounded(start, 500)
    assert world.calls["compare_by_rules"] == 2 * beside  # once more
    assert len(less.contradictions) == len(whole.contradictions) == 1
    assert less.methods.comparison is Method.RULES
    assert less.confidence.value < whole.confidence.value
    assert words.BY_RULES in render(less)
    assert audit(less, texts(world)).passed


async def test_where_nothing_compares_the_report_claims_nothing(start: Start, world: World) -> None:
    disagreeing(world, (1, 2))
    whole = await bounded(start, None)
    error = fault(FailureType.PERMANENT)

    failing(world, ("detect", "compare_by_rules"), error)
    less = await bounded(start, 500)
    assert less.methods.comparison is Method.NONE
    assert words.NOT_COMPARED in render(less)
    assert less.confidence.value < whole.confidence.value
    assert audit(less, texts(world)).passed

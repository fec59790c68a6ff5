import pytest

from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.contracts.plan import Depth
from caveat.contracts.tasks import PlanningTask
from caveat.roles.planner import PLAN
from caveat.rules.report.answering import DIRECT

TOPIC = "How far does the lighthouse beam reach at Skerry Point?"
PARTS = ("When was the lighthouse built", "how far does its beam reach", "who keeps it")


@pytest.mark.parametrize(
    ("topic", "queries"),
    [
        (TOPIC, (TOPIC,)),
        ("When was the lighthouse built, how far does its beam reach, and who keeps it?", PARTS),
        ("to be or not to be", ("to be or not to be",)),
    ],
)
async def test_each_part_of_a_question_is_searched_for(
    reasoner: ExtractiveReasoner, topic: str, queries: tuple[str, ...]
) -> None:
    task = PlanningTask(
        task_id="plan", description="plan", topic=topic, corpus=("/c",), depth=Depth.EXHAUSTIVE,
        team="general", wanted=5,
    )  # fmt: skip
    (only,) = (await reasoner.ask(PLAN, task)).value
    assert (only.id, only.title, only.question, only.queries) == ("a1", DIRECT, topic, queries)

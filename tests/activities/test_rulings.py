import pytest
from temporalio.testing import ActivityEnvironment

from caveat.activities.report import MemoryActivities
from caveat.contracts.contradiction import Ruling, Signature
from caveat.contracts.envelope import AgentType
from caveat.contracts.tasks import RulingsTask, RulingTask
from caveat.workers.signing import Signer
from tests.fakes.disputes import a_ruling_record
from tests.fakes.ports import FakeMemory
from tests.fakes.worlds import a_world

RECORD = a_ruling_record("both", "planck.org", "shoes.org", run_id="research-h0")
ARBITRATION = "research-h0/contradiction-1"
RULING = Ruling(ruling="both", reason="Because.", decided_by="Ada")
OURS, THEIRS = Signer(b"k" * 32), Signer(b"x" * 32)
KEEP = RulingTask(task_id="keep", description="Keep a ruling", record=RECORD)


def recall(*claimants: str) -> RulingsTask:
    return RulingsTask(task_id="recall", description="Recall rulings", claimants=claimants)


async def test_a_ruling_is_kept_and_recalled() -> None:
    clerk = MemoryActivities(FakeMemory(a_world()), OURS)
    kept = await ActivityEnvironment().run(clerk.record_ruling, KEEP)
    marked = RECORD.model_copy(update={"signed": False})
    assert (kept.result, kept.agent_type) == (marked, AgentType.CLERK)
    recalled = await ActivityEnvironment().run(clerk.recall_rulings, recall("x", "shoes.org"))
    assert (recalled.result, recalled.agent_type) == ((marked,), AgentType.CLERK)


@pytest.mark.parametrize(
    ("signer", "arbitration", "ruling", "is_ours"),
    [
        (OURS, ARBITRATION, RULING, True),
        (THEIRS, ARBITRATION, RULING, False),
        (OURS, "research-h0/contradiction-2", RULING, False),
        (OURS, "research-h1/contradiction-1", RULING, False),
        (OURS, ARBITRATION, RULING.model_copy(update={"ruling": "a"}), False),
        (OURS, ARBITRATION, RULING.model_copy(update={"reason": "Another."}), False),
        (OURS, ARBITRATION, RULING.model_copy(update={"decided_by": "Bob"}), False),
        (OURS, ARBITRATION, RULING.model_copy(update={"ruling": "b,a"}), True),  # both, otherwise
    ],
)
async def test_a_ruling_is_this_users_when_every_part_of_it_was_signed(
    signer: Signer, arbitration: str, ruling: Ruling, *, is_ours: bool
) -> None:
    signature = signer.sign_answer(arbitration, ruling).signature
    task = KEEP.model_copy(update={"signature": signature})
    kept = await ActivityEnvironment().run(
        MemoryActivities(FakeMemory(a_world()), OURS).record_ruling, task
    )
    assert kept.result is not None
    assert kept.result.signed is is_ours


async def test_a_signature_cannot_be_put_on_another_choice() -> None:
    signed = OURS.sign_answer(ARBITRATION, RULING.model_copy(update={"ruling": "a"})).signature
    assert signed is not None
    forged = Signature(choice="both", mac=signed.mac)
    for signature in (signed, forged):
        task = KEEP.model_copy(update={"signature": signature})
        kept = await ActivityEnvironment().run(
            MemoryActivities(FakeMemory(a_world()), OURS).record_ruling, task
        )
        assert kept.result is not None
        assert kept.result.signed is False

"""Three participants that a language model speaks for examine the claims."""

import pytest

from caveat.contracts.synthesis import Challenge, Participant, Stance
from caveat.contracts.tasks import DebateTask
from caveat.failures import invalid
from caveat.rendering.markdown import render
from caveat.rules.audit.checks import audit
from tests.fakes.ports import World
from tests.fakes.runs import Start, failing, report_of, texts

ADVOCATE, SCEPTIC, METHODOLOGIST = Participant


def talkative(world: World) -> None:
    """Let everybody say something of the first claim."""
    world.uses_model = world.debates = True

    def remark(task: DebateTask) -> tuple[Challenge, ...]:
        (claim, *_), who = task.claims, task.participant
        text, stance = f"The {who} has doubts.", Stance.CHALLENGES
        return (Challenge(claim_id=claim.id, raised_by=who, stance=stance, text=text),)

    world.remarks = remark


async def test_all_three_speak_once_and_are_shown(start: Start, world: World) -> None:
    talkative(world)
    report = await report_of(await start())
    assert report.debate is not None
    assert [each.raised_by for each in report.debate.challenges] == list(Participant)
    assert world.calls["debate"] == 3
    assert audit(report, texts(world)).passed
    assert "*Sceptic, against:* The sceptic has doubts." in render(report)
    assert not report.failures


async def test_who_is_missing_is_heard_again_below_two_voices(start: Start, world: World) -> None:
    talkative(world)
    silent = {f"debate {ADVOCATE}", f"debate {SCEPTIC}"}
    error = invalid("Not now.", resource="debate")
    failing(world, silent, error, until=lambda: world.calls["debate"] > len(Participant))
    report = await report_of(await start())
    assert report.debate is not None
    assert report.debate.present == tuple(Participant)
    assert world.calls["debate"] == 5
    assert all(failed.recovered for failed in report.failures)


@pytest.mark.parametrize("wanting", ["uses_model", "debates"])
async def test_without_model_or_wish_no_debate(start: Start, world: World, wanting: str) -> None:
    talkative(world)
    setattr(world, wanting, False)
    report = await report_of(await start())
    assert not world.calls["debate"]
    assert report.debate is None
    assert not any("debate" in step.reason for step in report.confidence.ledger)

"""Participants that a language model speaks for answer one another, in two rounds at most."""

import pytest

from caveat.contracts.debate import Challenge, Closing, Debate, DebateMessage, Participant, Stance
from caveat.contracts.envelope import AgentType
from caveat.contracts.report import Report
from caveat.contracts.tasks import DebateTask, ReplyTask
from caveat.failures import invalid
from caveat.rendering.markdown import render
from caveat.rules.audit import audit
from standins.ports import World
from tests.fakes.runs import Start, failing, report_of, texts

ADVOCATE, SCEPTIC, METHODOLOGIST = Participant


def talkative(world: World) -> list[ReplyTask]:
    """Let everybody say something of the first claim, and answer whoever spoke of it last."""
    world.uses_model = world.debates = True
    heard: list[ReplyTask] = []

    def remark(task: DebateTask) -> tuple[Challenge, ...]:
        (claim, *_), who = task.claims, task.participant
        text, stance = f"The {who} has doubts.", Stance.CHALLENGES
        return (Challenge(claim_id=claim.id, raised_by=who, stance=stance, text=text),)

    def reply(task: ReplyTask) -> tuple[DebateMessage, ...]:
        heard.append(task)
        who = task.participant
        to = next(each for each in Participant if each is not who)
        return (
            DebateMessage(
                claim_id=task.claims[0].id,
                raised_by=who,
                stance=Stance.SUPPORTS,
                text=f"The {who} answers the {to}.",
                round=task.round,
                answers=to,
            ),
        )

    world.remarks, world.replies = remark, reply
    return heard


def debate_of(report: Report) -> Debate:
    assert report.debate is not None
    return report.debate


async def test_what_one_says_goes_to_all_for_two_rounds(start: Start, world: World) -> None:
    heard = talkative(world)
    report = await report_of(await start())
    debate = debate_of(report)
    assert world.calls["reply"] == 6
    assert (debate.rounds, debate.closing) == (2, Closing.ROUNDS)
    assert [each.round for each in debate.messages] == [1, 1, 1, 2, 2, 2]
    for task in heard:
        assert len(task.debate.challenges) == 3
        assert len(task.debate.messages) == (3 if task.round == 2 else 0)
    assert audit(report, texts(world)).passed
    assert "*Sceptic, answering the advocate, for:* The sceptic answers the advocate." in render(
        report
    )
    assert not report.failures


async def test_who_fails_in_the_second_round_loses_nothing_that_it_said(
    start: Start, world: World
) -> None:
    talkative(world)
    whole = await report_of(await start(id="whole"))

    failing(world, "reply sceptic 2", invalid("The sceptic lost its voice.", resource="sceptic 2"))
    report = await report_of(await start())
    debate = debate_of(report)
    said = [(each.raised_by, each.round) for each in debate.messages]
    assert said == [(who, 1) for who in Participant] + [(ADVOCATE, 2), (METHODOLOGIST, 2)]
    assert debate.challenges == debate_of(whole).challenges
    assert (debate.missing, debate.closing) == ((), Closing.ROUNDS)
    assert [failed.agent_type for failed in report.failures] == [AgentType.RESPONDENT]
    assert any("said before stands" in each.consequence for each in report.limitations)
    assert report.confidence.value == whole.confidence.value
    assert audit(report, texts(world)).passed


async def test_silence_ends_it_and_no_round_is_held_for_nothing(start: Start, world: World) -> None:
    talkative(world)
    world.replies = lambda task: ()
    debate = debate_of(await report_of(await start(id="silent")))
    assert (debate.rounds, debate.closing, world.calls["reply"]) == (1, Closing.SILENCE, 3)
    world.calls.clear()
    world.remarks = lambda task: ()
    debate = debate_of(await report_of(await start(id="nothing-said")))
    assert (debate.rounds, debate.closing, world.calls["reply"]) == (0, Closing.SILENCE, 0)


@pytest.mark.parametrize("wanting", ["uses_model", "debates"])
async def test_without_a_model_or_where_a_team_wants_none_nothing_is_debated(
    start: Start, world: World, wanting: str
) -> None:
    talkative(world)
    setattr(world, wanting, False)
    report = await report_of(await start())
    assert not world.calls["debate"] + world.calls["reply"]
    assert report.debate is None
    assert not any("debate" in step.reason for step in report.confidence.ledger)

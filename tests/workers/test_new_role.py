"""A role that one file declares runs from a workflow to a model and back; nothing else names it."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta

from pydantic import SecretStr
from temporalio import workflow
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.contracts.backend import Backend, Route
from caveat.contracts.base import Contract
from caveat.contracts.envelope import Status, SubagentResult
from caveat.contracts.failure import FailureType
from caveat.contracts.tasks import Task
from caveat.ports import Answer
from caveat.roles.data import Words, format_block
from caveat.roles.models import ROLES
from caveat.roles.role import SONNET, Bounds, LanguageModel, ModelSettings, Role
from caveat.workers.settings import Settings
from caveat.workers.wiring import build_registry, choose_ports
from caveat.workers.worker import serve_runs
from caveat.workflows.delegation import delegate
from caveat.workflows.options import build_policy
from tests.fakes.claude_history import works
from tests.fakes.messages_api import KEY, Says, stand_in
from tests.fakes.patience import PATIENCE_S

# --- The role: all that is said of it.

TOLD = "You say a sentence in another language."


class TranslationTask(Task):
    """Say a sentence in another language."""

    sentence: str
    language: str


class Translation(Contract):
    said: Words


async def _play(task: TranslationTask, model: LanguageModel) -> Answer[Translation]:
    content = f"{format_block(task.sentence)}\n\nSay it in {task.language}."

    def objection(given: Translation) -> str | None:
        return "It is the same sentence." if given.said == task.sentence else None

    answer = await model.ask(task, task.sentence, content, Translation, objection)
    return Answer(answer.value[-1], answer.usage)


TRANSLATE: Role[TranslationTask, Translation, Translation] = Role(
    name="translate",
    agent="translator",
    task=TranslationTask,
    result=Translation,
    start_to_close=timedelta(minutes=1),
    settings=ModelSettings(
        name="translation",
        agent="translator",
        model=SONNET,
        bounds=Bounds(deadline_s=45, room=500),
        told=TOLD,
    ),
    play=_play,
)

# --- The coordinator.

SENTENCE = "The bridge is 21 metres wide."


@workflow.defn(name="Translating")
class Translating:
    """Has one task of the role done."""

    @workflow.run
    async def run(self, backend: Backend) -> SubagentResult[Translation]:
        task = TranslationTask(
            task_id="t1", description="Translate", sentence=SENTENCE, language="German"
        )
        return await delegate(build_policy(TRANSLATE), task, Route(backend=backend))


async def translated(
    environment: WorkflowEnvironment, queue: str, settings: Settings
) -> tuple[SubagentResult[Translation], list[str]]:
    chosen = choose_ports(settings)
    registry = build_registry(chosen, (*ROLES, TRANSLATE))
    registry = replace(registry, workflows=(Translating,))
    async with AsyncExitStack() as stack:
        if isinstance(chosen.reasoner, ClaudeReasoner):
            await stack.enter_async_context(chosen.reasoner.dialogue.connection.client)
        await stack.enter_async_context(serve_runs(environment.client, registry, queue))
        handle = await environment.client.start_workflow(
            Translating.run, chosen.backend, id=f"translating-{queue}", task_queue=queue
        )
        envelope = await asyncio.wait_for(handle.result(), PATIENCE_S)
    return envelope, [work.type for work in await works(handle)]


async def test_one_file_and_a_coordinator_make_a_role(
    environment: WorkflowEnvironment, task_queue: str, settings: Settings
) -> None:
    async with stand_in() as api:
        api.will(Says({"said": SENTENCE}), Says({"said": "Die Brücke ist 21 Meter breit."}))
        keyed = settings.model_copy(
            update={"anthropic_api_key": SecretStr(KEY), "anthropic_base_url": api.url}
        )
        envelope, types = await translated(environment, task_queue, keyed)
        assert all(each.system.startswith(TOLD) for each in api.requests)
        assert "It is the same sentence." in api.requests[1].said
    assert envelope.result == Translation(said="Die Brücke ist 21 Meter breit.")
    assert (envelope.status, envelope.agent_type) == (Status.SUCCESS, "translator")
    assert (envelope.reasoner, envelope.usage.model_calls) == ("claude", 2)
    assert set(types) == {"translate"}


async def test_without_a_model_such_a_role_fails_by_name(
    environment: WorkflowEnvironment, task_queue: str, settings: Settings
) -> None:
    envelope, _ = await translated(environment, task_queue, settings)
    assert envelope.failure is not None
    assert envelope.failure.failure_type is FailureType.PERMANENT
    assert envelope.failure.message == "The translator needs a language model, and there is none."

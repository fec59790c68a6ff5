"""A plugin of Temporal's Python SDK: research as a part of somebody's own worker and workflows."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.converter import DataConverter
from temporalio.plugin import SimplePlugin
from temporalio.worker import Worker, WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from caveat.workers.blobs import open_blobs
from caveat.workers.codec import load_encryption_key, require_key
from caveat.workers.data import build_data_converter
from caveat.workers.registration import register_search_attributes
from caveat.workers.settings import Settings, load
from caveat.workers.worker import WORKFLOWS, DetailsOnDemand, run_activity_workers

_PURE = ("caveat", "pydantic", "pydantic_core", "annotated_types")
"""Modules that a sandbox shares between runs: ours are pure (docs/decisions/0003-sandbox.md), and
a model class must be one and the same on both sides."""


class CaveatPlugin(SimplePlugin):
    """Lets a worker carry out research, and its workflows call it as a child.

    Given to `Client.connect`, it sets up how values travel, and every worker of that client serves
    the workflow `Research` on its own queue, with activity workers of Caveat's beside it. A
    workflow calls `workflow.execute_child_workflow("Research", {"topic": …})`; arbitrations are
    children of that, and are answered as ever. Workflows of yours stay in Temporal's sandbox.
    Without settings, those of the environment say which corpus, reasoner and keys.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or load()
        super().__init__(
            "caveat.CaveatPlugin",
            data_converter=self._choose_converter,
            workflows=WORKFLOWS,
            workflow_runner=_share_modules,
            interceptors=[DetailsOnDemand()],
        )

    async def run_worker(self, worker: Worker, next: Callable[[Worker], Awaitable[None]]) -> None:  # noqa: A002  # the SDK's name
        """Serve what runs need beside the worker, for as long as that runs."""
        from caveat.workers.wiring import wire_registry  # noqa: PLC0415  # adapters, for workers alone

        client, queue = worker.client, worker.task_queue
        await register_search_attributes(client)
        await require_key(client, queue)
        # A client's plugins are those of each of its workers, and these have no workflows.
        config = client.config(active_config=True)
        config["plugins"] = []
        alike = Client(**config)
        async with run_activity_workers(alike, wire_registry(self._settings), queue):
            await super().run_worker(worker, next)

    def _choose_converter(self, own: DataConverter | None) -> DataConverter:
        if own not in (None, DataConverter.default, pydantic_data_converter):
            raise ValueError(
                "CaveatPlugin brings the data converter that its runs need (Pydantic's, with large "
                "payloads kept apart): connect without one of your own."
            )
        payloads = open_blobs(self._settings, self._settings.payloads_folder)
        return build_data_converter(payloads, load_encryption_key(self._settings))


def _share_modules(runner: WorkflowRunner | None) -> WorkflowRunner:
    """Share Caveat's modules between the runs of a sandbox, which would import them for each."""
    if isinstance(runner, SandboxedWorkflowRunner):
        shared = runner.restrictions.with_passthrough_modules(*_PURE)
        return replace(runner, restrictions=shared)
    return runner or SandboxedWorkflowRunner()

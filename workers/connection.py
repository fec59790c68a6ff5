"""The way to a Temporal server: the one that the environment names, else the embedded one."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.converter import DataConverter
from temporalio.envconfig import ClientConfig, ClientConnectConfig
from temporalio.service import GrpcCompression, RPCError, RPCStatusCode

from caveat.problem import ExitCode, OutOfReach, Problem
from caveat.workers.blobs import open_blobs, require_blobs
from caveat.workers.codec import load_encryption_key
from caveat.workers.data import build_data_converter
from caveat.workers.embedded import EmbeddedServer, find_full_disk, open_embedded_server
from caveat.workers.registration import register_search_attributes
from caveat.workers.settings import Settings

T = TypeVar("T")

REACH_S = 10.0  # seconds to reach a server: a slow network takes two, a dead one never answers

_SETTLE_S = 0.01
"""Seconds for the SDK's threads to leave the interpreter after the last call: a process that ends
at once is otherwise aborted now and then (temporalio/sdk-python#300); they need microseconds."""

_GOES_S = 3.0
"""Seconds after which an embedded server that was killed is known to be gone: calls fail at once,
and the kernel lets go of its lock when the last of its threads has ended."""

_ENDED = (
    "The embedded Temporal server has ended while it was in use: run the command again to go on."
)

_DEFAULT_ADDRESS = "localhost:7233"
"""What Temporal's own tools use for a profile that names no address."""


class _Unreached(OutOfReach):
    """A server does not answer at all."""


@dataclass(frozen=True)
class Connection:
    """A server that answers, has our search attributes, and shares our data converter."""

    client: Client
    server: EmbeddedServer | None  # the embedded server; None for a server of your own

    @property
    def embedded(self) -> bool:
        return self.server is not None

    async def watch_server(self) -> None:
        """Wait for as long as the embedded server lives; for ever on a server of your own."""
        # Workers and clients reconnect for ever, so nothing else notices that nobody will restart
        # an embedded server that was killed.
        if self.server is None:
            await asyncio.Event().wait()
            return
        await self.server.wait_for_end()
        raise OutOfReach(_ENDED)

    async def run_while_connected(self, work: Awaitable[T]) -> T:
        return await run_with_background(work, self.watch_server())


async def run_with_background(work: Awaitable[T], other: Awaitable[None]) -> T:
    """Do some work; what goes on beside it ends with it, or ends it by failing."""
    main, aside = asyncio.ensure_future(work), asyncio.ensure_future(other)
    try:
        await asyncio.wait({main, aside}, return_when=asyncio.FIRST_COMPLETED)
        if not main.done():
            aside.result()
        return await main
    finally:
        main.cancel()
        aside.cancel()
        # What it shows must have been put away before anything else is said.
        await asyncio.gather(main, aside, return_exceptions=True)


@asynccontextmanager
async def connect(settings: Settings, address: str | None = None) -> AsyncIterator[Connection]:
    """Connect to the server that the environment or a Temporal profile names, else embed one."""
    await asyncio.to_thread(require_blobs, settings)
    key = load_encryption_key(settings)
    converter = build_data_converter(open_blobs(settings, settings.payloads_folder), key)
    config = read_temporal_config() if address is None else ClientConnectConfig(target_host=address)
    try:
        if config is not None:
            client = await _reach(config, converter)
            async with _translate_loss(client.service_client.config.target_host, None):
                yield Connection(client, None)
            return
        async with (
            _translate_full_disk(settings),
            open_embedded_server(settings) as server,
            _translate_loss(server.address, server),
        ):
            # To pack what stays on this machine is 4% of the work of its server.
            client = await _reach({"target_host": server.address}, converter, GrpcCompression.NONE)
            yield Connection(client, server)
    finally:
        await asyncio.sleep(_SETTLE_S)


@asynccontextmanager
async def _translate_loss(address: str, server: EmbeddedServer | None) -> AsyncIterator[None]:
    """Say that the server went, whichever call was under way: each fails in its own words."""
    try:
        yield
    except (_Unreached, RPCError, RuntimeError) as error:
        # RuntimeError is the SDK's for a server that went while a worker was being started.
        if server is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(server.wait_for_end(), _GOES_S)
                raise OutOfReach(_ENDED) from error
        if isinstance(error, RPCError) and error.status in _SILENCES:
            raise OutOfReach(
                f"The Temporal server at {address} does not answer any more "
                f"({error.status.name.lower()}): nothing is lost, try again when it runs."
            ) from error
        raise


_SILENCES = {
    RPCStatusCode.CANCELLED,
    RPCStatusCode.DEADLINE_EXCEEDED,
    RPCStatusCode.UNAVAILABLE,
    RPCStatusCode.UNKNOWN,
}
"""What calls end with where nobody answers them."""


@asynccontextmanager
async def _translate_full_disk(settings: Settings) -> AsyncIterator[None]:
    """Say what is behind it when a server that has no space left does not answer any more."""
    try:
        yield
    except (Problem, RuntimeError) as error:
        full = find_full_disk(settings)
        is_other = isinstance(error, Problem) and error.exit_code is not ExitCode.OUT_OF_REACH
        if full is None or is_other:
            raise
        raise full from error


def read_temporal_config() -> ClientConnectConfig | None:
    """Read the environment and the profile file as every Temporal tool does."""
    try:
        config = ClientConfig.load_client_connect_config()
    except RuntimeError as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise OutOfReach(
            f"Your Temporal configuration cannot be used ({reason}): correct TEMPORAL_PROFILE and "
            "the profile file, or unset TEMPORAL_PROFILE to use the embedded server."
        ) from None
    if "target_host" in config:
        return config
    if os.environ.get("TEMPORAL_PROFILE"):
        return {**config, "target_host": _DEFAULT_ADDRESS}
    return None


async def _reach(
    config: ClientConnectConfig,
    converter: DataConverter,
    compression: GrpcCompression = GrpcCompression.GZIP,
) -> Client:
    address = config["target_host"]
    namespace = config.get("namespace", "default")
    try:
        async with asyncio.timeout(REACH_S):
            client = await Client.connect(
                **config, data_converter=converter, grpc_compression=compression
            )
            await client.workflow_service.describe_namespace(
                DescribeNamespaceRequest(namespace=namespace)
            )
        await register_search_attributes(client)
    except (RPCError, RuntimeError, ValueError, TimeoutError) as error:
        # RuntimeError and ValueError are the SDK's for a refused connection and a bad address.
        raise _build_server_problem(error, address, namespace) from None
    return client


def _build_server_problem(error: Exception, address: str, namespace: str) -> OutOfReach:
    status = error.status if isinstance(error, RPCError) else None
    if status is RPCStatusCode.NOT_FOUND:
        return OutOfReach(
            f"The Temporal server at {address} has no namespace {namespace!r}: create it with "
            f"`temporal operator namespace create --namespace {namespace}`, or set "
            "TEMPORAL_NAMESPACE."
        )
    if status in {RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNAUTHENTICATED}:
        return OutOfReach(
            f"The Temporal server at {address} refuses access to namespace {namespace!r}: correct "
            "TEMPORAL_API_KEY or the TLS certificate of your Temporal profile."
        )
    return _Unreached(
        f"The Temporal server at {address} cannot be reached: start it, correct TEMPORAL_ADDRESS "
        "or your Temporal profile, or unset them to use the embedded server."
    )

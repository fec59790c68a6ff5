"""How values travel: Pydantic on the wire, large payloads beside the history."""

import asyncio
import dataclasses
import functools
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from temporalio import converter
from temporalio.api.common.v1 import Payload
from temporalio.common import RawValue
from temporalio.contrib.pydantic import PydanticPayloadConverter, pydantic_data_converter
from temporalio.exceptions import ApplicationError

from caveat.contracts.envelope import PAYLOAD_LOST
from caveat.failures import PortFailure
from caveat.ports import Blobs
from caveat.problem import Problem
from caveat.workers.codec import LOST, EncryptionKey, KeyedCodec

THRESHOLD = 64 * 1024
"""Bytes from which a payload leaves the history: what a subagent returns of one source stays, what
holds all claims goes. At 256 KB a run of 30 sources leaves 1.3 MB on the server, so 0.3; at 16 KB
the same, with 20% more CPU of the worker."""

_SHA256 = re.compile(r"[0-9a-f]{64}")


class PayloadProblem(Problem, ApplicationError):
    """A stored payload is missing or damaged; the message names the place."""

    # As a failure of Temporal's it ends a workflow that cannot do without the payload, where any
    # other exception would fail its workflow task again and again.

    def __init__(self, message: str) -> None:
        ApplicationError.__init__(self, message, type=PAYLOAD_LOST, non_retryable=True)

    def __str__(self) -> str:
        return self.message


@functools.cache
def _converters() -> tuple[converter.EncodingPayloadConverter, ...]:
    """Make what encodes and decodes, once a process."""
    # The SDK makes a converter for each task of a workflow and of an activity, and each would build
    # anew what validates the contracts that it meets.
    return tuple(PydanticPayloadConverter().converters.values())


class LenientPayloadConverter(PydanticPayloadConverter):
    """Decodes what a run was not promised a type for, whatever it is.

    A run and its signals take raw arguments and validate them themselves. A payload that cannot
    even be decoded (broken JSON, an encoding that nobody knows, a forged reference) would fail the
    workflow task again and again before their code sees it; here it arrives as its bytes and is
    refused by name. Where its type has something that stands for it (`from_problem`), as what a
    subagent returned has, a failure of that task arrives.
    """

    def __init__(self) -> None:
        """Encode and decode with what every other one does: see `_converters`."""
        converter.CompositePayloadConverter.__init__(self, *_converters())

    def from_payloads(
        self, payloads: Sequence[Payload], type_hints: list[type] | None = None
    ) -> list[Any]:
        """Decode as Pydantic does; without type hints, undecodable payloads become bytes."""
        if not type_hints:
            return [self._decode_untyped(payload) for payload in payloads]
        hints = [*type_hints, *(type_hints[-1:] * (len(payloads) - len(type_hints)))]
        return [
            self._replace_lost(payload, hint)
            if payload.metadata.get("encoding") == LOST and hint is not RawValue
            else super(LenientPayloadConverter, self).from_payloads([payload], [hint])[0]
            for payload, hint in zip(payloads, hints, strict=False)
        ]

    @staticmethod
    def _replace_lost(payload: Payload, hint: type) -> object:
        problem = payload.data.decode()
        stand_in = getattr(hint, "from_problem", None)
        if stand_in is None:
            raise PayloadProblem(problem)
        return stand_in(problem)

    def _decode_untyped(self, payload: Payload) -> Any:
        try:
            return super().from_payloads([payload])[0]
        except (KeyError, RuntimeError, ValueError):
            # An unknown encoding; Temporal's own wrapper; Pydantic's and the JSON parser's errors.
            return payload.data


@dataclass(frozen=True)
class CarefulStorage(converter.ExternalStorage):
    """Fetches payloads; what cannot be fetched arrives as the reason, and not as an exception."""

    # A reference is a payload like any other, and anybody who may start a run can write one: that
    # names a driver that nobody has, an address that is none, or text that is no reference at all.

    async def _retrieve_payload(self, payload: Payload) -> Payload:
        try:
            return await super()._retrieve_payload(payload)
        except PortFailure:  # of the disk or the network: another attempt may succeed
            raise
        except PayloadProblem as problem:
            reason = str(problem)
        except Exception as error:  # noqa: BLE001  # whatever a forged reference makes the SDK raise
            reason = f"A reference to a stored payload cannot be read ({type(error).__name__})."
        return Payload(metadata={"encoding": LOST}, data=reason.encode())

    fetch_payload = _retrieve_payload  # one that refers to nothing is returned as it is

    async def _retrieve_payload_sequence(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [await self._retrieve_payload(payload) for payload in payloads]


class BlobStorage(converter.StorageDriver):
    # The address of a payload is the SHA-256 of its bytes, so replays that store it again change
    # nothing. Every worker and client of one server needs the same blobs.

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs

    def name(self) -> str:
        """Name this driver in histories; changing it makes stored payloads unreadable."""
        # It is the same wherever they are: a folder that is moved into a bucket keeps its runs.
        return "caveat-folder"

    async def store(
        self, context: converter.StorageDriverStoreContext, payloads: Sequence[Payload]
    ) -> list[converter.StorageDriverClaim]:
        return [await asyncio.to_thread(self._keep, payload) for payload in payloads]

    async def retrieve(
        self,
        context: converter.StorageDriverRetrieveContext,
        claims: Sequence[converter.StorageDriverClaim],
    ) -> list[Payload]:
        return [await asyncio.to_thread(self._open, claim) for claim in claims]

    def _keep(self, payload: Payload) -> converter.StorageDriverClaim:
        content = payload.SerializeToString(deterministic=True)
        address = hashlib.sha256(content).hexdigest()
        # Before it is referred to: a history must never name half a payload.
        self._blobs.keep(_name(address), content, lambda stored: _is_of(stored, address))
        return converter.StorageDriverClaim({"sha256": address})

    def _open(self, claim: converter.StorageDriverClaim) -> Payload:
        address = claim.claim_data.get("sha256", "")
        if not _SHA256.fullmatch(address):
            raise PayloadProblem(f"A stored payload has no valid address: {address[:80]!r}.")
        content = self._blobs.get(_name(address))
        if content is None:
            raise PayloadProblem(
                f"The stored payload {address} is missing from {self._blobs.locate()}; put back "
                "what this run was started with."
            )
        if not _is_of(content, address):
            raise PayloadProblem(
                f"The stored payload {address} in {self._blobs.locate()} is damaged; restore it "
                "from a backup."
            )
        return Payload.FromString(content)


def _name(address: str) -> str:
    return f"{address[:2]}/{address}"


def _is_of(content: bytes, address: str) -> bool:
    return hashlib.sha256(content).hexdigest() == address


def build_data_converter(
    payloads: Blobs, key: EncryptionKey | None = None
) -> converter.DataConverter:
    """Return the converter that every client and worker of a server must share."""
    storage = CarefulStorage(drivers=[BlobStorage(payloads)], payload_size_threshold=THRESHOLD)
    return dataclasses.replace(
        pydantic_data_converter,
        payload_converter_class=LenientPayloadConverter,
        # There without a key too: a worker that lacks it must not take ciphertext for a request.
        payload_codec=KeyedCodec(key),
        failure_converter_class=(
            converter.DefaultFailureConverterWithEncodedAttributes
            if key
            else converter.DefaultFailureConverter
        ),
        external_storage=storage,
    )

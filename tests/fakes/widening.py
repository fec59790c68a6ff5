"""What a later version writes: every object has one field more."""

from collections.abc import Mapping, Sequence
from typing import Any

from temporalio.api.common.v1 import Payload

from caveat.contracts.base import Contract
from caveat.workers.data import LenientPayloadConverter


def widen(value: object, name: str = "added_later") -> object:
    """Write a value as a later version might: each of its objects has one field more."""
    if isinstance(value, Contract):
        own = {field: getattr(value, field) for field in type(value).model_fields}
        return {field: widen(each, name) for field, each in own.items()} | {name: {"later": [1]}}
    if isinstance(value, Mapping):
        return {key: widen(each, name) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [widen(each, name) for each in value]
    return value


class LaterPayloadConverter(LenientPayloadConverter):
    """Encodes as a later version does."""

    def to_payloads(self, values: Sequence[Any]) -> list[Payload]:
        return super().to_payloads([widen(value) for value in values])

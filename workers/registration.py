"""Makes sure that a server knows our search attributes before a run uses them.

A run that sets an attribute which its server does not know is stuck in its first workflow task.
"""

import asyncio
import time
from typing import Any

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import (
    AddSearchAttributesRequest,
    ListSearchAttributesRequest,
)
from temporalio.client import Client
from temporalio.common import SearchAttributeIndexedValueType, SearchAttributeKey
from temporalio.service import RPCError, RPCStatusCode

from caveat.problem import OutOfReach
from caveat.workflows.names import ALL

_USABLE_S = 60.0
"""Seconds until a new attribute can be used: servers read their list of them once a minute."""

_REFUSED = frozenset({RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNIMPLEMENTED})
"""How a server answers that leaves its search attributes to its administrators."""

Key = SearchAttributeKey[Any]

_NUMBERS = frozenset({SearchAttributeIndexedValueType.INT, SearchAttributeIndexedValueType.DOUBLE})


def name_type(key: Key) -> str:
    """Name the type of a search attribute as the Temporal CLI does, such as `Keyword`."""
    return key.indexed_value_type.name.title().replace("_", "")


async def register_search_attributes(client: Client) -> None:
    """Register the search attributes that a namespace lacks, and wait until they can be used."""
    listing = ListSearchAttributesRequest(namespace=client.namespace)
    try:
        known = (await client.operator_service.list_search_attributes(listing)).custom_attributes
        for key in ALL:
            if known.get(key.name, key.indexed_value_type) != key.indexed_value_type:
                raise OutOfReach(
                    f"The search attribute {key.name} exists on the Temporal server with another "
                    f"type than {name_type(key)}: run `temporal operator search-attribute remove "
                    f"--yes --namespace {client.namespace} --name {key.name}` and try again."
                )
        missing = {
            key.name: IndexedValueType.ValueType(key.indexed_value_type)
            for key in ALL
            if key.name not in known
        }
        if missing:
            await client.operator_service.add_search_attributes(
                AddSearchAttributesRequest(namespace=client.namespace, search_attributes=missing)
            )
            deadline = time.monotonic() + _USABLE_S
            while not await _has_attributes(client):
                if time.monotonic() > deadline:
                    raise OutOfReach(
                        "The Temporal server registered Caveat's search attributes and does not "
                        f"accept them after {_USABLE_S:.0f} seconds: try again in a minute."
                    )
                await asyncio.sleep(0.2)
    except RPCError as error:
        if error.status not in _REFUSED:
            raise
        # It may be that an administrator has registered them already.
        if not await _has_attributes(client):
            attributes = " ".join(f"--name {key.name} --type {name_type(key)}" for key in ALL)
            raise OutOfReach(
                "The Temporal server lacks Caveat's search attributes and does not let us "
                "register them: have an administrator run `temporal operator search-attribute "
                f"create --namespace {client.namespace} {attributes}`."
            ) from None


async def _has_attributes(client: Client) -> bool:
    # A list filter that a server accepts only when it knows all, each with its type.
    probe = " AND ".join(
        f"{key.name} = 0" if key.indexed_value_type in _NUMBERS else f'{key.name} = "x"'
        for key in ALL
    )
    try:
        await client.count_workflows(probe)
    except RPCError as error:
        if error.status is RPCStatusCode.INVALID_ARGUMENT:
            return False
        raise
    return True

"""Credentials of a worker that calls models with a key."""

import hashlib
from dataclasses import dataclass, field

from caveat.adapters.claude.keys import Keys
from caveat.adapters.claude.problems import PROVIDER
from caveat.failures import forbidden


@dataclass(frozen=True, eq=False)
class RefusedKeys:
    """The keys that a server refused, by their hash: no key is kept for longer than its call."""

    _hashes: set[bytes] = field(default_factory=set, init=False, repr=False)

    def note(self, key: str) -> None:
        """Take note of a refusal."""
        self._hashes.add(_hash(key))

    def __contains__(self, key: str) -> bool:
        return _hash(key) in self._hashes


REFUSED = RefusedKeys()
"""What this process knows: whoever calls and whoever refreshes need not know each other."""


@dataclass(frozen=True)
class KeyCredentials:
    """Looks whether there is another key than the one that was refused; it makes none itself.

    Where the key was refused in another process than this one, nothing is known of it here, and the
    call that is made again finds out.

    Attributes:
        keys: where keys come from.
        refused: what connections take note in.
    """

    keys: Keys
    refused: RefusedKeys = REFUSED

    async def refresh(self, provider: str) -> None:
        """Find a key that was not refused.

        Raises:
            PortFailure: there is none, or it is another provider's that is wanted.
        """
        if provider != PROVIDER:
            raise forbidden(f"This worker has no credentials for {provider}.", resource=provider)
        if await self.keys.current() in self.refused:
            message = f"The API key for {provider} is still the one that was refused."
            raise forbidden(message, resource=provider)


def _hash(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()

"""Credentials of a worker whose adapters need none."""

from caveat.failures import forbidden


class NoCredentials:
    """Has nothing to refresh: the corpus and the extractive reasoner call no provider."""

    async def refresh(self, provider: str) -> None:
        """Refuse, so that nobody waits for credentials that will not come."""
        raise forbidden(f"This worker has no credentials for {provider}.", resource=provider)

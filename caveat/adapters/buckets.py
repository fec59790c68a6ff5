"""Blobs in a bucket of S3, Google Cloud Storage or Azure, or of what speaks like one of them."""

import datetime as dt
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import obstore
from obstore import exceptions
from obstore.store import from_url

from caveat import failures
from caveat.contracts.envelope import FailureType
from caveat.failures import PortFailure
from caveat.ports import Kept

if TYPE_CHECKING:
    from obstore.store import ClientConfig, ObjectStore, RetryConfig

RENEWED = dt.timedelta(days=1)
"""Age from which what is kept again is written again, so that a rule of the bucket that removes
what is old spares it; more often would cost a write each time that a run reads what others read."""

_RETRIES: "RetryConfig" = {
    "max_retries": 2,
    "backoff": {
        "init_backoff": dt.timedelta(milliseconds=100),
        "max_backoff": dt.timedelta(seconds=1),
        "base": 2,
    },
    "retry_timeout": dt.timedelta(seconds=10),
}
"""Buckets refuse a request now and then and expect it again at once. Temporal would repeat the task
whose result it was, with all that this paid for; whatever lasts longer is left to Temporal."""

_TIMEOUT = dt.timedelta(seconds=60)
"""Of one request: what 5,000 sources brought is 36 MB, on a line of 10 Mbit/s half a minute."""

_CONNECT = dt.timedelta(seconds=5)
"""To reach the server of the bucket: a slow network takes two, a dead one never answers."""

_ENDPOINTS = (
    "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT", "AZURE_STORAGE_ENDPOINT",
    "AZURE_ENDPOINT",
)  # fmt: skip
"""Variables that name another server than the vendor's; one of them may be without TLS."""

_CHANGES = 60
"""Times that a change is made anew because somebody else was faster: a run has tens of writers at
most, and each round lets one of them through."""

_LISTED = 1_000  # objects that a list takes at once: as many as S3 names in an answer

_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound", "specified bucket does not exist")
"""What the vendors say where there is no bucket, which is no missing blob."""


@dataclass(frozen=True)
class BucketBlobs:
    """Keeps each blob as an object of its name; see `ports.Blobs`."""

    # No message repeats what a vendor says: it may name a key.

    store: "ObjectStore"
    url: str  # of that, without a slash at its end

    @property
    def grace_s(self) -> float:
        return RENEWED.total_seconds()

    def locate(self, name: str = "") -> str:
        return f"{self.url}/{name}" if name else self.url

    def get(self, name: str) -> bytes | None:
        stored = self._fetch_object(name)
        return None if stored is None else stored[0]

    def put(self, name: str, content: bytes) -> None:
        self._put(name, content, "overwrite")

    def create(self, name: str, content: bytes) -> bool:
        return self._put(name, content, "create")

    def keep(self, name: str, content: bytes, is_sound: Callable[[bytes], bool]) -> None:
        """Write an object unless it is there, sound and young; see `ports.Blobs`."""
        if self.create(name, content):
            return
        stored = self._fetch_object(name)
        if stored is not None and is_sound(stored[0]):
            age = dt.datetime.now(dt.UTC) - stored[1]["last_modified"]
            if age < RENEWED:
                return
        self.put(name, content)

    def change(self, name: str, change: Callable[[bytes | None], bytes]) -> None:
        """Write an object anew if it is what was read, else begin again; see `ports.Blobs`."""
        for _ in range(_CHANGES):
            if self._try_change(name, change):
                return
            # By chance, so that two that met do not meet again.
            time.sleep(random.uniform(0, 0.1))  # noqa: S311  # nothing secret
        raise failures.unavailable(
            f"{self.locate(name)} keeps being changed by other processes.",
            resource=self.locate(name),
        )

    def renew(self, name: str) -> None:
        """Do nothing: objects have no time that could be set; see `ports.Blobs`."""

    def remove(self, name: str) -> None:
        with self._translate_errors(name), suppress(FileNotFoundError):
            obstore.delete(self.store, name)

    def list_names(self, within: str = "") -> tuple[str, ...]:
        with self._translate_errors(within):
            listing = obstore.list_with_delimiter(self.store, within.rstrip("/") or None)
        folders = (f"{each.rstrip('/')}/" for each in listing["common_prefixes"])
        names = (*folders, *(each["path"] for each in listing["objects"]))
        return tuple(sorted(each.removeprefix(within) for each in names))

    def list_all(self) -> Iterator[Kept]:
        with self._translate_errors(""):
            for each in chain.from_iterable(obstore.list(self.store, chunk_size=_LISTED)):
                yield Kept(each["path"], each["size"], each["last_modified"].timestamp())

    def remove_old(self, name: str, before: float) -> bool:
        """Look once more, and remove an object; see `ports.Blobs`."""
        # No vendor removes an object on the condition that it is still the one that was looked at:
        # what is written again between the look and the removal, some milliseconds, goes.
        with self._translate_errors(name), suppress(FileNotFoundError):
            if obstore.head(self.store, name)["last_modified"].timestamp() < before:
                obstore.delete(self.store, name)
                return True
        return False

    def require_usable(self) -> None:
        """Look for something that is not there, which only a bucket answers that can be used."""
        self.get("caveat-asks-whether-this-is-here")

    def _put(self, name: str, content: bytes, mode: "obstore.PutMode") -> bool:
        """Write an object; False where the mode says that it must not be."""
        refused = exceptions.AlreadyExistsError, exceptions.PreconditionError
        with self._translate_errors(name), suppress(*refused):
            obstore.put(self.store, name, content, mode=mode, use_multipart=False)
            return True
        return False

    def _fetch_object(self, name: str) -> "tuple[bytes, obstore.ObjectMeta] | None":
        try:
            with self._translate_errors(name):
                fetched = obstore.get(self.store, name)
                return fetched.bytes().to_bytes(), fetched.meta
        except PortFailure as error:
            if error.failure.failure_type is not FailureType.NOT_FOUND:
                raise
            return None

    def _try_change(self, name: str, change: Callable[[bytes | None], bytes]) -> bool:
        stored = self._fetch_object(name)
        if stored is None:
            return self._put(name, change(None), "create")
        content, meta = stored
        versions = {"e_tag": meta["e_tag"], "version": meta["version"]}
        known: obstore.UpdateVersion = {k: v for k, v in versions.items() if v is not None}  # type: ignore[assignment]  # its keys are those of the type
        return self._put(name, change(content), known)

    @contextmanager
    def _translate_errors(self, name: str) -> Iterator[None]:
        """Let what a bucket answers leave as a failure of the port."""
        try:
            yield
        except (exceptions.BaseError, FileNotFoundError) as error:
            raise self._build_failure(error, name) from None

    def _build_failure(self, error: Exception, name: str) -> PortFailure:
        where = self.locate(name)
        text = str(error)
        if any(each in text for each in _NO_BUCKET):
            return failures.unavailable(f"There is no bucket for {self.url}.", resource=where)
        match error:
            case FileNotFoundError():
                return failures.not_found(f"There is no {where}.", resource=where)
            case exceptions.PermissionDeniedError() | exceptions.UnauthenticatedError():
                refused = "is refused: its credentials are not taken, or may not do that."
                return failures.forbidden(f"Access to {where} {refused}", resource=where)
            case exceptions.NotSupportedError() | exceptions.InvalidPathError():
                return failures.invalid(f"{where} cannot be kept there.", resource=where)
            case _:
                return failures.unavailable(f"{where} does not answer.", resource=where)


def open_bucket(url: str) -> BucketBlobs:
    """Open a bucket at a prefix; nothing is asked of it yet.

    Args:
        url: `s3://bucket/prefix`, `gs://bucket/prefix` or `az://container/prefix`; credentials and
            the like are those of the environment, as the vendor names them.
    """
    plain = any(os.environ.get(each, "").startswith("http://") for each in _ENDPOINTS)
    options: ClientConfig = {
        "timeout": _TIMEOUT, "connect_timeout": _CONNECT, "allow_http": plain,
    }  # fmt: skip
    try:
        store = from_url(url, client_options=options, retry_config=_RETRIES)
    except (exceptions.BaseError, ValueError) as error:
        # Of a vendor's words the first line names what is missing, and no value.
        raise failures.invalid(_describe_missing(error), resource=url) from None
    return BucketBlobs(store, url.rstrip("/"))


def _describe_missing(error: Exception) -> str:
    known = {
        "MissingAccessKeyId": "AWS_ACCESS_KEY_ID is not set",
        "MissingSecretAccessKey": "AWS_SECRET_ACCESS_KEY is not set",
        "MissingAccount": "AZURE_STORAGE_ACCOUNT_NAME is not set",
    }
    text = str(error)
    return next((words for kind, words in known.items() if kind in text), "it cannot be opened")

"""Answers that were paid for, kept so that whoever asks the same again does not pay again."""

import logging
from dataclasses import dataclass

from pydantic import ValidationError

from caveat.adapters.claude.messages.connection import ModelReply
from caveat.contracts.failure import FailureType
from caveat.failures import PortFailure
from caveat.ports import Blobs
from caveat.threads import wait_in_thread

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class KeptAnswers:
    """Keeps answers by the address of the call that they answer, as `ab/abcdef….json`."""

    # One that cannot be read is as good as none, and a place that cannot be written costs money and
    # not the answer: both are logged.

    blobs: Blobs  # where

    @wait_in_thread
    def keep(self, address: str, answer: ModelReply) -> None:
        """Keep an answer; one that is there already is replaced."""
        try:
            self.blobs.put(_name(address), answer.model_dump_json().encode())
        except PortFailure as error:
            _log.warning("An answer cannot be kept (%s)", error)

    @wait_in_thread
    def recall(self, address: str) -> ModelReply | None:
        """Return the answer to a call, None where there is none that is whole."""
        name = _name(address)
        try:
            answer = ModelReply.model_validate_json(self.blobs.get(name))
        except PortFailure as error:
            if error.failure.failure_type is not FailureType.NOT_FOUND:
                _log.warning("A kept answer cannot be read (%s); it is paid for anew", error)
            return None
        except ValidationError as error:  # whose own text holds the answer
            kind = type(error).__name__
            _log.warning("A kept answer cannot be read (%s); it is paid for anew", kind)
            return None
        self.blobs.renew(name)
        return answer

    @wait_in_thread
    def forget(self, address: str) -> None:
        try:
            self.blobs.remove(_name(address))
        except PortFailure as error:
            _log.warning("A kept answer cannot be removed (%s)", error)


def _name(address: str) -> str:
    return f"{address[:2]}/{address}.json"

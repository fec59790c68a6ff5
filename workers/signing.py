"""What is this user's alone: secrets, folders, and the signatures of their own commands.

Every process of ours that keeps something sets its umask first thing, and its children inherit it.
Everybody who reaches a Temporal server can start runs on it and answer its questions. A key, which
never leaves the state folder, tells what this user's commands sent from the rest.
"""

import errno
import hashlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from caveat import atomic
from caveat.contracts.contradiction import Ruling, RulingRecord, Signature, Withdrawal
from caveat.contracts.plan import Grant, ResearchRequest
from caveat.problem import OutOfReach
from caveat.rules.contradictions.choices import normalise_choice
from caveat.workers.settings import Settings, SettingsProblem

_SECRET_BYTES = 32  # 256 bits, as many as the digest has that secrets sign with (RFC 2104, 3)

_DIFFERENT_BYTES = 8  # random 32 have 30; what a crash leaves of a file is zeros


def load_secret(file: Path, name: str) -> bytes:
    """Read a secret that Caveat makes for itself, making it first where there is none."""
    try:
        if not file.exists():
            # Where two processes make one, the first one's stays.
            atomic.create(file, secrets.token_urlsafe(_SECRET_BYTES).encode())
        secret = file.read_bytes()
    except OSError as error:
        raise OutOfReach(
            f"{file}, {name}, cannot be used ({error.strerror}): make it readable for you, and its "
            "disk writable, or set CAVEAT_STATE_DIR to another folder."
        ) from None
    if len(secret) < _SECRET_BYTES or len(set(secret)) < _DIFFERENT_BYTES:
        raise SettingsProblem(
            f"{file}, {name}, is empty or too short to be a secret: delete it, and a new one is "
            "made."
        )
    return secret


def load_token(settings: Settings) -> str:
    """Read the token of the page, which stands in addresses."""
    return load_secret(settings.web_token, "the page's token").decode(errors="replace").strip()


def make_private_folder(folder: Path, setting: str = "CAVEAT_STATE_DIR") -> None:
    """Make a folder of the state or the cache, closed to others whatever the umask of a host is."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise SettingsProblem(
            f"The folder {folder} cannot be written ({error.strerror}): set {setting} to a folder "
            "that you may write."
        ) from None


Answer = TypeVar("Answer", bound=Withdrawal)

_SHOWN = 24  # hexadecimal digits of a name, 96 bits: no two accounts of a lifetime share one


@dataclass(frozen=True)
class Signer:
    key: bytes

    def add_grant(self, run_id: str, request: ResearchRequest) -> ResearchRequest:
        if not request.corpus:
            return request
        grant = self.grant(run_id, request.topic, request.corpus)
        return request.model_copy(update={"grant": grant})

    def grant(self, run_id: str, topic: str, folders: tuple[str, ...]) -> Grant:
        signature = compute_mac(self.key, "folders", run_id, topic, *folders)
        return Grant(run_id=run_id, folders=folders, topic=topic, signature=signature)

    def has_signed_grant(self, grant: Grant) -> bool:
        made = compute_mac(self.key, "folders", grant.run_id, grant.topic, *grant.folders)
        return hmac.compare_digest(made, grant.signature)

    def name_account(self, *account: str) -> str:
        """Name an account without revealing it: nobody without the key can try out guesses."""
        return compute_mac(self.key, "account", *account)[:_SHOWN]

    def sign_answer(self, arbitration: str, answer: Answer) -> Answer:
        choice = answer.ruling if isinstance(answer, Ruling) else None
        mac = compute_mac(
            self.key, "ruling", arbitration, choice or "", answer.reason, answer.decided_by
        )
        return answer.model_copy(update={"signature": Signature(choice=choice, mac=mac)})

    def is_valid(self, ruling: RulingRecord, signature: Signature) -> bool:
        arbitration = f"{ruling.run_id}/{ruling.contradiction_id}"
        choice = signature.choice
        parts = ("ruling", arbitration, choice or "", ruling.reason, ruling.decided_by)
        if not hmac.compare_digest(compute_mac(self.key, *parts), signature.mac):
            return False
        return (choice and normalise_choice(choice, len(ruling.claimants))) == ruling.choice


def compute_mac(key: bytes, *parts: str) -> str:
    """Sign a list of texts (RFC 2104): as JSON no two lists are written alike."""
    return hmac.new(key, json.dumps(parts).encode(), hashlib.sha256).hexdigest()


def load_signer(settings: Settings) -> Signer:
    """Read the key of the state folder, making it first where there is none."""
    return Signer(load_secret(settings.signing_key, "the signing key"))

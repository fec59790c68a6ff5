"""Signatures of the user who can read the state folder, in any process of theirs.

Everybody who reaches a Temporal server can start runs on it and answer its questions. The key tells
what this user's commands sent from the rest. It never leaves the state folder.
"""

import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import TypeVar

from caveat.contracts.contradiction import Ruling, RulingRecord, Signature, Withdrawal
from caveat.contracts.plan import Grant, ResearchRequest
from caveat.rules.contradictions.choices import normalise_choice
from caveat.workers.privacy import load_secret
from caveat.workers.settings import Settings

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

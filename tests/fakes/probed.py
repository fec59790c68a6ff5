"""A model that is asked what it and its server can do."""

import re
from dataclasses import dataclass

from tests.fakes.messages_api import Fails, Recorded, Says, Scripted

_WORD = re.compile(r"The code word is (zq[0-9a-f]{8})\.")
_REPEATED = re.compile(r"nothing else: (zq[0-9a-f]{8})")


@dataclass
class Probed:
    heeds_schema: bool = True  # whether its server holds answers to a schema that it takes
    reads: int | None = None  # characters of a prompt that reach it, the last ones; None for any
    holds: int | None = None  # characters of the longest prompt that is taken; None for any
    remembers: bool = True  # whether it finds a word of a long prompt again
    admits: bool = True  # whether an answer that is cut off says so

    def __call__(self, request: Recorded) -> Scripted:
        asked = "".join(request.said)
        if self.holds is not None and len(asked) > self.holds:
            return Fails(400, "invalid_request_error")
        text = asked if self.reads is None else asked[-self.reads :]
        tokens = len(text) // 4
        if "from one to two hundred" in asked:
            reason = "max_tokens" if self.admits else "end_turn"
            room = request.body["max_tokens"]
            return Says("one, two, three", reason, {"input_tokens": tokens, "output_tokens": room})
        return Says(self._said(request, text), usage={"input_tokens": tokens, "output_tokens": 3})

    def _said(self, request: Recorded, text: str) -> str:
        if request.schema is not None and self.heeds_schema:
            return '{"sum_of_both": 7}'
        if len(text) > 10_000 and not self.remembers:
            return "Nothing of note."
        found = _REPEATED.search(text) or _WORD.search(text)
        return found[1] if found else "I do not know, seven perhaps."

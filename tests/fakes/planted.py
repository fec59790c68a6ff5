"""What was planted and is looked for, however it is written."""

import base64
import re
from collections.abc import Collection

_URL = bytes.maketrans(b"+/", b"-_")


def find_planted(content: bytes, words: Collection[str]) -> set[str]:
    """Find words in bytes, and in what of them is base64 or hexadecimal: as UTF-8 and as UTF-16."""
    texts = [content]
    for piece in re.findall(rb"[A-Za-z0-9+/_-]{12,}={0,2}", content):
        for shift in range(4):
            whole = piece[shift:].rstrip(b"=")
            whole = whole[: len(whole) - (len(whole) % 4 == 1)]
            texts.append(base64.urlsafe_b64decode(whole.translate(_URL) + b"=" * (-len(whole) % 4)))
    plain = b"\n".join(texts).lower()
    wide = plain.replace(b"\0", b"")
    lower = {word: word.lower().encode() for word in words}
    return {
        word
        for word, each in lower.items()
        if each in plain or each in wide or word.encode().hex().encode() in plain
    }

"""Why a request is not made, or its answer not kept, by rules of this side."""

from typing import ClassVar

from caveat.adapters.http.meanings import ABSENT, UNFIT, Kind


class Refusal(Exception):
    """A rule of this side stops a request; the text completes “The page at … ”.

    Attributes:
        kind: what it means for the request.
    """

    kind: ClassVar[Kind] = UNFIT


class RefusedAddress(Refusal):
    """The URL or what its name resolves to is not a public web address."""


class TooLarge(Refusal):
    """The body passes its bound, before or after decompression."""


class WrongType(Refusal):
    """The content type or encoding is none that can be read."""


class Malformed(Refusal):
    """The answer breaks a rule of HTTP that everything else relies on."""


class Unresolvable(Refusal):
    """The domain name system does not know the name of the host."""

    kind: ClassVar[Kind] = ABSENT

"""Why a page is not read although its server may be willing to send it."""

from typing import ClassVar

from caveat.adapters.http.meanings import CLOSED, DOWN, WITHHELD, Kind
from caveat.adapters.http.refusals import Refusal


class TooManyRedirects(Refusal):
    """The page redirects more often than is followed, or in a circle."""


class Disallowed(Refusal):
    """The site's robots.txt asks programs to stay away."""

    kind: ClassVar[Kind] = WITHHELD


class Useless(Refusal):
    """The page came and holds nothing that can be read."""

    kind: ClassVar[Kind] = WITHHELD


class Paywalled(Refusal):
    """The page is for sale; what it shows all the same is not taken."""

    kind: ClassVar[Kind] = CLOSED


class Late(Refusal):
    """This machine had too much to do to read the page; another time may be better."""

    kind: ClassVar[Kind] = DOWN


class Unsettled(Refusal):
    """Whether robots.txt allows the page cannot be told now."""

    kind: ClassVar[Kind] = DOWN

"""Why the fetcher itself does not fetch something, or does not keep what came."""


class Refusal(Exception):
    """The fetcher's own rules stop a fetch; the text completes “The page at … ”."""


class RefusedAddress(Refusal):
    """The URL or what its name resolves to is not a public web address."""


class TooManyRedirects(Refusal):
    """The page redirects more often than is followed, or in a circle."""


class TooLarge(Refusal):
    """The body passes its bound, before or after decompression."""


class WrongType(Refusal):
    """The content type or encoding is none that can be read."""


class Malformed(Refusal):
    """The answer breaks a rule of HTTP that everything else relies on."""


class Disallowed(Refusal):
    """The site's robots.txt asks programs to stay away."""


class Unreadable(Refusal):
    """The page came and holds nothing that can be read."""


class Paywalled(Refusal):
    """The page is for sale; what it shows all the same is not taken."""


class Unresolvable(Exception):
    """A name that the domain name system does not know."""


class Unsettled(Exception):
    """Whether robots.txt allows the page cannot be told now."""

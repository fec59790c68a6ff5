"""When two addresses are the same source."""

import hashlib
import re
from urllib.parse import SplitResult, quote, unquote, urlsplit

ID_DIGITS = 10
"""40 bits: among the 10,000 sources of a large run the odds of one collision are 1 in 20,000."""

_DOI = re.compile(
    r"(?:doi:\s*|(?:https?://)?(?:www\.|dx\.)?doi\.org/+)?(10\.\d{4,9}/\S+)", re.IGNORECASE
)
_TRACKING = re.compile(
    r"(?:utm_\w+|(?:g|fb|d|y|ms|tw)cl(?:id|kid|src)|gbraid|wbraid|mc_[ce]id|igshid|mkt_tok|"
    r"_hs(?:enc|mi)|_ga|_gl|ref_src|cmpid|spm)",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_UNWRITTEN = re.compile(r"[\s\x00-\x1f\x7f]")
_HOST = re.compile(r"(?=.*\w)[\w.-]+|[0-9a-f.]*+:[0-9a-f:.]*")
_DEFAULT_PORTS = frozenset({None, 80, 443})


def canonical_url(url: str) -> str:
    """Write an address in the one form that all spellings of the same page share.

    For comparing, not for fetching: `http` becomes `https`, and `www.`, fragment, tracking
    parameters, default ports and trailing slashes go; the query is sorted; escapes are written
    as RFC 3986, section 6.2.2, wants them. A DOI in any spelling becomes `https://doi.org/10...`
    in lower case, since DOIs do not know case (DOI Handbook, 2.4).

    Args:
        url: an address; what is neither a web address nor a DOI comes back trimmed, unchanged.

    Returns:
        The canonical form; giving it again changes nothing.
    """
    text = url.strip()
    doi = _DOI.fullmatch(text)
    if doi is not None:
        return _canonical_doi(doi.group(1))
    parts = _web_address(text)
    return text if parts is None else _canonical_web(parts)


def source_id(address: str) -> str:
    """Name a source by its address: `s-` and the first digits of the canonical form's SHA-256.

    Args:
        address: a URL, a DOI, or the absolute path of a file.
    """
    canonical = canonical_url(address).encode("utf-8", "surrogateescape")
    return f"s-{hashlib.sha256(canonical).hexdigest()[:ID_DIGITS]}"


def voice(name: str, url: str | None) -> str:
    """Say whose voice a source is: two texts that give one address are of one author.

    Both are read and cited, and together they corroborate nothing.

    Args:
        name: id of the source.
        url: its public address, if it has one.
    """
    return canonical_url(url) if url else name


def web_host(address: str | None) -> str:
    """Return the host of a web address in lower case; empty where there is none.

    Args:
        address: whatever a source calls its address; never raises, however broken that is.
    """
    parts = _web_address((address or "").strip())
    return "" if parts is None else (parts.hostname or "").rstrip(".")


def _canonical_doi(doi: str) -> str:
    plain = unquote(doi.partition("#")[0]).lower().rstrip("/")
    return f"https://doi.org/{quote(plain, safe='/:;()[]<>.,_-~+')}"


def _web_address(text: str) -> SplitResult | None:
    """Split a web address; None when it is none (another scheme, no host, not parsable)."""
    try:
        parts = urlsplit(text)
        host = _HOST.fullmatch((parts.hostname or "").rstrip("."))
        usable = parts.scheme in {"http", "https"} and host is not None and parts.port != -1
    except ValueError:
        return None
    return parts if usable else None


def _canonical_web(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    while host.startswith("www.") and host.count(".") > 1:
        host = host.removeprefix("www.")
    host = f"[{host}]" if ":" in host else host
    port = "" if parts.port in _DEFAULT_PORTS else f":{parts.port}"
    path = _normalised_escapes(parts.path).rstrip("/")
    query = _canonical_query(parts.query)
    return f"https://{host}{port}{path}{'?' if query else ''}{query}"


def _canonical_query(query: str) -> str:
    pairs = [_normalised_escapes(pair) for pair in query.split("&") if pair]
    return "&".join(
        sorted(pair for pair in pairs if not _TRACKING.fullmatch(pair.partition("=")[0]))
    )


def _normalised_escapes(text: str) -> str:
    """Decode escapes of characters that need none, write the others in upper case.

    White space and controls are escaped: browsers do so, and they would not survive trimming.
    """

    def normal(match: re.Match[str]) -> str:
        character = chr(int(match.group(1), 16))
        return character if character in _UNRESERVED else match.group(0).upper()

    return _ESCAPE.sub(normal, _UNWRITTEN.sub(lambda match: quote(match.group()), text))

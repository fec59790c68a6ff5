"""Which addresses may be reached: those that anybody on the internet may reach.

A page names whatever it likes, so a fetcher that follows it is a way into the network that it runs
in. Standards that carry one address inside another are seen through, or refused where the inner
address is somebody else's to choose.
"""

from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_UNICAST = ip_network("2000::/3")
"""All of IPv6 that is given out to anybody (IANA's address space registry); what carries IPv4
inside (mapped, compatible, translated, NAT64) lies outside it."""

_REFUSED: tuple[Network, ...] = (
    ip_network("168.63.129.16/32"),  # Azure's metadata and DNS: public by number, local by routing
    ip_network("100.64.0.0/10"),  # carrier-grade NAT (RFC 6598): neither private nor global
    ip_network("192.0.0.0/24"),  # IETF protocol assignments (RFC 6890)
    ip_network("192.88.99.0/24"),  # 6to4 relays (RFC 7526 withdrew them)
    ip_network("2001::/23"),  # IETF protocol assignments (RFC 2928), Teredo among them
    ip_network("2002::/16"),  # 6to4 (RFC 3056): ends wherever the 32 bits after it say
    ip_network("3fff::/20"),  # documentation (RFC 9637)
)
"""Beside what Python's `is_global` refuses, whose opinion of these differs by version."""


def is_public(address: Address) -> bool:
    """Tell whether an address is one that anybody on the internet may reach.

    Loopback, private, link-local, shared, multicast, reserved and unspecified addresses are not,
    as IANA's special-purpose registries list them; nor are IPv6 addresses that carry one of IPv4,
    and the ranges of `_REFUSED`.
    """
    if isinstance(address, IPv6Address) and address not in _UNICAST:
        return False
    if any(address in network for network in _REFUSED if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast


@dataclass(frozen=True)
class Reach:
    """What a fetcher may reach.

    Attributes:
        exceptions: networks that may be reached although they are not public; none in production.
        ports: TCP ports; where there are exceptions, any port of these may be reached.
    """

    exceptions: tuple[Network, ...] = ()
    ports: frozenset[int] = frozenset({80, 443})

    def allows(self, address: Address, port: int) -> bool:
        """Tell whether a connection may be made."""
        if any(address in net for net in self.exceptions if net.version == address.version):
            return True
        return port in self.ports and is_public(address)

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

_REFUSED: tuple[Network, ...] = (
    ip_network("168.63.129.16/32"),  # Azure's metadata and DNS: public by number, local by routing
    ip_network("100.64.0.0/10"),  # carrier-grade NAT (RFC 6598): neither private nor global
    ip_network("192.88.99.0/24"),  # 6to4 relays (RFC 7526 withdrew them)
    ip_network("::/96"),  # IPv4-compatible (RFC 4291, 2.5.5.1), deprecated
    ip_network("::ffff:0:0/96"),  # IPv4-mapped (RFC 4291, 2.5.5.2): no name server should say it
    ip_network("::ffff:0:0:0/96"),  # IPv4-translated (RFC 2765)
    ip_network("64:ff9b::/96"),  # NAT64 (RFC 6052): ends wherever its last 32 bits say
    ip_network("64:ff9b:1::/48"),  # NAT64 for local use (RFC 8215)
    ip_network("2001::/32"),  # Teredo (RFC 4380)
    ip_network("2002::/16"),  # 6to4 (RFC 3056)
    ip_network("fec0::/10"),  # site-local (RFC 3879), deprecated and still routed by some
)
"""Beside what Python's `is_global` refuses, whose opinion of some of these differs by version."""


def is_public(address: Address) -> bool:
    """Tell whether an address is one that anybody on the internet may reach.

    Loopback, private, link-local, shared, multicast, reserved and unspecified addresses are not,
    as IANA's special-purpose registries list them; nor are the ranges of `_REFUSED`.
    """
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

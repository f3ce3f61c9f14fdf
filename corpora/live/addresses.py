"""Which network addresses are on the public web."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

# Python's own tables of special addresses differ between its releases; these do not.
_NOT_PUBLIC_4 = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT; also a cloud's metadata
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # a cloud's own services
        "169.254.0.0/16",  # link-local; also clouds' metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # relays from 6to4
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_UNICAST_6 = ip_network("2000::/3")
_NOT_PUBLIC_6 = tuple(
    ip_network(network)
    for network in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
_6TO4 = ip_network("2002::/16")
_NAT64 = ip_network("64:ff9b::/96")
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)


def is_public(address: str) -> bool:
    """Whether an address, as a resolver gives it, is one of the public web.

    It is not where it is private, shared, loopback, link-local, multicast, reserved, unspecified, for
    documentation, or a cloud's metadata service; nor where it is an IPv6 form that carries an IPv4
    address which is not (mapped, NAT64, 6to4, ISATAP). What is no address is not public.

    >>> is_public("93.184.215.14"), is_public("169.254.169.254"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return _is_public_4(parsed) if isinstance(parsed, IPv4Address) else _is_public_6(parsed)


def _is_public_4(address: IPv4Address) -> bool:
    return address.is_global and not any(address in network for network in _NOT_PUBLIC_4)


def _is_public_6(address: IPv6Address) -> bool:
    number = int(address)
    if address.ipv4_mapped is not None:
        return _is_public_4(address.ipv4_mapped)
    if address in _NAT64:
        return _is_public_4(IPv4Address(number & 0xFFFF_FFFF))
    if address in _6TO4:
        return _is_public_4(IPv4Address(number >> 80 & 0xFFFF_FFFF))
    if address not in _UNICAST_6 or any(address in network for network in _NOT_PUBLIC_6):
        return False
    if number >> 32 & 0xFFFF_FFFF in _ISATAP:
        return _is_public_4(IPv4Address(number & 0xFFFF_FFFF))
    return True
